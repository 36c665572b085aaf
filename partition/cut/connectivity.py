"""Which parts the pins of each net lie in, kept up to date while vertices move: the state of a refinement.

The cost of a partition is its connectivity: over all nets, (parts that its pins lie in - 1) x cost.  Moving a vertex
from part a to part b gains a net's cost if it was the net's last pin in a, and loses it if it is the first in b.
A dense table of nets by parts would not fit into memory for large K, and nearly all of it would be zero; each net
has a short list of (part, pins) instead, as long as the number of parts that it can be in.

An anchor is a net of two pins of which one is a vertex and the other lies in a part for good, as the migration nets of
Catalyurek et al. ("Hypergraph-based Dynamic Load Balancing for Adaptive Scientific Computations", IPDPS 2007) do.  The
fixed pins are not vertices here: they would have nets without end.

The functions here are compiled; they take and change `State` in place.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.graphs.group_sums import summed
from partition.graphs.hypergraph import Hypergraph, Pins
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled
from sessions.hash_arrays import are_first

NOWHERE = -1

READ, MOVED, QUEUED = 0, 1, 2
"""What is counted of a refinement's work (`no_work`): entries of nets read, moves, pushes to queues and pops."""


class Nets(NamedTuple):
    """A `Hypergraph`'s arrays, as compiled functions take them."""

    starts: Numbers
    pins: Pins
    vertex_starts: Numbers
    nets: Pins
    costs: Numbers
    weights: Numbers
    anchor_starts: Numbers
    anchor_parts: Pins
    anchor_costs: Numbers


class State(NamedTuple):
    """A partition and what follows from it.

    Attributes:
        parts: int32[v].
        loads: int64[k, w], what each part weighs.
        limits: int64[k, w], what it may weigh.
        sizes: int64[k], vertices in each part.
        slot_starts: int64[m + 1]; net e may use the slots from ``slot_starts[e]``.
        spans: int32[m], how many parts each net lies in: so many of its slots are in use.
        slot_parts: int32, the part of a slot.
        slot_pins: int32, how many of the net's pins lie in that part.
    """

    parts: Owners
    loads: Numbers
    limits: Numbers
    sizes: Numbers
    slot_starts: Numbers
    spans: Pins
    slot_parts: Pins
    slot_pins: Pins


class Scratch(NamedTuple):
    """Room for `best_move`: ``attraction`` int64[k], all zero between calls, and ``near`` int64[k]."""

    attraction: Numbers
    near: Numbers


def nets_of(hypergraph: Hypergraph) -> Nets:
    """The arrays of a hypergraph."""
    return Nets(
        hypergraph.starts,
        hypergraph.pins,
        hypergraph.vertex_starts,
        hypergraph.nets,
        hypergraph.costs,
        hypergraph.weights,
        hypergraph.anchors.indptr.astype(np.int64),
        hypergraph.anchors.indices.astype(np.int32),
        hypergraph.anchors.data.astype(np.int64),
    )


def state_of(nets: Nets, parts: Owners, balance: Balance, sizes: Numbers | None = None) -> State:
    """The state of a partition; ``parts`` is copied.

    ``sizes``, int64[m], are how many pins there will be to count of each net, if some of them are elsewhere.
    """
    parts = parts.astype(np.int32)
    sizes = np.diff(nets.starts) if sizes is None else sizes
    slot_starts = np.concatenate(([0], np.cumsum(np.minimum(sizes, balance.parts)))).astype(np.int64)
    state = State(
        parts,
        summed(nets.weights, parts, balance.parts),
        balance.limits,
        np.bincount(parts, minlength=balance.parts).astype(np.int64),
        slot_starts,
        np.zeros(len(nets.costs), np.int32),
        np.zeros(slot_starts[-1], np.int32),
        np.zeros(slot_starts[-1], np.int32),
    )
    _count_pins(nets, state)
    return state


def scratch_for(k: int) -> Scratch:
    """Room for k parts."""
    return Scratch(np.zeros(k, np.int64), np.zeros(k, np.int64))


def no_work() -> Numbers:
    """The counts of a refinement that has done nothing yet, int64[3]: `READ`, `MOVED`, `QUEUED`."""
    return np.zeros(3, np.int64)


