"""Curves and clouds of points over a number: inline SVG, in the look of the other plots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

from partition.report.columns import named
from partition.report.scales import Axis, axis_for, tick_text

_WIDTH, _INNER = 340, 158
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 18, 40, 38
_LETTER, _KEY, _LINE = 5.6, 22, 14
LOOKS = ("page", "site", "prefix", "url-range", "site-packed", "domain-hash", "page-ring", "site-ring")
"""The looks of the curves, in turn."""


@dataclass(frozen=True)
class Curves:
    """Several curves over one axis.

    Attributes:
        title: what stands above.
        across, up: what the axes are.
        lines: points of each curve by its name, in their order.
        are_points: they are not joined; both axes are logarithmic, and only what is positive is drawn.
    """

    title: str
    across: str
    up: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    are_points: bool = False


def curves_as_svg(curves: Curves) -> str:
    """The curves as an ``svg`` element, with a legend where there are several."""
    lines = {name: _drawable(points, curves) for name, points in curves.lines.items()}
    shown = [point for points in lines.values() for point in points]
    if not shown:
        return ""
    x_axis, y_axis = _axis([x for x, _ in shown], curves), _axis([y for _, y in shown], curves)
    rows = _legend_rows(list(lines)) if len(lines) > 1 else []
    top = _TOP + _LINE * len(rows)
    right, base = _WIDTH - _RIGHT, top + _INNER
    height = base + _BOTTOM

    def across(x: float) -> float:
        return _LEFT + (right - _LEFT) * x_axis.place(x)

    def up(y: float) -> float:
        return base - _INNER * y_axis.place(y)

    drawn = [
        f'<path class="grid" d="M{_LEFT} {up(tick):.1f}H{right}"/>'
        f'<text class="tick y" x="{_LEFT - 6}" y="{up(tick) + 3.5:.1f}">{tick_text(tick)}</text>'
        for tick in y_axis.ticks
    ]
    drawn.append(f'<path class="axis" d="M{_LEFT} {base}H{right}"/>')
    drawn += [
        f'<text class="tick x" x="{x:.1f}" y="{base + 15}">{name}</text>'
        for x, name in named([(across(tick), tick_text(tick)) for tick in x_axis.ticks])
    ]
    drawn.append(f'<text class="tick x" x="{(_LEFT + right) / 2}" y="{height - 6}">{escape(curves.across)}</text>')
    drawn.append(f'<text class="tick" x="0" y="{top - 8}">{escape(curves.up)}</text>')
    for (name, points), look in zip(lines.items(), cycle(LOOKS), strict=False):
        places = [(across(x), up(y)) for x, y in points]
        drawn.append(_cloud(name, look, places) if curves.are_points else _line(name, look, places))
    drawn += [_legend_row(row, _TOP - 10 + _LINE * number) for number, row in enumerate(rows)]
    return (
        f'<svg class="plot curves" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(curves.title)}">'
        f'<text class="title" x="0" y="13">{escape(curves.title)}</text>{"".join(drawn)}</svg>'
    )


def _drawable(points: Sequence[tuple[float, float]], curves: Curves) -> list[tuple[float, float]]:
    return [(x, y) for x, y in points if not curves.are_points or (x > 0 and y > 0)]


def _axis(values: Sequence[float], curves: Curves) -> Axis:
    """A logarithmic axis for clouds of points that differ enough, otherwise one from 0."""
    return axis_for(values if curves.are_points else [0.0, *values])


def _line(name: str, look: str, places: Sequence[tuple[float, float]]) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    return f'<g class="series {look}"><title>{escape(name)}</title><path class="line" d="M{path}"/></g>'


def _cloud(name: str, look: str, places: Sequence[tuple[float, float]]) -> str:
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.8"/>' for x, y in places)
    return f'<g class="series {look}"><title>{escape(name)}</title>{dots}</g>'


def _legend_rows(names: Sequence[str]) -> list[list[tuple[float, str, str]]]:
    """Names in as many rows as they need: where each begins, the name, and the look of its curve."""
    rows: list[list[tuple[float, str, str]]] = [[]]
    x = 0.0
    for name, look in zip(names, cycle(LOOKS), strict=False):
        wide = len(name) * _LETTER + _KEY
        if rows[-1] and x + wide > _WIDTH:
            rows.append([])
            x = 0.0
        rows[-1].append((x, name, look))
        x += wide
    return rows


def _legend_row(row: Sequence[tuple[float, str, str]], y: float) -> str:
    return "".join(
        f'<g class="series {look}"><path class="line" d="M{x:.1f} {y - 4}h10"/></g>'
        f'<text class="tick" x="{x + 13:.1f}" y="{y}">{escape(name)}</text>'
        for x, name, look in row
    )
