"""Moved bytes against volume, as a plot and a table of report.html."""

from collections.abc import Iterator
from html import escape

from partition.quality.figures import BY_NAME
from partition.quality.migration import MigrationCurve
from partition.report.markup import caption, size
from partition.report.plots import MARKERS, legend
from partition.report.scales import Axis, Scale, axis_for, scale_for, tick_text
from partition.report.tables import UNBALANCED

_WIDTH, _HEIGHT = 560, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 16, 26, 40
_RING = "a5 5 0 1 0 10 0a5 5 0 1 0 -10 0"


def migration_section(curve: MigrationCurve, numbers: Iterator[int]) -> str:
    """What stands in the page on the previous map."""
    volume = curve.volume
    scale = scale_for(BY_NAME[volume], [point.figures[volume] for point in curve.points if point.reason is None])
    unit = scale.unit or ("URLs" if volume.startswith("sent") else "links")
    return (
        "<h2>Moved bytes against volume</h2>"
        f"<p>The previous map {escape(curve.previous)} has {curve.k} ranks and holds {curve.known_pages:,} of the "
        f"pages, {size(curve.known_bytes)}.  A page moves if it had an owner there and has another one now.  At a "
        "migration cost X a moved byte of pages counts as much as X bytes of volume (without URLs: X links); at 0 the "
        "ranks only get the numbers that leave most where it was.  The ring is the previous map as it is, with new "
        "pages where its rule for unknown URLs puts them.</p>"
        f"{_knees(curve)}"
        f"{legend(curve.models, limit='')}{_plot(curve, volume, scale, unit)}"
        f'<div class="tables wide" style="max-width: {6 + 14 * len(curve.models)}rem">'
        f"{_table(curve, volume, scale, unit, next(numbers))}</div>"
    )


def _knees(curve: MigrationCurve) -> str:
    """The knees of all curves that have one, a sentence each."""
    found = [(model, knee) for model in curve.models if (knee := curve.knee(model)) is not None]
    if not found:
        return ""
    words = "; ".join(f"by {model}, {knee.in_words}" for model, knee in found)
    return (
        "<p>At the knee of a curve, the point farthest from the line between its ends and named in the plot: "
        f"{escape(words)}.</p>"
    )


def _plot(curve: MigrationCurve, volume: str, scale: Scale, unit: str) -> str:
    """Volume up, moved bytes across; a line for each model through its points in the order of their costs."""
    frame = _Frame(curve, volume, scale)
    shown = [frame.grid()]
    for model in curve.models:
        found = [(cost, point) for cost in curve.costs if (point := curve.point(model, cost)) is not None]
        places = [(cost, *frame.place(point.figures["moved_bytes"], point.figures[volume])) for cost, point in found]
        path = "L".join(f"{x:.1f} {y:.1f}" for _, x, y in places)
        marks = [
            f"<g><title>{model}, X = {cost:g}: {100 * point.figures['moved_bytes']:.2f}% moved, "
            f"{scale.text(point.figures[volume])} {unit}</title>{MARKERS[model].format(x=f'{x:.1f}', y=f'{y:.1f}')}</g>"
            for (cost, x, y), (_, point) in zip(places, found, strict=True)
        ]
        shown.append(f'<g class="series {model}"><path class="line" d="M{path}"/>{"".join(marks)}</g>')
        if (knee := curve.knee(model)) is not None:
            x, y = frame.place(knee.place.moved, knee.place.volume)
            shown.append(f'<text class="tick" x="{x + 7:.1f}" y="{y - 5:.1f}">knee, X = {knee.place.cost:g}</text>')
    x, y = frame.place(0, curve.kept[volume])
    shown.append(f'<g class="series page-hash"><path class="open" d="M{x - 5:.1f} {y:.1f}{_RING}"/></g>')
    title = f"{BY_NAME[volume].title} ({unit}) over moved bytes, K = {curve.k}"
    return (
        f'<div style="max-width: {_WIDTH}px"><svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(title)}"><text class="title" x="0" y="13">{escape(title)}</text>'
        f"{''.join(shown)}</svg></div>"
    )


class _Frame:
    """Places on the canvas of the plot."""

    def __init__(self, curve: MigrationCurve, volume: str, scale: Scale) -> None:
        found = [point.figures for point in curve.points if point.reason is None] + [curve.kept]
        self._scale = scale
        self._up: Axis = axis_for([figures[volume] / scale.divisor for figures in found])
        self._across: Axis = axis_for([0.0, *(100 * figures["moved_bytes"] for figures in found)])

    def place(self, share: float, volume: float) -> tuple[float, float]:
        """Where a point is."""
        return self._x(100 * share), self._y(volume / self._scale.divisor)

    def grid(self) -> str:
        """Axes, ticks and their labels."""
        base = _HEIGHT - _BOTTOM
        lines = []
        for tick in self._up.ticks:
            y = self._y(tick)
            lines.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
            lines.append(f'<text class="tick y" x="{_LEFT - 6}" y="{y + 3.5:.1f}">{tick_text(tick)}</text>')
        lines.append(f'<path class="axis" d="M{_LEFT} {base}H{_WIDTH - _RIGHT}"/>')
        lines += [
            f'<text class="tick x" x="{self._x(tick):.1f}" y="{base + 15}">{tick_text(tick)}</text>'
            for tick in self._across.ticks
        ]
        middle = (_LEFT + _WIDTH - _RIGHT) / 2
        lines.append(f'<text class="tick x" x="{middle}" y="{_HEIGHT - 6}">moved bytes, %</text>')
        return "".join(lines)

    def _x(self, share: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * self._across.place(share)

    def _y(self, volume: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * self._up.place(volume)


def _table(curve: MigrationCurve, volume: str, scale: Scale, unit: str, number: int) -> str:
    rows = [_row("as it is", [_cells(curve, curve.kept, scale)] * len(curve.models))]
    for cost in curve.costs:
        points = [curve.point(model, cost) for model in curve.models]
        rows.append(_row(f"{cost:g}", [_cells(curve, point.figures, scale) if point else _NONE for point in points]))
    head = "".join(f'<th scope="col">{escape(model)}, moved</th><th scope="col">{unit}</th>' for model in curve.models)
    meaning = f"X down; moved bytes in percent, volume in {unit}. {UNBALANCED} is beyond the tolerance."
    told = caption(number, "Moved bytes and volume by migration cost", "", meaning)
    return (
        f'<div class="table"><table><caption>{told}</caption><thead><tr><th scope="col">X</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


_NONE = '<td class="none">&ndash;</td>' * 2


def _row(name: str, cells: list[str]) -> str:
    return f'<tr><th scope="row" style="width: 4.5rem">{name}</th>{"".join(cells)}</tr>'


def _cells(curve: MigrationCurve, figures: dict[str, int | float], scale: Scale) -> str:
    mark = f"<sup>{UNBALANCED}</sup>" if curve.is_beyond(figures) else ""
    return f"<td>{100 * figures['moved_bytes']:.2f}</td><td>{scale.text(figures[curve.volume])}{mark}</td>"
