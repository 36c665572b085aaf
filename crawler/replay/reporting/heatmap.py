"""What ranks send each other, as a map of K by K squares: inline SVG, a path for each shade."""

from dataclasses import dataclass
from html import escape

import numpy as np

from crawler.replay.recording import Numbers
from partition.report.markup import size

SHADES = 6
LARGEST = 64
"""The most ranks of which a map can be read."""
_SIDE = 256
_LEFT, _RIGHT, _TOP = 34, 12, 40
_MARKS = 4


@dataclass(frozen=True)
class Shading:
    """Shades 1 to `SHADES` between the least and the most that is sent; ``limits`` are their upper ends, ascending.

    Each is the same factor above the one before.
    """

    limits: tuple[float, ...]

    def shade(self, values: Numbers) -> Numbers:
        """The shade of each value, 0 for nothing: int64[...] for int64[...]."""
        return np.where(values > 0, 1 + np.searchsorted(self.limits[:-1], values), 0).astype(np.int64)


def shading_for(values: Numbers) -> Shading:
    """Shades in which all these values can be told apart, int64[...] of any shape."""
    sent = values[values > 0]
    low, high = (float(sent.min()), float(sent.max())) if sent.size else (1.0, 1.0)
    return Shading(tuple((low * (high / low) ** (np.arange(1, SHADES + 1) / SHADES)).tolist()))


def heat_map(title: str, pairs: Numbers, shading: Shading) -> str:
    """The map of int64[K, K] by sender, down, and receiver, across."""
    ranks, shades = len(pairs), shading.shade(pairs)
    side = _SIDE / ranks
    squares = "".join(
        f'<path class="shade{shade}" d="{"".join(f"M{column} {row}h1v1h-1z" for row, column in places)}"/>'
        for shade in range(1, SHADES + 1)
        if (places := np.argwhere(shades == shade).tolist())
    )
    marks = "".join(
        f'<text class="tick x" x="{_LEFT + side * (rank + 0.5):.1f}" y="{_TOP - 5}">{rank}</text>'
        f'<text class="tick y" x="{_LEFT - 5}" y="{_TOP + side * (rank + 0.5) + 3.5:.1f}">{rank}</text>'
        for rank in marked_ranks(ranks)
    )
    return (
        f'<svg class="plot heat" viewBox="0 0 {_LEFT + _SIDE + _RIGHT} {_TOP + _SIDE + 8}" '
        f'role="img" aria-label="{escape(title)}"><text class="title" x="0" y="13">{escape(title)}</text>{marks}'
        f'<g transform="translate({_LEFT} {_TOP}) scale({side:.4f})">{squares}</g>'
        f'<path class="frame" d="M{_LEFT} {_TOP}h{_SIDE}v{_SIDE}h-{_SIDE}z"/></svg>'
    )


def marked_ranks(ranks: int) -> list[int]:
    """The ranks of K whose numbers stand at an axis: at most five, the first and the last among them."""
    return sorted({round(place * (ranks - 1) / _MARKS) for place in range(_MARKS + 1)})


def shade_legend(shading: Shading) -> str:
    """What each shade means, in bytes, for all maps of a page."""
    keys = "".join(
        '<span><svg class="key" viewBox="0 0 34 12" aria-hidden="true">'
        f'<path class="shade{shade}" d="M0 0h34v12h-34z"/></svg>to {size(round(limit))}</span>'
        for shade, limit in enumerate(shading.limits, 1)
    )
    return f'<p class="legend">{keys}</p>'
