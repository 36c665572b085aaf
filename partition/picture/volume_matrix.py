"""What parts send each other as a matrix: senders down, receivers across, both in the order of the tour."""

from collections.abc import Iterator
from itertools import groupby
from math import floor, log10

from partition.measures.cut_portrait import MOST_PARTS, CutPortrait
from partition.picture.part_colours import part_colours

_WIDTH, _TOP, _LEFT, _LINE = 720, 50, 26, 12
_LARGEST_CELL, _SIDE = 46.0, 210
_LEAST_FOR_BARS, _LEAST_FOR_NUMBERS, _LEAST_FOR_LABELS = 15.0, 30.0, 9.5
_BETWEEN_LINES = 42.0
_STEPS = (1, 3)
_MOST_SHADES = 7
_MOST_POINTED_AT = 64
_LIGHTEST, _DARKEST, _TURN = 0.07, 0.86, 0.55


def matrix_svg(portrait: CutPortrait, unit: str) -> str:
    """The matrix of a cut into 2 to `MOST_PARTS` parts as an ``svg`` element; ``unit`` is that of costs.

    A cell's shade is its cost in steps of about 3; the diagonal has the colours of the parts.  Where cells are large
    enough, costs stand in them, and what each part sends beside them.
    """
    if portrait.costs is None:
        raise ValueError(f"there are more than {MOST_PARTS} parts")
    return _Matrix(portrait, unit).drawn()


def short(cost: int) -> str:
    """A cost in at most four characters."""
    for power, letter in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if cost >= 10**power * 0.9995:
            amount = cost / 10**power
            return f"{amount:.2g}{letter}" if amount < 9.95 else f"{amount:.0f}{letter}"
    return str(cost)


def shade_limits(least: int, most: int) -> list[int]:
    """The least cost of each shade, ascending: of 1, 3, 10, 30, ... those from ``least`` to ``most``, both at least 1.

    Of more than seven these are the upper ones.
    """
    powers = range(floor(log10(most)) + 1)
    limits = [limit for power in powers for step in _STEPS if (limit := step * 10**power) <= most]
    first = sum(limit <= least for limit in limits) - 1
    return limits[first:][-_MOST_SHADES:]


