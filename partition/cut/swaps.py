"""Swapping vertices where moving one of them does not help: the balance of several weights.

A part may be too heavy in one weight while every part that has room for it is full in another.  Then a vertex of the
first changes places with one that weighs less of what is too much there and about as much of all else.  Partners are
looked for among the vertices that come next to it in the order of all else, and among some at random, so that the work
is linear in the members of the part.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.cut.connectivity import Nets, State, gain_of, gains_everywhere, move
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

Floats = npt.NDArray[np.float64]

LEAST_RELIEF = 1e-14
"""What counts as less overload: less than a byte of a part of terabytes, more than what rounding leaves."""

_NEAR, _ANYWHERE = 32, 32
_NOBODY = -1


class Partners(NamedTuple):
    """All vertices by what they weigh, one weight left out.

    Attributes:
        order: int64[v], the vertices by ``keys``; of equals those first that are light in the weight left out.
        keys: float64[v], the sum of all other weights of each vertex, as shares of the whole.
    """

    order: Numbers
    keys: Floats


def partners_but_for(weights: Numbers, weight: int) -> Partners:
    """Those of a part that has too much of one weight; ``weights`` are int64[v, w]."""
    shares = weights / np.maximum(weights.sum(axis=0), 1)
    shares[:, weight] = 0
    keys = shares.sum(axis=1)
    return Partners(np.lexsort((weights[:, weight], keys)), keys)


def swap_overload(nets: Nets, state: State, scale: Floats, work: Numbers, most_work: int) -> int:
    """Swap vertices of overloaded parts, those first that lose least for what they relieve; how many were swapped.

    Every swap lessens the sum over parts and weights of what is beyond the limit, times ``scale``, float64[k, w].
    Stops when ``work``, int64[1], partners looked at and entries of nets that were read, has come to ``most_work``.
    """
    swapped = 0
    partners: dict[int, Partners] = {}
    for part in np.flatnonzero((state.loads > state.limits).any(axis=1)).tolist():
        weight = int(np.argmax((state.loads[part] - state.limits[part]) * scale[part]))
        if weight not in partners:
            partners[weight] = partners_but_for(nets.weights, weight)
        members = np.flatnonzero((state.parts == part) & (nets.weights[:, weight] > 0))
        losses = _losses(nets, state, scale, partners[weight], members, work, most_work)
        promising = members[np.argsort(losses, kind="stable")[: np.count_nonzero(losses < np.inf)]]
        swapped += int(_swap_out(nets, state, scale, partners[weight], promising, part, work, most_work))
    return swapped


@compiled
def _losses(
    nets: Nets, state: State, scale: Floats, partners: Partners, members: Numbers, work: Numbers, most_work: int
) -> Floats:
    """What it costs to swap each vertex for its best partner, for each unit of relief; infinite if it has none."""
    losses = np.full(len(members), np.inf)
    gains = np.zeros(len(state.loads), np.int64)
    for index in range(len(members)):
        if work[0] >= most_work:
            break
        _, losses[index] = _best_partner(nets, state, scale, partners, gains, members[index], work)
    return losses


@compiled
def _swap_out(
    nets: Nets,
    state: State,
    scale: Floats,
    partners: Partners,
    members: Numbers,
    part: int,
    work: Numbers,
    most_work: int,
) -> int:
    gains = np.zeros(len(state.loads), np.int64)
    swapped = 0
    for vertex in members:
        if work[0] >= most_work or not (state.loads[part] > state.limits[part]).any():
            break
        other, _ = _best_partner(nets, state, scale, partners, gains, vertex, work)
        if other != _NOBODY:
            there = state.parts[other]
            move(nets, state, vertex, there)
            move(nets, state, other, part)
            swapped += 1
    return swapped


@compiled
def _best_partner(
    nets: Nets, state: State, scale: Floats, partners: Partners, gains: Numbers, vertex: int, work: Numbers
) -> tuple[int, float]:
    """The vertex that had best change places with this one, and the loss for each unit of relief.

    Nets that both are in count as if only one of the two moved.
    """
    home = state.parts[vertex]
    work[0] += gains_everywhere(nets, state, vertex, gains) + _NEAR + _ANYWHERE
    best, least = _NOBODY, np.inf
    count = len(partners.order)
    first = _place(partners, partners.keys[vertex]) - _NEAR // 4
    chance = np.uint64(vertex + 1)
    for index in range(_NEAR + _ANYWHERE):
        if index < _NEAR:
            place = first + index
            if place < 0 or place >= count:
                continue
        else:
            chance = chance * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            place = int(np.int64((chance >> np.uint64(33)) % np.uint64(count)))
        other = partners.order[place]
        if state.parts[other] == home:
            continue
        relief = _relief(nets, state, scale, vertex, other)
        if relief < LEAST_RELIEF:
            continue
        gain, read = gain_of(nets, state, other, home)
        work[0] += read
        gain += gains[state.parts[other]]
        loss = -gain / relief if gain < 0 else -gain * relief
        if loss < least:
            best, least = other, loss
    return best, least


@compiled
def _place(partners: Partners, key: float) -> int:
    """The first place in the order whose key is not less."""
    low, high = 0, len(partners.order)
    while low < high:
        middle = (low + high) // 2
        if partners.keys[partners.order[middle]] < key:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _relief(nets: Nets, state: State, scale: Floats, vertex: int, other: int) -> float:
    """By how much a swap lessens what is beyond the limits."""
    home, there, relief = state.parts[vertex], state.parts[other], 0.0
    for weight in range(state.limits.shape[1]):
        moved = nets.weights[vertex, weight] - nets.weights[other, weight]
        over = state.loads[home, weight] - state.limits[home, weight]
        relief += (max(over, 0) - max(over - moved, 0)) * scale[home, weight]
        over = state.loads[there, weight] - state.limits[there, weight]
        relief += (max(over, 0) - max(over + moved, 0)) * scale[there, weight]
    return relief
