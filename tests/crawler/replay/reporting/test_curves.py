"""Curves, read back from the SVG."""

from xml.etree import ElementTree

from crawler.replay.reporting.curves import Curves, curves_as_svg, thinned
from partition.report.scales import Scale

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
