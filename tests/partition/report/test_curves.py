"""Curves: what is drawn where, and which points clouds leave out."""

import re
from xml.etree import ElementTree

from partition.report.curves import Curves, curves_as_svg


def places(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", path)]


def test_lines_go_through_their_points_on_axes_from_zero() -> None:
    svg = ElementTree.fromstring(curves_as_svg(Curves("T", "x", "y", {"a": [(0, 0), (50, 5), (100, 10)]})))
    (line,) = (one.get("d") for one in svg.iter("path") if one.get("class") == "line")
    (x0, y0), (x1, y1), (x2, y2) = places(line or "")
    assert x1 - x0 == x2 - x1 > 0
    assert y0 - y1 == y1 - y2 > 0
    assert not [text for text in svg.iter("text") if text.text == "a"]


def test_several_lines_are_named_in_their_colours() -> None:
    svg = curves_as_svg(Curves("T", "x", "y", {"a<b": [(0, 1), (1, 2)], "c": [(0, 2), (1, 3)]}))
    ElementTree.fromstring(svg)
    assert svg.count(">a&lt;b</text>") == svg.count(">c</text>") == 1
    assert svg.count('class="series page"') == svg.count('class="series site"') == 2


def test_clouds_have_what_is_positive() -> None:
    points = [(0.0, 5.0), (1.0, 100.0), (10.0, 10.0), (1000.0, 1.0), (5.0, 0.0)]
    svg = curves_as_svg(Curves("T", "x", "y", {"a": points}, are_points=True))
    assert svg.count("<circle") == 3
    assert curves_as_svg(Curves("T", "x", "y", {"a": [(0.0, 0.0)]}, are_points=True)) == ""


def test_nothing_is_drawn_of_nothing() -> None:
    assert curves_as_svg(Curves("T", "x", "y", {"a": []})) == ""


def test_every_curve_is_named_however_many_there_are() -> None:
    names = [f"session number {number}" for number in range(9)]
    svg = ElementTree.fromstring(curves_as_svg(Curves("T", "x", "y", {name: [(0, 1), (1, 2)] for name in names})))
    shown = [text for text in svg.iter("text") if text.text in names]
    assert [text.text for text in shown] == names
    assert all(float(text.get("x", "")) + 5 * len(text.text or "") < 340 for text in shown)
    assert len({text.get("y") for text in shown}) > 1
