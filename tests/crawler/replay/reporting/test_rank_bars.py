"""Bars of ranks, read back from the SVG."""

import re
from xml.etree import ElementTree

import numpy as np

from crawler.replay.measuring.rank_totals import RankTotals
from crawler.replay.reporting.rank_bars import rank_bars, rows_of_bars
from partition.report.scales import Scale, axis_for

PLAIN = Scale("", 1.0, 0)


def totals(fetches: list[int], milliseconds: float = 0.0) -> RankTotals:
    some = np.array(fetches)
    return RankTotals(some, 1000 * some, 5 * some, some * milliseconds, some, some, some, some, some)


def heights(image: ElementTree.Element) -> list[float]:
    """How high each bar is."""
    (group,) = image.findall("g")
    found = [re.fullmatch(r"M\S+ (\S+)V(\S+)h\S+V\S+z", bar.attrib["d"]) for bar in group]
    return [float(match[1]) - float(match[2]) for match in found if match]


def test_bars_are_as_high_as_what_they_stand_for_and_the_line_is_at_the_mean() -> None:
    amounts = np.array([10.0, 0.0, 20.0, 50.0])
    image = ElementTree.fromstring(rank_bars("a < b", amounts, PLAIN, axis_for([0.0, 50.0]), "page"))
    found = heights(image)
    np.testing.assert_allclose(found, amounts * found[3] / 50, atol=0.1)
    (line,) = (path.attrib["d"] for path in image.iter("path") if path.attrib.get("class") == "limit")
    base = next(path.attrib["d"] for path in image.iter("path") if path.attrib.get("class") == "axis")
    y, bottom = (float(re.findall(r"M\S+ ([\d.]+)H", path)[0]) for path in (line, base))
    assert abs((bottom - y) - 20 * found[3] / 50) < 0.2
    assert [title.text for title in image.iter("title")] == [f"rank {r}: {v}" for r, v in enumerate((10, 0, 20, 50))]
    assert next(image.iter("text")).text == "a < b"


def test_a_row_for_each_replay_with_its_own_axes() -> None:
    rows = ElementTree.fromstring(
        rows_of_bars({"x": totals([40, 40]), "y": totals([80, 0])}, {"x": "page", "y": "site"})
    )
    assert [next(plot.iter("text")).text for plot in rows] == [
        "x: fetches",
        "x: bytes (kB)",
        "x: links",
        "y: fetches",
        "y: bytes (kB)",
        "y: links",
    ]
    assert max(heights(rows[0])) == max(heights(rows[3]))


def test_time_is_shown_if_there_is_any() -> None:
    rows = ElementTree.fromstring(rows_of_bars({"x": totals([4, 4], 2.5)}, {"x": "page"}))
    assert next(rows[3].iter("text")).text == "x: time (ms)"
