"""The figure that a foresight begins with: imbalance against bytes on the wire, from the prediction to what came."""

from collections.abc import Callable
from html import escape
from math import hypot

from crawler.replay.foresight.answer import WIRE, best_of_models, told
from crawler.replay.foresight.foresight import Foresight
from crawler.replay.foresight.request import Candidate
from crawler.replay.foresight.view import View
from partition.report.plots import MARKERS, legend, logarithmic_mark
from partition.report.scales import Axis, axis_for, tick_text

_WIDTH, _HEIGHT = 680, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 12, 40
_TITLE = "Larger imbalance, of bytes or pages, against bytes on the wire a page"
_HEAD, _HALF_HEAD, _MARKER = 8.0, 3.2, 5.0
Point = tuple[float, float]


def arrows_as_html(foresight: Foresight, view: View) -> str:
    """The figure of the last session at the largest K; "" without a later session."""
    last = len(foresight.sessions) - 1
    shown = best_of_models(view, last)
    if not last or not shown:
        return ""
    looks = {candidate.way: candidate.model for candidate in shown}
    return (
        f'<p class="notes">{_TITLE}: from what was predicted (dot) to what came; left and low is better</p>'
        f"{legend(list(looks), looks, 'tolerance')}{_as_svg(view, shown, last)}"
    )


def _as_svg(view: View, shown: list[Candidate], session: int) -> str:
    ends = {
        candidate: [
            (float(view.known(WIRE, candidate, number)), 100 * view.imbalance(candidate, number))
            for number in (0, session)
        ]
        for candidate in shown
    }
    points = [point for pair in ends.values() for point in pair]
    across, up = axis_for([wire for wire, _ in points]), axis_for([*(y for _, y in points), 100 * view.tolerance])

    def place(point: Point) -> Point:
        x = _LEFT + 8 + (_WIDTH - _LEFT - _RIGHT - 16) * across.place(point[0])
        return x, _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * up.place(point[1])

    drawn = [_grid(across, up, place)]
    _, limit = place((across.ticks[0], 100 * view.tolerance))
    drawn.append(f'<path class="limit" d="M{_LEFT} {limit:.1f}H{_WIDTH - _RIGHT}"/>')
    drawn += [_arrow(view, candidate, place(was), place(now), session) for candidate, (was, now) in ends.items()]
    return (
        f'<svg class="plot arrows" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{_TITLE}">'
        f"{''.join(drawn)}</svg>"
    )


def _grid(across: Axis, up: Axis, place: Callable[[Point], Point]) -> str:
    base, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    lines = []
    for tick in up.ticks:
        _, y = place((across.ticks[0], tick))
        lines.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>')
        lines.append(f'<text class="tick y" x="{_LEFT - 6}" y="{y + 3.5:.1f}">{tick_text(tick)}</text>')
    for tick in across.ticks:
        x, _ = place((tick, up.ticks[0]))
        lines.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{base}"/>')
        lines.append(f'<text class="tick x" x="{x:.1f}" y="{base + 15}">{tick_text(tick)}</text>')
    lines.append(f'<path class="axis" d="M{_LEFT} {base}H{right}"/>')
    middle = (_TOP + base) / 2
    lines.append(
        f'<text class="tick x" x="{(_LEFT + right) / 2}" y="{_HEIGHT - 6}">bytes on the wire a page</text>'
        f'<text class="tick x" transform="translate(12 {middle}) rotate(-90)">larger imbalance, %</text>'
    )
    return "".join(lines) + logarithmic_mark(up, right, _TOP)


def _arrow(view: View, candidate: Candidate, was: Point, now: Point, session: int) -> str:
    """An arrow from the prediction, a dot, to the model's marker where it came to."""
    length = hypot(now[0] - was[0], now[1] - was[1])
    title = escape(f"{candidate.way}: {told(view, candidate, session)}")
    marker = MARKERS[candidate.model].format(x=f"{now[0]:.1f}", y=f"{now[1]:.1f}")
    shaft = ""
    if length > _HEAD + _MARKER:
        along = ((now[0] - was[0]) / length, (now[1] - was[1]) / length)
        tip, neck = (_back(now, along, by) for by in (_MARKER, _MARKER + _HEAD))
        sides = [(neck[0] + side * along[1], neck[1] - side * along[0]) for side in (_HALF_HEAD, -_HALF_HEAD)]
        head = "L".join(f"{x:.1f} {y:.1f}" for x, y in (tip, *sides))
        shaft = (
            f'<path class="line" d="M{was[0]:.1f} {was[1]:.1f}L{neck[0]:.1f} {neck[1]:.1f}"/><path d="M{head}z"/>'
            f'<circle cx="{was[0]:.1f}" cy="{was[1]:.1f}" r="2.6"/>'
        )
    return f'<g class="series {candidate.model}"><title>{title}</title>{shaft}{marker}</g>'


def _back(point: Point, along: Point, by: float) -> Point:
    return point[0] - by * along[0], point[1] - by * along[1]
