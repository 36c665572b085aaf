"""Curves of replays as inline SVG (SVG 1.1), in the look of `partition.report.plots`: one figure over a share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from partition.report.plots import UNDER, hidden_lines, logarithmic_mark
from partition.report.scales import Scale, axis_for, tick_text

_WIDTH, _HEIGHT = 340, 236
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 26, 38
_TICKS = (0, 25, 50, 75, 100)
_MOST_POINTS = 400

Points = Sequence[tuple[float, float]]
"""Shares in percent, ascending, and a value at each."""


@dataclass(frozen=True)
class Curves:
    """One figure of several replays over a share from 0 to 100 percent.

    Attributes:
        title: what stands above the plot, with the unit.
        across: what the share is of.
        series: the points of each, by its name.
        scale: how values are shown.
        looks: as which model each is drawn.
        diagonal: is there a line from 0 at 0% to 1 at 100%?
    """

    title: str
    across: str
    series: Mapping[str, Points]
    scale: Scale
    looks: Mapping[str, str]
    diagonal: bool = False


def curves_as_svg(curves: Curves) -> str:
    """The curves as an ``svg`` element; where there are few points, each has a dot."""
    values = [value / curves.scale.divisor for points in curves.series.values() for _, value in points]
    axis = axis_for([*values, *([0.0, 1 / curves.scale.divisor] if curves.diagonal else [])] or [0.0])

    def up(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * axis.place(value / curves.scale.divisor)

    shown = []
    for tick in axis.ticks:
        y = up(tick * curves.scale.divisor)
        shown.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
        shown.append(f'<text class="tick y" x="{_LEFT - 6}" y="{y + 3.5:.1f}">{tick_text(tick)}</text>')
    base = _HEIGHT - _BOTTOM
    shown.append(f'<path class="axis" d="M{_LEFT} {base}H{_WIDTH - _RIGHT}"/>')
    shown += [f'<text class="tick x" x="{_over(tick):.1f}" y="{base + 15}">{tick}</text>' for tick in _TICKS]
    shown.append(f'<text class="tick x" x="{_over(50):.1f}" y="{_HEIGHT - 6}">{escape(curves.across)}, %</text>')
    if curves.diagonal:
        shown.append(f'<path class="limit" d="M{_over(0)} {up(0.0):.1f}L{_over(100)} {up(1.0):.1f}"/>')
    shown.append(logarithmic_mark(axis, _WIDTH - _RIGHT, _TOP))
    lines = {
        name: [(_over(share), up(value)) for share, value in thinned(points)] for name, points in curves.series.items()
    }
    hidden = hidden_lines(lines)
    for name, places in lines.items():
        shown.append(_line(name, curves.looks[name] + (UNDER if name in hidden else ""), places))
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(curves.title)}">'
        f'<text class="title" x="0" y="13">{escape(curves.title)}</text>{"".join(shown)}</svg>'
    )


def thinned(points: Points) -> Points:
    """At most 400 of the points, the first and the last among them."""
    if len(points) <= _MOST_POINTS:
        return points
    step = (len(points) - 1) / (_MOST_POINTS - 1)
    return [points[round(step * place)] for place in range(_MOST_POINTS)]


def _over(share: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share / 100


def _line(name: str, look: str, places: Points) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    line = f'<path class="line" d="M{path}"/>' if places else ""
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4"/>' for x, y in places) if len(places) < 40 else ""
    return f'<g class="series {look}"><title>{escape(name)}</title>{line}{dots}</g>'