def connectivity(hypergraph: Hypergraph, parts: Owners, k: int) -> int:
    """The cost of a partition: sum over nets of (parts that the net's pins lie in - 1) x cost."""
    owner = np.repeat(np.arange(len(hypergraph.costs), dtype=np.int64), np.diff(hypergraph.starts))
    pairs = np.sort(owner * k + parts[hypergraph.pins])
    spans = np.bincount(pairs[are_first(pairs)] // k, minlength=len(hypergraph.costs)).astype(np.int64)
    return int(((spans - 1) * hypergraph.costs).sum())


@compiled
def cost_of(nets: Nets, state: State) -> int:
    """The cost of the state's partition, that of vertices away from their anchors included."""
    cost = 0
    for net in range(len(nets.costs)):
        cost += (state.spans[net] - 1) * nets.costs[net]
    for vertex in range(len(state.parts)):
        for place in range(nets.anchor_starts[vertex], nets.anchor_starts[vertex + 1]):
            if nets.anchor_parts[place] != state.parts[vertex]:
                cost += nets.anchor_costs[place]
    return cost


@compiled
def fits(nets: Nets, state: State, vertex: int, part: int) -> bool:
    """May the vertex be added to the part?"""
    for weight in range(nets.weights.shape[1]):
        if state.loads[part, weight] + nets.weights[vertex, weight] > state.limits[part, weight]:
            return False
    return True


@compiled
def best_move(nets: Nets, state: State, scratch: Scratch, vertex: int) -> tuple[int, int]:
    """The part that the vertex had best move to, and what that gains (may be negative); `NOWHERE` if it must stay.

    Only parts that the vertex shares a net with, or has an anchor in, and that have room come into question; of equals
    the lightest.  The last vertex of a part stays, for no part may be empty.
    """
    home = state.parts[vertex]
    if state.sizes[home] == 1:
        return NOWHERE, 0
    leaving, all_costs, count = 0, 0, 0
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        cost = nets.costs[net]
        all_costs += cost
        first = state.slot_starts[net]
        for slot in range(first, first + state.spans[net]):
            part = state.slot_parts[slot]
            if part != home:
                if scratch.attraction[part] == 0:
                    scratch.near[count] = part
                    count += 1
                scratch.attraction[part] += cost
            elif state.slot_pins[slot] == 1:
                leaving += cost
    for place in range(nets.anchor_starts[vertex], nets.anchor_starts[vertex + 1]):
        part, cost = nets.anchor_parts[place], nets.anchor_costs[place]
        if part == home:
            all_costs += cost
        else:
            if scratch.attraction[part] == 0:
                scratch.near[count] = part
                count += 1
            scratch.attraction[part] += cost
    best, most = NOWHERE, 0
    for index in range(count):
        part = scratch.near[index]
        gain = leaving - all_costs + scratch.attraction[part]
        scratch.attraction[part] = 0
        is_better = best == NOWHERE or gain > most or (gain == most and state.loads[part, 0] < state.loads[best, 0])
        if is_better and fits(nets, state, vertex, part):
            best, most = part, gain
    return best, most


@compiled
def gains_everywhere(nets: Nets, state: State, vertex: int, gains: Numbers) -> int:
    """Set ``gains``, int64[k], to what the vertex gains in each part (may be negative); how many entries were read.

    In its own part that means nothing.
    """
    home = state.parts[vertex]
    gains[:] = 0
    leaving, all_costs, read = 0, 0, 0
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        all_costs += nets.costs[net]
        first = state.slot_starts[net]
        read += state.spans[net]
        for slot in range(first, first + state.spans[net]):
            if state.slot_parts[slot] != home:
                gains[state.slot_parts[slot]] += nets.costs[net]
            elif state.slot_pins[slot] == 1:
                leaving += nets.costs[net]
    for place in range(nets.anchor_starts[vertex], nets.anchor_starts[vertex + 1]):
        if nets.anchor_parts[place] == home:
            all_costs += nets.anchor_costs[place]
        else:
            gains[nets.anchor_parts[place]] += nets.anchor_costs[place]
    gains += leaving - all_costs
    return read


@compiled
def gain_of(nets: Nets, state: State, vertex: int, part: int) -> tuple[int, int]:
    """What the vertex gains in another part than its own (may be negative), and how many entries were read."""
    home, gain, read = state.parts[vertex], 0, 0
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        read += state.spans[net]
        if pins_in(state, net, home) == 1:
            gain += nets.costs[net]
        if pins_in(state, net, part) == 0:
            gain -= nets.costs[net]
    for place in range(nets.anchor_starts[vertex], nets.anchor_starts[vertex + 1]):
        if nets.anchor_parts[place] == home:
            gain -= nets.anchor_costs[place]
        elif nets.anchor_parts[place] == part:
            gain += nets.anchor_costs[place]
    return gain, read


@compiled
def move(nets: Nets, state: State, vertex: int, part: int) -> int:
    """Move a vertex to another part; what that has gained (may be negative)."""
    home, gain = state.parts[vertex], 0
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        span = state.spans[net]
        _move_pin(state, net, home, part)
        gain += (span - state.spans[net]) * nets.costs[net]
    for place in range(nets.anchor_starts[vertex], nets.anchor_starts[vertex + 1]):
        if nets.anchor_parts[place] == home:
            gain -= nets.anchor_costs[place]
        elif nets.anchor_parts[place] == part:
            gain += nets.anchor_costs[place]
    state.parts[vertex] = part
    state.sizes[home] -= 1
    state.sizes[part] += 1
    for weight in range(nets.weights.shape[1]):
        state.loads[home, weight] -= nets.weights[vertex, weight]
        state.loads[part, weight] += nets.weights[vertex, weight]
    return gain


@compiled
def pins_in(state: State, net: int, part: int) -> int:
    """How many of the net's pins lie in the part."""
    first = state.slot_starts[net]
    for slot in range(first, first + state.spans[net]):
        if state.slot_parts[slot] == part:
            return int(state.slot_pins[slot])
    return 0


@compiled
def cut_vertices(nets: Nets, state: State) -> npt.NDArray[np.int32]:
    """The vertices that have a net in more than one part, or an anchor in another than their own, in order."""
    is_cut = np.zeros(len(state.parts), np.bool_)
    for net in range(len(nets.costs)):
        if state.spans[net] > 1:
            for place in range(nets.starts[net], nets.starts[net + 1]):
                is_cut[nets.pins[place]] = True
    for vertex in range(len(is_cut)):
        for place in range(nets.anchor_starts[vertex], nets.anchor_starts[vertex + 1]):
            if nets.anchor_parts[place] != state.parts[vertex]:
                is_cut[vertex] = True
    return np.flatnonzero(is_cut).astype(np.int32)


@compiled
def _move_pin(state: State, net: int, home: int, part: int) -> None:
    first = state.slot_starts[net]
    last = first + state.spans[net] - 1
    slot_of_home, slot_of_part = -1, -1
    for slot in range(first, last + 1):
        if state.slot_parts[slot] == home:
            slot_of_home = slot
        elif state.slot_parts[slot] == part:
            slot_of_part = slot
    state.slot_pins[slot_of_home] -= 1
    if slot_of_part >= 0:
        state.slot_pins[slot_of_part] += 1
        if state.slot_pins[slot_of_home] == 0:
            state.slot_parts[slot_of_home] = state.slot_parts[last]
            state.slot_pins[slot_of_home] = state.slot_pins[last]
            state.spans[net] -= 1
    else:
        # A part that is left makes room for the one that is entered, so a net never needs more slots than it has.
        new = slot_of_home if state.slot_pins[slot_of_home] == 0 else last + 1
        state.spans[net] += new - last if new > last else 0
        state.slot_parts[new] = part
        state.slot_pins[new] = 1


@compiled
def _count_pins(nets: Nets, state: State) -> None:
    for net in range(len(nets.costs)):
        first = state.slot_starts[net]
        for place in range(nets.starts[net], nets.starts[net + 1]):
            part = state.parts[nets.pins[place]]
            slot = first
            while slot < first + state.spans[net] and state.slot_parts[slot] != part:
                slot += 1
            if slot == first + state.spans[net]:
                state.spans[net] += 1
                state.slot_parts[slot] = part
            state.slot_pins[slot] += 1
