"""Treemaps: areas in proportion, as rectangles that fill a frame.

`squarified` is the treemap of Bruls, Huizing and van Wijk ("Squarified Treemaps", VisSym 2000): rectangles as near to
squares as can be, which are easy to compare and to write in.  `striped` divides one of them again.
"""

from collections.abc import Sequence
from itertools import accumulate, groupby
from math import ceil
from typing import NamedTuple


class Rectangle(NamedTuple):
    """A rectangle by its upper left corner and its sides."""

    x: float
    y: float
    width: float
    height: float

    @property
    def area(self) -> float:
        """Its area."""
        return self.width * self.height


def squarified(areas: Sequence[float], frame: Rectangle) -> list[Rectangle]:
    """Return a rectangle for each of these positive areas, in their order; together they fill the frame.

    A row of rectangles grows along the shorter side of what is left as long as that makes its worst rectangle no
    longer.  They are nearest to squares if areas descend.
    """
    scale = frame.area / sum(areas) if areas else 1.0
    placed: list[Rectangle] = []
    row: list[float] = []
    left = frame
    for area in (scale * area for area in areas):
        side = min(left.width, left.height)
        if row and _worst([*row, area], side) > _worst(row, side):
            rectangles, left = _laid(row, left)
            placed += rectangles
            row = []
        row.append(area)
    return placed + _laid(row, left)[0]


def _worst(row: Sequence[float], side: float) -> float:
    """The largest ratio of sides, at least 1, if these areas are a row along a side."""
    square = (sum(row) / side) ** 2
    return max(max(row) / square, square / min(row))


def _laid(row: Sequence[float], frame: Rectangle) -> tuple[list[Rectangle], Rectangle]:
    """A row of areas along the frame's shorter side, and what it leaves of the frame."""
    x, y, width, height = frame
    if height <= width:
        wide = sum(row) / height if height else 0.0
        return _in_a_column(row, Rectangle(x, y, wide, height)), Rectangle(x + wide, y, max(0.0, width - wide), height)
    high = sum(row) / width if width else 0.0
    return _in_a_line(row, Rectangle(x, y, width, high)), Rectangle(x, y + high, width, max(0.0, height - high))


def striped(areas: Sequence[float], frame: Rectangle, least: float) -> list[Rectangle]:
    """Return a stripe of the frame for each of these positive areas, in their order; together they fill the frame.

    Stripes lie across the longer side.  Where they would be narrower than ``least`` on average, they lie in several
    rows, which are no narrower than that themselves.
    """
    total, rows = sum(areas), _rows(len(areas), frame, least)
    of_row = [
        min(rows - 1, int(rows * (end - area / 2) / total)) for area, end in zip(areas, accumulate(areas), strict=True)
    ]
    grouped = [[areas[at] for at in row] for _, row in groupby(range(len(areas)), key=of_row.__getitem__)]
    sums = [sum(row) for row in grouped]
    if frame.width >= frame.height:
        strips = zip(grouped, _in_a_column(sums, frame), strict=True)
        return [stripe for row, strip in strips for stripe in _in_a_line(row, strip)]
    strips = zip(grouped, _in_a_line(sums, frame), strict=True)
    return [stripe for row, strip in strips for stripe in _in_a_column(row, strip)]


def _rows(stripes: int, frame: Rectangle, least: float) -> int:
    wanted = ceil(stripes * least / max(frame.width, frame.height))
    return max(1, min(wanted, int(min(frame.width, frame.height) / least)))


def _in_a_line(areas: Sequence[float], frame: Rectangle) -> list[Rectangle]:
    """Areas side by side, from left to right."""
    placed, x, total = [], frame.x, sum(areas)
    for area in areas:
        wide = frame.width * area / total
        placed.append(Rectangle(x, frame.y, wide, frame.height))
        x += wide
    return placed


def _in_a_column(areas: Sequence[float], frame: Rectangle) -> list[Rectangle]:
    """Areas one below the other."""
    placed, y, total = [], frame.y, sum(areas)
    for area in areas:
        high = frame.height * area / total
        placed.append(Rectangle(frame.x, y, frame.width, high))
        y += high
    return placed
