"""Mending the balance: vertices leave parts that are too heavy for others, at the least cost.

A move counts as mending if it lessens the sum over parts and weights of what is beyond the limit, relative to the
limit.  That lets a vertex go where it does not quite fit when nowhere is better, so it also does what can be done where
the balance cannot be reached: a vertex heavier than a part.
"""

import numpy as np
import numpy.typing as npt

from partition.cut.balance import Balance
from partition.cut.connectivity import NOWHERE, Nets, State, move
from sessions.compiled import compiled

_MOST_PASSES = 8
_LEAST_RELIEF = 1e-14  # less than one byte of a part of terabytes, more than what rounding leaves


def rebalance(nets: Nets, state: State, balance: Balance) -> None:
    """Move vertices until every part is within its limits and none is empty, or no move helps any more."""
    _fill_empty_parts(nets, state)
    scale = 1 / np.maximum(balance.wanted, 1)
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


def _relieve(nets: Nets, state: State, scale: npt.NDArray[np.float64], part: int) -> int:
    """Move vertices out of a part, those first that cost least for what they relieve; how many moved."""
    members = np.flatnonzero(state.parts == part).astype(np.int32)
    losses = _losses(nets, state, scale, members)
    return int(_move_out(nets, state, scale, members[np.argsort(losses, kind="stable")], part))


@compiled
def _losses(
    nets: Nets, state: State, scale: npt.NDArray[np.float64], members: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """What it costs to move each vertex to its best other part, for each unit of relief; infinite if that is none."""
    losses = np.full(len(members), np.inf)
    attraction = np.zeros(len(state.loads), np.int64)
    for index in range(len(members)):
        part, gain, relief = _best_relief(nets, state, scale, attraction, members[index])
        if part != NOWHERE:
            losses[index] = -gain / relief if gain < 0 else -gain * relief
    return losses


@compiled
def _move_out(
    nets: Nets, state: State, scale: npt.NDArray[np.float64], members: npt.NDArray[np.int32], part: int
) -> int:
    attraction = np.zeros(len(state.loads), np.int64)
    moved = 0
    for vertex in members:
        if not _is_overloaded(state, part):
            break
        target, _, _ = _best_relief(nets, state, scale, attraction, vertex)
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
    scale: npt.NDArray[np.float64],
    attraction: npt.NDArray[np.int64],
    vertex: int,
) -> tuple[int, int, float]:
    """The part to move a vertex to, what that gains, and how much it mends.

    Parts that have room come before those that would be overloaded in turn; then the gain decides.
    """
    home = state.parts[vertex]
    if state.sizes[home] == 1:
        return NOWHERE, 0, 0.0
    leaving, all_costs = 0, 0
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        all_costs += nets.costs[net]
        first = state.slot_starts[net]
        for slot in range(first, first + state.spans[net]):
            if state.slot_parts[slot] != home:
                attraction[state.slot_parts[slot]] += nets.costs[net]
            elif state.slot_pins[slot] == 1:
                leaving += nets.costs[net]
    for place in range(nets.anchor_starts[vertex], nets.anchor_starts[vertex + 1]):
        if nets.anchor_parts[place] == home:
            all_costs += nets.anchor_costs[place]
        else:
            attraction[nets.anchor_parts[place]] += nets.anchor_costs[place]
    best, most, mended, has_room = NOWHERE, 0, 0.0, False
    for part in range(len(attraction)):
        gain = leaving - all_costs + attraction[part]
        attraction[part] = 0
        if part == home:
            continue
        relief, fits = _relief(nets, state, scale, vertex, home, part)
        if relief < _LEAST_RELIEF or (has_room and not fits):
            continue
        if best == NOWHERE or (fits and not has_room) or gain > most or (gain == most and relief > mended):
            best, most, mended, has_room = part, gain, relief, fits
    return best, most, mended


@compiled
def _relief(
    nets: Nets, state: State, scale: npt.NDArray[np.float64], vertex: int, home: int, part: int
) -> tuple[float, bool]:
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
