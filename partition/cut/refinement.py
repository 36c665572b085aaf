"""Making a partition better by moving vertices: localised k-way search with roll-back.

After Fiduccia and Mattheyses ("A Linear-Time Heuristic for Improving CurlWeb Partitions", DAC 1982), in the localised
form of Sanders and Schulz ("Engineering Multilevel Graph Partitioning Algorithms", ESA 2011, section 4): a search
starts at a few vertices on the cut, always makes the best move that keeps the balance, even one that loses, spreads to
the vertices whose nets it has changed, and takes back all that came after its best moment.
"""

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.connectivity import (
    NOWHERE,
    Nets,
    Scratch,
    State,
    best_move,
    cost_of,
    cut_vertices,
    move,
    nets_of,
    pins_in,
    scratch_for,
    state_of,
)
from partition.cut.gain_heap import MoveQueue, empty_queue, forget_all, pop, push, top
from partition.cut.rebalancing import rebalance
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

ROUNDS = 4
PATIENCE = 25
"""Moves without a gain after which a search gives up."""

_SEEDS = 25
_LARGEST_NET = 100  # a search does not spread through larger nets: one move changes little in them, and touches many
_MOST_NETS = 1000  # nor does it spread to vertices in more nets: what they would gain takes long to tell
_SMALLEST_GAIN = 0.001


def refined(
    hypergraph: Hypergraph,
    parts: Owners,
    balance: Balance,
    rng: np.random.Generator,
    *,
    rounds: int = ROUNDS,
    patience: int = PATIENCE,
) -> tuple[Owners, int]:
    """A partition that is no worse, and its connectivity.

    First the balance is mended, if it must be and as far as it can be; then vertices move until a round gains less
    than a thousandth, at most ``rounds`` times.
    """
    nets = nets_of(hypergraph)
    state = state_of(nets, parts, balance)
    rebalance(nets, state, balance)
    scratch = scratch_for(balance.parts)
    queue = empty_queue(len(hypergraph))
    cost = int(cost_of(nets, state))
    for _ in range(rounds):
        seeds = rng.permutation(cut_vertices(nets, state))
        gain = int(_round(nets, state, scratch, queue, seeds, patience))
        cost -= gain
        if gain <= _SMALLEST_GAIN * cost:
            break
    return state.parts, cost


@compiled
def _round(
    nets: Nets, state: State, scratch: Scratch, queue: MoveQueue, seeds: npt.NDArray[np.int32], patience: int
) -> int:
    """Search from all seeds, a few at a time; a vertex that was moved stays for the rest of the round."""
    count = len(state.parts)
    is_settled = np.zeros(count, np.bool_)
    visited = np.zeros(count, np.int64)
    moved, came_from = np.empty(count, np.int32), np.empty(count, np.int32)
    gained, moves, seed = 0, 0, 0
    while seed < len(seeds):
        while seed < len(seeds) and queue.length[0] < _SEEDS:
            vertex = seeds[seed]
            seed += 1
            if not is_settled[vertex]:
                _offer(nets, state, scratch, queue, vertex)
        gain, moves = _search(nets, state, scratch, queue, is_settled, visited, moved, came_from, moves, patience)
        gained += gain
    return gained


@compiled
def _search(
    nets: Nets,
    state: State,
    scratch: Scratch,
    queue: MoveQueue,
    is_settled: npt.NDArray[np.bool_],
    visited: Numbers,
    moved: npt.NDArray[np.int32],
    came_from: npt.NDArray[np.int32],
    moves: int,
    patience: int,
) -> tuple[int, int]:
    """Move the best vertex of the queue until nothing has been gained for long, then go back to the best moment."""
    made, kept, gain, best = 0, 0, 0, 0
    while queue.length[0] and made - kept < patience:
        vertex = pop(queue)
        part, move_gain = best_move(nets, state, scratch, vertex)
        if part == NOWHERE:
            continue
        if move_gain < queue.gains[vertex] and queue.length[0] and move_gain < top(queue):
            push(queue, vertex, move_gain)  # what was known of it was out of date: others come first
            continue
        moved[made], came_from[made] = vertex, state.parts[vertex]
        is_settled[vertex] = True
        made += 1
        moves += 1
        move(nets, state, vertex, part)
        gain += move_gain
        if gain > best:
            best, kept = gain, made
        _spread(nets, state, scratch, queue, is_settled, visited, vertex, came_from[made - 1], moves)
    forget_all(queue)
    for index in range(made - 1, kept - 1, -1):
        move(nets, state, moved[index], came_from[index])
        is_settled[moved[index]] = False
    return best, moves


@compiled
def _spread(
    nets: Nets,
    state: State,
    scratch: Scratch,
    queue: MoveQueue,
    is_settled: npt.NDArray[np.bool_],
    visited: Numbers,
    vertex: int,
    home: int,
    moves: int,
) -> None:
    """Offer the vertices for which the move of ``vertex`` has changed what a move of theirs gains."""
    part = state.parts[vertex]
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        if nets.starts[net + 1] - nets.starts[net] > _LARGEST_NET:
            continue
        if pins_in(state, net, home) > 1 and pins_in(state, net, part) > 2:
            continue
        for pin in range(nets.starts[net], nets.starts[net + 1]):
            other = nets.pins[pin]
            degree = nets.vertex_starts[other + 1] - nets.vertex_starts[other]
            if not is_settled[other] and visited[other] != moves and degree <= _MOST_NETS:
                visited[other] = moves
                _offer(nets, state, scratch, queue, other)


@compiled
def _offer(nets: Nets, state: State, scratch: Scratch, queue: MoveQueue, vertex: int) -> None:
    part, gain = best_move(nets, state, scratch, vertex)
    if part != NOWHERE:
        push(queue, vertex, gain)
