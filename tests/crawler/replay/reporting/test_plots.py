"""Curves, bars of ranks and maps of what they send, read back from the SVG."""

import re
from xml.etree import ElementTree

import numpy as np

from crawler.replay.measuring.rank_totals import RankTotals
from crawler.replay.reporting.curves import Curves, curves_as_svg, thinned
from crawler.replay.reporting.heatmap import SHADES, heat_map, shade_legend, shading_for
from crawler.replay.reporting.rank_bars import rank_bars, rows_of_bars
from partition.report.scales import Scale, axis_for

PERCENT = Scale("%", 0.01, 2)


def paths(curves: Curves, css: str) -> list[str]:
    image = ElementTree.fromstring(curves_as_svg(curves))
    return [path.attrib["d"] for path in image.iter("path") if path.attrib["class"] == css]


def test_a_curve_goes_through_its_points() -> None:
    series = {"a <b>": [(0.0, 0.0), (50.0, 0.5), (100.0, 1.0)], "none": []}
    curves = Curves("Quality (%)", "pages", series, PERCENT, {"a <b>": "page", "none": "site"}, diagonal=True)
    (line,) = paths(curves, "line")
    points = [tuple(map(float, point.split())) for point in line[1:].split("L")]
    (x0, y0), (x1, y1), (x2, y2) = points
    assert abs(x1 - (x0 + x2) / 2) < 0.2
    assert abs(y1 - (y0 + y2) / 2) < 0.2
    assert y2 < y0
    assert paths(curves, "limit") == [f"M{x0} {y0}L{x2} {y2}"]


def test_zeros_and_nothing_can_be_drawn() -> None:
    for points in ([], [(10.0, 0.0)]):
        curves = Curves("Nothing", "pages", {"page": points}, PERCENT, {"page": "page"})
        ElementTree.fromstring(curves_as_svg(curves))


def test_many_points_are_thinned_to_some_with_both_ends() -> None:
    points = [(float(number), 0.0) for number in range(5000)]
    some = thinned(points)
    assert (len(some), some[0], some[-1]) == (400, points[0], points[-1])
    assert thinned(points[:400]) == points[:400]


# Bars of ranks, read back from the SVG.

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


# Maps of what ranks send each other, read back from the SVG.


def test_shades_go_from_the_least_to_the_most_by_equal_factors() -> None:
    values = np.array([[0, 1], [9, 10**6]])
    shading = shading_for(values)
    assert shading.shade(values).tolist() == [[0, 1], [1, SHADES]]
    np.testing.assert_allclose(shading.limits, [10.0**power for power in range(1, SHADES + 1)])


def test_equal_values_and_nothing_have_a_shade() -> None:
    for values in (np.full((2, 2), 7), np.zeros((2, 2), np.int64)):
        assert set(shading_for(values).shade(values).ravel().tolist()) <= {0, 1}


def test_a_square_stands_at_its_sender_and_receiver() -> None:
    pairs = np.array([[0, 5, 0], [0, 0, 0], [5000, 0, 0]])
    image = ElementTree.fromstring(heat_map("a < b", pairs, shading_for(pairs)))
    squares = {
        path.attrib["class"]: re.findall(r"M(\d+) (\d+)", path.attrib["d"])
        for path in image.iter("path")
        if path.attrib["class"] != "frame"
    }
    assert squares == {"shade1": [("1", "0")], f"shade{SHADES}": [("0", "2")]}


def test_the_legend_has_every_shade() -> None:
    legend = ElementTree.fromstring(shade_legend(shading_for(np.array([1, 10**6]))))
    assert ["".join(item.itertext()) for item in legend] == [
        "to 10 B",
        "to 100 B",
        "to 1 kB",
        "to 10 kB",
        "to 100 kB",
        "to 1 MB",
    ]
