"""Treemaps: areas in proportion, rectangles that fill their frame and do not overlap."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.report.treemap import Rectangle, squarified, striped

AREAS = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=40)
SIDES = st.floats(1, 1000)
FRAMES = st.builds(Rectangle, st.floats(-100, 100), st.floats(-100, 100), SIDES, SIDES)


def assert_fills(areas: list[float], frame: Rectangle, found: list[Rectangle]) -> None:
    """Areas in proportion, all inside, none over another: so nothing of the frame is left."""
    slack = 1e-6 * max(frame.width, frame.height)
    assert len(found) == len(areas)
    for area, rectangle in zip(areas, found, strict=True):
        assert rectangle.area == pytest.approx(frame.area * area / sum(areas), rel=1e-5, abs=slack * slack)
        assert rectangle.x >= frame.x - slack
        assert rectangle.y >= frame.y - slack
        assert rectangle.x + rectangle.width <= frame.x + frame.width + slack
        assert rectangle.y + rectangle.height <= frame.y + frame.height + slack
    for a, b in combinations(found, 2):
        across = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
        down = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
        assert across <= slack or down <= slack


@given(AREAS, FRAMES)
def test_squares_fill_the_frame(areas: list[float], frame: Rectangle) -> None:
    assert_fills(areas, frame, squarified(areas, frame))


@given(AREAS, FRAMES, st.floats(0.5, 100))
def test_stripes_fill_the_frame(areas: list[float], frame: Rectangle, least: float) -> None:
    assert_fills(areas, frame, striped(areas, frame, least))


def test_the_example_of_the_paper() -> None:
    """Bruls, Huizing and van Wijk, section 3.1: areas 6, 6, 4, 3, 2, 2, 1 in a frame of 6 by 4."""
    found = squarified([6, 6, 4, 3, 2, 2, 1], Rectangle(0, 0, 6, 4))
    expected = [
        (0, 0, 3, 2),
        (0, 2, 3, 2),
        (3, 0, 12 / 7, 7 / 3),
        (3 + 12 / 7, 0, 9 / 7, 7 / 3),
        (3, 7 / 3, 1.2, 5 / 3),
    ]
    for rectangle, wanted in zip(found, expected, strict=False):
        assert rectangle == pytest.approx(wanted)


def test_equal_areas_are_squares_where_they_can_be() -> None:
    found = squarified([1.0] * 16, Rectangle(0, 0, 8, 8))
    assert all(rectangle[2:] == pytest.approx((2, 2)) for rectangle in found)


def test_nothing_takes_no_place() -> None:
    assert squarified([], Rectangle(0, 0, 6, 4)) == []


def test_stripes_lie_across_the_longer_side_in_rows_if_they_are_many() -> None:
    assert [stripe.height for stripe in striped([1, 1], Rectangle(0, 0, 100, 40), 10)] == [40, 40]
    assert [stripe.width for stripe in striped([1, 1], Rectangle(0, 0, 40, 100), 10)] == [40, 40]
    many = striped([1] * 20, Rectangle(0, 0, 100, 40), 10)
    assert {round(stripe.height, 6) for stripe in many} == {20.0}
    assert {round(stripe.width, 6) for stripe in many} == {10.0}
