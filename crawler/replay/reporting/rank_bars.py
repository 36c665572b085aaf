"""What each rank did as bars, the mean of all ranks as a line: inline SVG, in the look of the other plots."""

from collections.abc import Mapping
from html import escape

import numpy as np
import numpy.typing as npt

from crawler.replay.measuring.figures import OF_RANKS
from crawler.replay.measuring.rank_totals import RankTotals
from crawler.replay.reporting.heatmap import marked_ranks
from partition.report.scales import Axis, Scale, axis_for, counts, scale_for, tick_text

_WIDTH, _HEIGHT = 340, 176
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 26, 38
_WIDEST = 26
_SHOWN = ("fetches", "bytes", "links", "milliseconds")

Floats = npt.NDArray[np.float64]


def rows_of_bars(replays: Mapping[str, RankTotals], looks: Mapping[str, str]) -> str:
    """A row of plots for each of several replays at one K, by their names; ``looks`` as in `rank_bars`.

    Each plot has its own axis: beside a rank that has nearly everything all others would be flat.  A figure that is 0
    everywhere is left out.
    """
    columns = {
        figure: [getattr(totals, figure.name).astype(np.float64) for totals in replays.values()]
        for figure in OF_RANKS
        if figure.name in _SHOWN and any(getattr(totals, figure.name).any() for totals in replays.values())
    }
    drawn = []
    for figure, tables in columns.items():
        scale = scale_for(figure, [max(float(table.max()) for table in tables)])
        unit = f" ({scale.unit})" if scale.unit else ""
        drawn.append(
            [
                rank_bars(f"{name}: {figure.title.lower()}{unit}", table, scale, _axis(table, scale), looks[name])
                for name, table in zip(replays, tables, strict=True)
            ]
        )
    width = f"minmax(max(18rem, calc({100 / max(1, len(drawn)):.1f}% - 1.6rem)), 1fr)"
    plots = "".join(plot for row in zip(*drawn, strict=True) for plot in row)
    return f'<div class="plots" style="grid-template-columns: repeat(auto-fill, {width})">{plots}</div>'


def rank_bars(title: str, amounts: Floats, scale: Scale, axis: Axis, look: str) -> str:
    """A bar for each rank, float64[K], drawn as the model ``look``; pointing at a bar tells its rank and value."""
    base, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT

    def up(shown: float) -> float:
        return base - (base - _TOP) * axis.place(shown)

    each = (right - _LEFT) / len(amounts)
    wide = min(_WIDEST, 0.8 * each)
    middles = [_LEFT + each * (rank + 0.5) for rank in range(len(amounts))]
    drawn = [
        f'<path class="grid" d="M{_LEFT} {up(tick):.1f}H{right}"/>'
        f'<text class="tick y" x="{_LEFT - 6}" y="{up(tick) + 3.5:.1f}">{tick_text(tick)}</text>'
        for tick in axis.ticks
    ]
    bars = "".join(
        f'<path d="M{middle - wide / 2:.1f} {base}V{up(amount / scale.divisor):.1f}h{wide:.1f}V{base}z">'
        f"<title>rank {rank}: {scale.text(amount)}</title></path>"
        for rank, (middle, amount) in enumerate(zip(middles, amounts.tolist(), strict=True))
    )
    drawn.append(f'<g class="series {look}">{bars}</g><path class="axis" d="M{_LEFT} {base}H{right}"/>')
    drawn.append(f'<path class="limit" d="M{_LEFT} {up(float(amounts.mean()) / scale.divisor):.1f}H{right}"/>')
    drawn += [
        f'<text class="tick x" x="{middles[rank]:.1f}" y="{base + 15}">{rank}</text>'
        for rank in marked_ranks(len(amounts))
    ]
    drawn.append(f'<text class="tick x" x="{(_LEFT + right) / 2}" y="{_HEIGHT - 6}">rank</text>')
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f'<text class="title" x="0" y="13">{escape(title)}</text>{"".join(drawn)}</svg>'
    )


def _axis(table: Floats, scale: Scale) -> Axis:
    """From 0, so that bars are as long as what they stand for."""
    return axis_for([0.0, float(table.max()) / scale.divisor], is_whole=counts(scale))
