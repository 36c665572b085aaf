"""Plots of figures over K as inline SVG (SVG 1.1), coloured by the page's CSS variables.

So that they can be told apart in black and white too, each model has a marker and hashes a dashed line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from partition.report.results import Spread
from partition.report.scales import Axis, Scale, axis_for, counts, tick_text

_WIDTH, _HEIGHT = 340, 236
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 26, 38
_DIGIT = 6
_SEEN_APART = 1.0
UNDER = " under"
"""The class of a line that lies under another."""
MARKERS = {
    "page": '<circle cx="{x}" cy="{y}" r="3.4"/>',
    "site": '<path d="M{x} {y}m-3.1 -3.1h6.2v6.2h-6.2z"/>',
    "prefix": '<path d="M{x} {y}m0 -4.2l4 7h-8z"/>',
    "url-range": '<path d="M{x} {y}m0 -4.3l4 4.3l-4 4.3l-4 -4.3z"/>',
    "site-packed": '<path d="M{x} {y}m0 4.2l4 -7h-8z"/>',
    "page-hash": '<path class="open" d="M{x} {y}m-3.2 -3.2l6.4 6.4m0 -6.4l-6.4 6.4"/>',
    "site-hash": '<path class="open" d="M{x} {y}m-4 0h8m-4 -4v8"/>',
    "domain-hash": '<path class="open" d="M{x} {y}m-3.6 -3h7.2l-3.6 6.4z"/>',
    "page-ring": '<circle class="open" cx="{x}" cy="{y}" r="3.6"/>',
    "site-ring": '<path class="open" d="M{x} {y}m-3.1 -3.1h6.2v6.2h-6.2z"/>',
}
"""The marker of each model at ``x`` and ``y``."""


@dataclass(frozen=True)
class Plot:
    """One figure of all models over K.

    Attributes:
        title: what stands above the plot, with the unit.
        parts: the Ks, ascending; they stand evenly spaced.
        series: for each model its figures by K, as far as there are any.
        scale: how values are shown.
        limit: a value to draw a line at.
        foreseen: what was predicted of the series, drawn in their colours, with the class ``foreseen``.
        across: what the numbers below the plot are.
        labels: what stands for a number below the plot, if not the number itself.
        looks: the model as which a series is drawn, if it is not called like one.
        places: where each number stands, if not evenly spaced; that is then what is written below the plot.
    """

    title: str
    parts: Sequence[int]
    series: Mapping[str, Mapping[int, Spread]]
    scale: Scale
    limit: float | None = None
    foreseen: Mapping[str, Mapping[int, Spread]] = field(default_factory=dict)
    across: str = "ranks K"
    labels: Mapping[int, str] = field(default_factory=dict)
    looks: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[int, float] = field(default_factory=dict)


def as_svg(plot: Plot) -> str:
    """The plot as an ``svg`` element: means as markers and lines, least and most as bars."""
    frame = _Frame(plot)
    shown = [frame.grid(), frame.limit()]
    shown += [frame.line(model, values, " foreseen") for model, values in plot.foreseen.items() if values]
    hidden = hidden_lines({model: frame.places(values) for model, values in plot.series.items() if values})
    shown += [frame.line(model, values, is_hidden=model in hidden) for model, values in plot.series.items() if values]
    told = f"{plot.title} over {plot.across}"
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(told)}">'
        f'<text class="title" x="0" y="13">{escape(plot.title)}</text>{"".join(shown)}</svg>'
    )


def hidden_lines(lines: Mapping[str, Sequence[tuple[float, float]]]) -> set[str]:
    """Which of these lines, in the order in which they are drawn, lie under later ones all the way."""
    names = list(lines)
    return {
        name for at, name in enumerate(names) if any(_covers(lines[later], lines[name]) for later in names[at + 1 :])
    }


def _covers(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]) -> bool:
    if len(upper) != len(lower):
        return False
    ends = zip(upper, lower, strict=True)
    return all(abs(x - a) < _SEEN_APART and abs(y - b) < _SEEN_APART for (x, y), (a, b) in ends)


def logarithmic_mark(axis: Axis, right: float, top: float) -> str:
    """What says that an axis is logarithmic, at the upper right corner of a plot; "" if it is not."""
    return f'<text class="tick y" x="{right}" y="{top - 3}">log scale</text>' if axis.is_logarithmic else ""


def legend(
    models: Sequence[str],
    looks: Mapping[str, str] | None = None,
    limit: str = "tolerance",
    *,
    has_foreseen: bool = False,
) -> str:
    """The line and marker of each model with its name, for all plots of a page; ``looks`` as in `Plot`.

    ``limit`` is what the dotted line is, "" if there is none; ``has_foreseen`` says that there are dashed lines of what
    was predicted.
    """
    shown = {model: (looks or {}).get(model, model) for model in models}
    items = [
        f'<span><svg class="key" viewBox="0 0 34 12" aria-hidden="true"><g class="series {look}">'
        f'<path class="line" d="M1 6H33"/>{MARKERS[look].format(x=17, y=6)}</g></svg>{escape(model)}</span>'
        for model, look in shown.items()
    ]
    if has_foreseen:
        key = '<svg class="key" viewBox="0 0 34 12" aria-hidden="true"><g class="series ink foreseen">'
        items.append(f'<span>{key}<path class="line" d="M1 6H33"/></g></svg>predicted</span>')
    if limit:
        key = '<svg class="key" viewBox="0 0 34 12" aria-hidden="true"><path class="limit" d="M1 6H33"/></svg>'
        items.append(f"<span>{key}{escape(limit)}</span>")
    return f'<p class="legend">{"".join(items)}</p>'


class _Frame:
    """Places on the canvas of one plot."""

    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        lines = (*plot.series.values(), *plot.foreseen.values())
        spreads = [spread for values in lines for spread in values.values()]
        values = [self._shown(value) for spread in spreads for value in (spread.least, spread.most)]
        if plot.limit is not None:
            values.append(self._shown(plot.limit))
        self._axis: Axis = axis_for(values, is_whole=counts(plot.scale))
        places = {k: plot.places.get(k, even) for even, k in enumerate(plot.parts)}
        low = min(places.values())
        span = (max(places.values()) - low) or 1
        inner = _WIDTH - _LEFT - _RIGHT - 24
        self._across = {k: _LEFT + 12 + inner * (place - low) / span for k, place in places.items()}
        if len(plot.parts) == 1:
            self._across = {plot.parts[0]: _LEFT + 12 + inner / 2}

    def grid(self) -> str:
        """Axes, ticks and their labels."""
        lines = []
        for tick in self._axis.ticks:
            y = self._up_to(tick)
            lines.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
            lines.append(f'<text class="tick y" x="{_LEFT - 6}" y="{y + 3.5:.1f}">{tick_text(tick)}</text>')
        base = _HEIGHT - _BOTTOM
        lines.append(f'<path class="axis" d="M{_LEFT} {base}H{_WIDTH - _RIGHT}"/>')
        lines += [
            f'<text class="tick x" x="{self._across[k]:.1f}" y="{base + 15}">{escape(name)}</text>'
            for k, name in self._names().items()
        ]
        middle = (_LEFT + _WIDTH - _RIGHT) / 2
        lines.append(f'<text class="tick x" x="{middle}" y="{_HEIGHT - 6}">{escape(self._plot.across)}</text>')
        return "".join(lines) + logarithmic_mark(self._axis, _WIDTH - _RIGHT, _TOP)

    def _names(self) -> dict[int, str]:
        """What stands below the plot; of places so near each other that names would touch, the first."""
        if not self._plot.places:
            return {k: self._plot.labels.get(k, str(k)) for k in self._across}
        names: dict[int, str] = {}
        end = 0.0
        for k, x in self._across.items():
            name = tick_text(self._plot.places[k])
            half = len(name) * _DIGIT / 2
            if x - half >= end:
                names[k], end = name, x + half + _DIGIT / 2
        return names

    def limit(self) -> str:
        """The line at the limit, if there is one."""
        if self._plot.limit is None:
            return ""
        y = self._up_to(self._shown(self._plot.limit))
        return f'<path class="limit" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>'

    def places(self, values: Mapping[int, Spread]) -> list[tuple[float, float]]:
        """Where the means of one model stand."""
        return [(self._across[k], self._up_to(self._shown(values[k].mean))) for k in self._plot.parts if k in values]

    def line(self, model: str, values: Mapping[int, Spread], kind: str = "", *, is_hidden: bool = False) -> str:
        """One model: a line through its means, at each a marker and a bar from least to most.

        A line that another hides is drawn as a band below it.
        """
        known = [k for k in self._plot.parts if k in values]
        points = [(k, x, y) for k, (x, y) in zip(known, self.places(values), strict=True)]
        path = "L".join(f"{x:.1f} {y:.1f}" for _, x, y in points)
        kind += UNDER if is_hidden else ""
        parts = [f'<path class="line" d="M{path}"/>']
        look = self._plot.looks.get(model, model)
        for k, x, y in points:
            spread = values[k]
            low, high = self._up_to(self._shown(spread.least)), self._up_to(self._shown(spread.most))
            if low - high > 1:
                parts.append(f'<path class="bar" d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
            place = self._plot.labels.get(k, f"K={k}")
            told = (
                f"{model}{kind.removesuffix(UNDER).replace(' ', ', ')}, {place}: {self._plot.scale.text(spread.mean)}"
            )
            if spread.most > spread.least:
                told += f" ({self._plot.scale.text(spread.least)} to {self._plot.scale.text(spread.most)})"
            marker = MARKERS[look].format(x=f"{x:.1f}", y=f"{y:.1f}")
            parts.append(f"<g><title>{escape(told)}</title>{marker}</g>")
        return f'<g class="series {look}{kind}">{"".join(parts)}</g>'

    def _shown(self, value: float) -> float:
        return value / self._plot.scale.divisor

    def _up_to(self, shown: float) -> float:
        inner = _HEIGHT - _TOP - _BOTTOM
        return _HEIGHT - _BOTTOM - inner * self._axis.place(shown)
