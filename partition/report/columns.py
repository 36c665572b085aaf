"""Counts side by side as upright bars: inline SVG, in the look of the other plots."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from partition.report.scales import axis_for, tick_text

_WIDTH, _HEIGHT = 340, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 26, 38
_WIDEST, _LETTER = 30, 5.6


@dataclass(frozen=True)
class Columns:
    """One count of several things, in their order.

    Attributes:
        title: what stands above.
        across: what the names below are.
        names: of the things; they stand below, as many as there is room for.
        counts: of each of them; means may have decimals.
        look: the model as which it is drawn.
    """

    title: str
    across: str
    names: Sequence[str]
    counts: Sequence[float]
    look: str = "page"


def columns_as_svg(columns: Columns) -> str:
    """The columns as an ``svg`` element, on an axis from 0; pointing at one tells its name and count."""
    axis = axis_for([0.0, *map(float, columns.counts)], is_whole=True)
    base, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    each = (right - _LEFT) / max(1, len(columns.counts))
    wide = min(_WIDEST, 0.85 * each)
    middles = [_LEFT + each * (at + 0.5) for at in range(len(columns.counts))]

    def up(count: float) -> float:
        return base - (base - _TOP) * axis.place(count)

    drawn = [
        f'<path class="grid" d="M{_LEFT} {up(tick):.1f}H{right}"/>'
        f'<text class="tick y" x="{_LEFT - 6}" y="{up(tick) + 3.5:.1f}">{tick_text(tick)}</text>'
        for tick in axis.ticks
    ]
    bars = "".join(
        f'<path d="M{middle - wide / 2:.1f} {base}V{up(count):.1f}h{wide:.1f}V{base}z">'
        f"<title>{escape(name)}: {_told(count)}</title></path>"
        for middle, name, count in zip(middles, columns.names, columns.counts, strict=True)
    )
    drawn.append(f'<g class="series {columns.look}">{bars}</g><path class="axis" d="M{_LEFT} {base}H{right}"/>')
    drawn += [
        f'<text class="tick x" x="{x:.1f}" y="{base + 15}">{escape(name)}</text>'
        for x, name in named(list(zip(middles, columns.names, strict=True)))
    ]
    drawn.append(f'<text class="tick x" x="{(_LEFT + right) / 2}" y="{_HEIGHT - 6}">{escape(columns.across)}</text>')
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(columns.title)}">'
        f'<text class="title" x="0" y="13">{escape(columns.title)}</text>{"".join(drawn)}</svg>'
    )


def _told(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else f"{count:,.3g}"


def named(places: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Those of the names, by where their middles stand, that do not touch the one before."""
    shown: list[tuple[float, str]] = []
    end = 0.0
    for x, name in places:
        half = len(name) * _LETTER / 2
        if x - half >= end:
            shown.append((x, name))
            end = x + half + _LETTER
    return shown