class _Matrix:
    """Draws the matrix of one portrait."""

    def __init__(self, portrait: CutPortrait, unit: str) -> None:
        assert portrait.costs is not None
        k = portrait.k
        self._portrait, self._unit = portrait, unit
        self._costs = portrait.costs[list(portrait.order)][:, list(portrait.order)].tolist()
        self._has_bars = (_WIDTH - _LEFT - _SIDE) / k >= _LEAST_FOR_BARS
        room = _WIDTH - 1 - _LEFT - (_SIDE if self._has_bars else 0)
        self._cell = min(_LARGEST_CELL, room / k)
        self._right = _LEFT + k * self._cell
        costs = [cost for row in self._costs for cost in row if cost]
        self._limits = shade_limits(min(costs), max(costs)) if costs else []

    def drawn(self) -> str:
        """The ``svg`` element."""
        k, foot = self._portrait.k, _TOP + self._portrait.k * self._cell
        title = f"What parts send each other, K = {k}"
        pieces = [self._legend(), self._grid(), self._labels(), *self._cells(), self._numbers()]
        if self._has_bars:
            pieces.append(self._bars())
        frame = f"M{_LEFT} {_TOP}H{self._right:.1f}V{foot:.1f}H{_LEFT}zL{self._right:.1f} {foot:.1f}"
        return (
            f'<svg class="plot cut" viewBox="0 0 {_WIDTH} {foot + 2:.0f}" role="img" aria-label="{title}">'
            f'{"".join(pieces)}<path class="frame" d="{frame}"/></svg>'
        )

    def _labels(self) -> str:
        """The numbers of parts on the diagonal's colours, at the left of rows and above columns, in two heights."""
        colours, cell = part_colours(self._portrait.order), self._cell
        shown = []
        for place, part in enumerate(self._portrait.order):
            x, y = _LEFT + place * cell, _TOP + place * cell
            shown.append(f'<path fill="{colours[part]}" d="M{x:.1f} {y:.1f}h{cell:.2f}v{cell:.2f}h-{cell:.2f}z"/>')
            if place % self._each_labelled:
                continue
            height = _TOP - 5 - (_LINE if self._is_crowded and place // self._each_labelled % 2 else 0)
            shown.append(f'<text class="x" x="{x + cell / 2:.1f}" y="{height}">{part}</text>')
            shown.append(f'<text class="y" x="{_LEFT - 5}" y="{y + cell / 2 + 4:.1f}">{part}</text>')
        return "".join(shown)

    @property
    def _each_labelled(self) -> int:
        """Of how many parts one has its number beside the matrix."""
        return int(-(-_LEAST_FOR_LABELS // self._cell))

    @property
    def _is_crowded(self) -> bool:
        return self._cell * self._each_labelled < 8 * len(str(self._portrait.k - 1))

    def _grid(self) -> str:
        """Lines between parts, as far apart as the eye needs to follow a row to its number."""
        each = max(1, round(_BETWEEN_LINES / self._cell))
        foot = _TOP + self._portrait.k * self._cell
        offsets = [place * self._cell for place in range(each, self._portrait.k, each)]
        lines = [
            f"M{_LEFT + offset:.1f} {_TOP}V{foot:.1f}M{_LEFT} {_TOP + offset:.1f}H{self._right:.1f}"
            for offset in offsets
        ]
        return f'<path class="lines" d="{"".join(lines)}"/>'

    def _cells(self) -> list[str]:
        """Cells by shade."""
        shades: dict[int, list[str]] = {}
        for shade, path in self._titled_cells() if self._portrait.k <= _MOST_POINTED_AT else self._runs():
            shades.setdefault(shade, []).append(path)
        return [
            f'<g class="shade" fill-opacity="{self._opacity(shade):.2f}">{"".join(paths)}</g>'
            for shade, paths in sorted(shades.items())
        ]

    def _titled_cells(self) -> Iterator[tuple[int, str]]:
        """The shade and the path of each cell, which tells its cost to whoever points at it."""
        for row, costs in enumerate(self._costs):
            for column, cost in enumerate(costs):
                if cost:
                    title = f"<title>{self._told(row, column, cost)}</title>"
                    yield self._shade(cost), f'<path d="{self._outline(row, column)}">{title}</path>'

    def _runs(self) -> Iterator[tuple[int, str]]:
        """The same of cells that stand side by side and have the same shade: there are too many to tell each."""
        for row, costs in enumerate(self._costs):
            column = 0
            for shade, run in groupby(self._shade(cost) if cost else None for cost in costs):
                count = len(list(run))
                if shade is not None:
                    yield shade, f'<path d="{self._outline(row, column, count)}"/>'
                column += count

    def _told(self, row: int, column: int, cost: int) -> str:
        order = self._portrait.order
        return f"{order[row]} to {order[column]}: {cost:,} {self._unit}"

    def _outline(self, row: int, column: int, count: int = 1) -> str:
        """The outline of cells side by side."""
        x, y, wide = _LEFT + column * self._cell, _TOP + row * self._cell, count * self._cell
        return f"M{x:.1f} {y:.1f}h{wide:.2f}v{self._cell:.2f}h-{wide:.2f}z"

    def _numbers(self) -> str:
        """Costs in their cells, if these are large enough."""
        if self._cell < _LEAST_FOR_NUMBERS:
            return ""
        shown = []
        for row, costs in enumerate(self._costs):
            for column, cost in enumerate(costs):
                if cost:
                    dark = " on-dark" if self._opacity(self._shade(cost)) > _TURN else ""
                    x, y = _LEFT + (column + 0.5) * self._cell, _TOP + (row + 0.5) * self._cell
                    shown.append(f'<text class="x{dark}" x="{x:.1f}" y="{y + 4:.1f}">{short(cost)}</text>')
        return "".join(shown)

    def _shade(self, cost: int) -> int:
        return max(0, sum(limit <= cost for limit in self._limits) - 1)

    def _opacity(self, shade: int) -> float:
        steps = max(1, len(self._limits) - 1)
        return _LIGHTEST + (_DARKEST - _LIGHTEST) * shade / steps if len(self._limits) > 1 else (_LIGHTEST + _TURN) / 2

    def _legend(self) -> str:
        """What the shades mean, and which way the matrix is read."""
        shown = ['<text x="0" y="11">sender down, receiver across;</text>']
        x = 160
        least = min((cost for row in self._costs for cost in row if cost), default=0)
        for shade, limit in enumerate(self._limits):
            text = f"≥{short(limit)}" if limit <= least or shade else f"<{short(self._limits[1])}"
            shown.append(
                f'<path class="shade" fill-opacity="{self._opacity(shade):.2f}" d="M{x} 1h18v12h-18z"/>'
                f'<text x="{x + 22}" y="11">{text.replace("<", "&lt;")}</text>'
            )
            x += 22 + 7 * len(text) + 10
        shown.append(f'<text x="{x}" y="11">{self._unit}</text>')
        return f'<g class="shades">{"".join(shown)}</g>'

    def _bars(self) -> str:
        """What each part sends in all, as bars at the right of its row."""
        left, cell = self._right + 12, self._cell
        longest = _WIDTH - left - 50
        most = max(1, int(self._portrait.sent.max()))
        high = min(14.0, cell - 4)
        shown = [f'<text x="{left:.1f}" y="{_TOP - 5}">sent in all</text>']
        for row, part in enumerate(self._portrait.order):
            sent, middle = int(self._portrait.sent[part]), _TOP + (row + 0.5) * cell
            long = longest * sent / most
            shown.append(
                f'<path class="sent" d="M{left:.1f} {middle - high / 2:.1f}h{long:.1f}v{high:.1f}h-{long:.1f}z"/>'
                f'<text x="{left + long + 5:.1f}" y="{middle + 4:.1f}">{short(sent)}</text>'
            )
        return "".join(shown)
