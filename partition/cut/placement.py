"""Where vertices that nobody owned go: beside their neighbours, in rounds from what is owned outwards.

A crawler's new pages hang on pages that it knows.  Each goes to the part that pulls it most, the pull of a part being
the cost of the vertex's nets that have a pin there: the greedy rule of streaming partitioning (Stanton and Kliot,
"Streaming Graph Partitioning for Large Distributed Graphs", KDD 2012, section 3) with what is owned already placed.

All that is read are the nets of each new vertex, once or twice, and each net's pins once.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.connectivity import NOWHERE, Nets, Scratch, State, fits, move, nets_of, scratch_for, state_of
from partition.graphs.hypergraph import Hypergraph
from sessions.compiled import compiled


class Front(NamedTuple):
    """What rounds know besides the state.

    Attributes:
        is_reached: bool[m], nets that have been looked through for vertices that wait.
        is_near: bool[v], all False between rounds; ``near``, int32[v], is room for vertices.
    """

    is_reached: npt.NDArray[np.bool_]
    is_near: npt.NDArray[np.bool_]
    near: Owners


def placed(hypergraph: Hypergraph, carried: Owners, is_new: npt.NDArray[np.bool_], balance: Balance) -> Owners:
    """The part of each vertex, int32[v]: ``carried``, int32[v], for all but those that ``is_new``, bool[v].

    A round places the new vertices that have a neighbour that was placed before it, those first that are pulled most,
    each in the part that pulls it most of those with room.  When no vertex is left that has a neighbour somewhere, the
    heaviest of the others goes where ``carried`` says, or if there is no room to the lightest part that has some, and
    rounds begin again from there.  No part is filled beyond its limits, unless no part has room.
    """
    nets, nobody = nets_of(hypergraph), balance.parts
    state = state_of(nets, np.where(is_new, nobody, carried).astype(np.int32), _with_one_more_part(balance))
    scratch, front = scratch_for(nobody + 1), _front_of(nets, len(hypergraph))
    _place_around(nets, state, scratch, front, np.flatnonzero(~is_new).astype(np.int32))
    rest = np.flatnonzero(state.parts == nobody).astype(np.int32)
    shares = (nets.weights[rest] / np.maximum(nets.weights.sum(axis=0), 1)).max(axis=1)
    _place_rest(nets, state, scratch, front, rest[np.argsort(-shares, kind="stable")], carried)
    return state.parts


def _front_of(nets: Nets, vertices: int) -> Front:
    return Front(np.zeros(len(nets.costs), np.bool_), np.zeros(vertices, np.bool_), np.empty(vertices, np.int32))


def _with_one_more_part(balance: Balance) -> Balance:
    """The balance with a part for what waits to be placed: it holds anything."""
    return replace(
        balance,
        shares=np.append(balance.shares, 0.0),
        limits=np.vstack([balance.limits, np.full_like(balance.limits[:1], np.iinfo(np.int64).max)]),
        wanted=np.vstack([balance.wanted, np.zeros_like(balance.wanted[:1])]),
    )


@compiled
def _place_around(nets: Nets, state: State, scratch: Scratch, front: Front, placed: Owners) -> None:
    """Place in rounds what has neighbours among vertices that were just placed; whoever finds no room is left."""
    while len(placed):
        near = _waiting_near(nets, state, front, placed)
        pulls = np.empty(len(near), np.int64)
        for index in range(len(near)):
            pulls[index] = _best_part(nets, state, scratch, near[index])[1]
        near = near[np.argsort(-pulls, kind="mergesort")]
        count = 0
        for vertex in near:
            part = _best_part(nets, state, scratch, vertex)[0]
            if part != NOWHERE:
                move(nets, state, vertex, part)
                near[count] = vertex
                count += 1
        placed = near[:count].copy()


@compiled
def _place_rest(nets: Nets, state: State, scratch: Scratch, front: Front, rest: Owners, carried: Owners) -> None:
    nobody = len(state.loads) - 1
    for vertex in rest:
        if state.parts[vertex] == nobody:
            part = carried[vertex]
            if not fits(nets, state, vertex, part):
                part = _lightest_part(nets, state, vertex)
            move(nets, state, vertex, part)
            _place_around(nets, state, scratch, front, np.full(1, vertex, np.int32))


@compiled
def _waiting_near(nets: Nets, state: State, front: Front, placed: Owners) -> Owners:
    """The vertices that wait in nets that were not reached before and have one of those ``placed``, in order."""
    nobody, count = len(state.loads) - 1, 0
    for vertex in placed:
        for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
            net = nets.nets[place]
            if front.is_reached[net]:
                continue
            front.is_reached[net] = True
            for pin_place in range(nets.starts[net], nets.starts[net + 1]):
                pin = nets.pins[pin_place]
                if state.parts[pin] == nobody and not front.is_near[pin]:
                    front.is_near[pin] = True
                    front.near[count] = pin
                    count += 1
    near = np.sort(front.near[:count])
    front.is_near[near] = False
    return near


@compiled
def _best_part(nets: Nets, state: State, scratch: Scratch, vertex: int) -> tuple[int, int]:
    """The part with room that pulls the vertex most, of equals the lightest, and how much; `NOWHERE` if none."""
    nobody, count = len(state.loads) - 1, 0
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        first = state.slot_starts[net]
        for slot in range(first, first + state.spans[net]):
            part = state.slot_parts[slot]
            if part != nobody:
                if scratch.attraction[part] == 0:
                    scratch.near[count] = part
                    count += 1
                scratch.attraction[part] += nets.costs[net]
    best, most = NOWHERE, 0
    for index in range(count):
        part = scratch.near[index]
        pull = scratch.attraction[part]
        scratch.attraction[part] = 0
        is_better = pull > most or (pull == most and best != NOWHERE and _is_lighter(state, part, best))
        if is_better and fits(nets, state, vertex, part):
            best, most = part, pull
    return best, most


@compiled
def _is_lighter(state: State, part: int, other: int) -> bool:
    """Is the first part less loaded than the other?  Of parts with the same load the lower number is the lighter."""
    return bool((_fullness(state, part), part) < (_fullness(state, other), other))


@compiled
def _fullness(state: State, part: int) -> float:
    """How much of what it may hold a part holds, of the weight of which that is most."""
    most = 0.0
    for weight in range(state.limits.shape[1]):
        most = max(most, state.loads[part, weight] / max(state.limits[part, weight], 1))
    return most


@compiled
def _lightest_part(nets: Nets, state: State, vertex: int) -> int:
    """The least full part that has room for the vertex; if none has, the least full of all."""
    best, best_fits = 0, False
    for part in range(len(state.loads) - 1):
        has_room = fits(nets, state, vertex, part)
        if part == 0 or has_room > best_fits or (has_room == best_fits and _is_lighter(state, part, best)):
            best, best_fits = part, has_room
    return best
