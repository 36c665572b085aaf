"""The section on the previous map, of made-up points."""

import re
from dataclasses import replace
from itertools import count
from xml.etree import ElementTree

from partition.quality.migration import MigrationCurve
from partition.quality.migration_page import migration_section
from partition.quality.request import Trial
from partition.quality.trial import Outcome
from partition.report.tables import even


def figures(moved: float, sent: int, imbalance: float = 0.01) -> dict[str, int | float]:
    return {
        "moved_pages": moved,
        "moved_bytes": moved,
        "sent_links": sent,
        "volume_links": 2 * sent,
        "storage_imbalance": imbalance,
        "requests_imbalance": 0.0,
    }


CURVE = MigrationCurve(
    "a<b",
    4,
    10,
    2000,
    figures(0, 90, 0.3),
    [
        Outcome(Trial("page", 4, 1, 0.0), figures(0.5, 60)),
        Outcome(Trial("page", 4, 1, 0.25), figures(0.125, 70)),
        Outcome(Trial("prefix", 4, 1, 0.0), figures(0.25, 80, 0.06)),
        Outcome(Trial("prefix", 4, 1, 0.25), reason="no"),
    ],
    "sent_links",
    even(0.05),
)


def test_the_table_has_moved_bytes_and_volume_by_cost() -> None:
    for volume, factor in (("sent_links", 1), ("volume_links", 2)):
        section = migration_section(replace(CURVE, volume=volume), count(3))
        rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", section)]
        assert rows[1:] == [
            ["as it is", "0.00", f"{90 * factor}<sup>†</sup>", "0.00", f"{90 * factor}<sup>†</sup>"],
            ["0", "50.00", f"{60 * factor}", "25.00", f"{80 * factor}<sup>†</sup>"],
            ["0.25", "12.50", f"{70 * factor}", "&ndash;", "&ndash;"],
        ]
        assert "<b>Table 3.</b>" in section


def test_the_plot_has_moved_bytes_across_and_volume_up() -> None:
    section = migration_section(CURVE, count(1))
    assert "a&lt;b" in section
    svg = next(svg for svg in re.findall(r"<svg.*?</svg>", section) if 'class="plot"' in svg)
    ElementTree.fromstring(svg)
    line = re.search(r'<g class="series page"><path class="line" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"', svg)
    assert line is not None
    x, y, later_x, later_y = map(float, line.groups())
    assert x > later_x
    assert y > later_y  # SVG counts downwards: more volume stands higher
    assert svg.count("<title>") == 3


def test_the_knee_is_named_where_there_is_one() -> None:
    assert "knee" not in migration_section(CURVE, count(1))
    points = [
        *CURVE.points,
        Outcome(Trial("page", 4, 1, 0.5), figures(0.0, 100)),
        Outcome(Trial("page", 4, 1, 2.0), figures(0.1, 10, 0.06)),  # would be better, but is out of balance
    ]
    curve = replace(CURVE, points=points)
    section = migration_section(curve, count(1))
    words = "by page, moving 12% instead of 50% of the bytes that have an owner costs 17% more volume"
    assert f"{words}: --migration-cost 0.25" in section
    assert section.count("knee, X = 0.25</text>") == 1
    assert curve.as_dict()["knees"] == {"page": {"migration_cost": 0.25, "moved_bytes": 0.125, "sent_links": 70.0}}
