"""Mending the balance: vertices leave parts that are too heavy for others, at the least cost.

A move counts as mending if it lessens the sum over parts and weights of what is beyond the limit, relative to what
should be there.  That lets a vertex go where it does not quite fit when nowhere is better, so it also does what can be
done where the balance cannot be reached: a vertex heavier than a part.  Where no single move mends any more, vertices
are swapped (`swaps`).
"""

import numpy as np
import numpy.typing as npt

from partition.cut.balance import Balance
from partition.cut.connectivity import NOWHERE, Nets, State, gains_everywhere, move
from partition.cut.swaps import LEAST_RELIEF, Floats, swap_overload
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

MOST_SWAPPINGS = 8
"""How often vertices are swapped and then moved again."""

_MOST_PASSES = 8
_WORK_OF_SWAPS = 200  # for each pin and each vertex
_WORK_OF_ANY = 100_000


def rebalance(nets: Nets, state: State, balance: Balance) -> None:
    """Move vertices until every part is within its limits and none is empty, or neither moves nor swaps help."""
    _fill_empty_parts(nets, state)
    scale = 1 / np.maximum(balance.wanted, 1)
    work, most_work = np.zeros(1, np.int64), _WORK_OF_SWAPS * (len(nets.pins) + len(state.parts)) + _WORK_OF_ANY
    _relieve_all(nets, state, scale)
    for _ in range(MOST_SWAPPINGS):
        if not swap_overload(nets, state, scale, work, most_work):
            return
        _relieve_all(nets, state, scale)


def _relieve_all(nets: Nets, state: State, scale: Floats) -> None:
    """Move vertices out of overloaded parts until there are none, or no move helps."""
    for _ in range(_MOST_PASSES):
        overloaded = np.flatnonzero((state.loads > state.limits).any(axis=1))
        if not len(overloaded):
            return
        if not sum(_relieve(nets, state, scale, int(part)) for part in overloaded):
            return


def _fill_empty_parts(nets: Nets, state: State) -> None:
    """Give each empty part the lightest vertex of the part that has most."""
    for part in np.flatnonzero(state.sizes == 0).tolist():
        members = np.flatnonzero(state.parts == np.argmax(state.sizes))
        if len(members) < 2:
            return
        move(nets, state, int(members[np.argmin(nets.weights[members].sum(axis=1))]), part)


def _relieve(nets: Nets, state: State, scale: Floats, part: int) -> int:
    """Move vertices out of a part, those first that cost least for what they relieve; how many moved."""
    members = np.flatnonzero(state.parts == part).astype(np.int32)
    losses = _losses(nets, state, scale, members)
    return int(_move_out(nets, state, scale, members[np.argsort(losses, kind="stable")], part))


@compiled
def _losses(nets: Nets, state: State, scale: Floats, members: npt.NDArray[np.int32]) -> Floats:
    """What it costs to move each vertex to its best other part, for each unit of relief; infinite if that is none."""
    losses = np.full(len(members), np.inf)
    gains = np.zeros(len(state.loads), np.int64)
    for index in range(len(members)):
        part, gain, relief = _best_relief(nets, state, scale, gains, members[index])
        if part != NOWHERE:
            losses[index] = -gain / relief if gain < 0 else -gain * relief
    return losses


@compiled
def _move_out(nets: Nets, state: State, scale: Floats, members: npt.NDArray[np.int32], part: int) -> int:
    gains = np.zeros(len(state.loads), np.int64)
    moved = 0
    for vertex in members:
        if not _is_overloaded(state, part):
            break
        target, _, _ = _best_relief(nets, state, scale, gains, vertex)
        if target != NOWHERE:
            move(nets, state, vertex, target)
            moved += 1
    return moved


@compiled
def _is_overloaded(state: State, part: int) -> bool:
    for weight in range(state.limits.shape[1]):  # noqa: SIM110 - a generator would not be compiled
        if state.loads[part, weight] > state.limits[part, weight]:
            return True
    return False


@compiled
def _best_relief(
    nets: Nets,
    state: State,
    scale: Floats,
    gains: Numbers,
    vertex: int,
) -> tuple[int, int, float]:
    """The part to move a vertex to, what that gains, and how much it mends.

    Parts that have room come before those that would be overloaded in turn; then the gain decides.
    """
    home = state.parts[vertex]
    if state.sizes[home] == 1:
        return NOWHERE, 0, 0.0
    gains_everywhere(nets, state, vertex, gains)
    best, most, mended, has_room = NOWHERE, 0, 0.0, False
    for part in range(len(gains)):
        gain = gains[part]
        if part == home:
            continue
        relief, fits = _relief(nets, state, scale, vertex, home, part)
        if relief < LEAST_RELIEF or (has_room and not fits):
            continue
        if best == NOWHERE or (fits and not has_room) or gain > most or (gain == most and relief > mended):
            best, most, mended, has_room = part, gain, relief, fits
    return best, most, mended


@compiled
def _relief(nets: Nets, state: State, scale: Floats, vertex: int, home: int, part: int) -> tuple[float, bool]:
    """By how much a move lessens what is beyond the limits, and whether the new part stays within them."""
    relief, fits = 0.0, True
    for weight in range(state.limits.shape[1]):
        moved = nets.weights[vertex, weight]
        over = state.loads[home, weight] - state.limits[home, weight]
        relief += (max(over, 0) - max(over - moved, 0)) * scale[home, weight]
        over = state.loads[part, weight] + moved - state.limits[part, weight]
        if over > 0:
            fits = False
            relief -= (over - max(over - moved, 0)) * scale[part, weight]
    return relief, fits
