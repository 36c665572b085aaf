"""Moving vertices in the order of gain, at a loss too, and taking back what did not pay: localised k-way search.

After Fiduccia and Mattheyses ("A Linear-Time Heuristic for Improving Network Partitions", DAC 1982), in the localised
form of Sanders and Schulz ("Engineering Multilevel Graph Partitioning Algorithms", ESA 2011, section 4): a search
starts at a few vertices on the cut, always makes the best move that keeps the balance, even one that loses, spreads to
the vertices whose nets it has changed, and takes back all that came after its best moment.

A vertex whose best move would lose much of what holds it is no start: on webs where nearly every page has a link
across the cut most starts are such, and hardly any search from them pays.

One thread searches.  What draws the vertices at which it is about to start (`pulls`) all threads find out together.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.connectivity import MOVED, NOWHERE, QUEUED, READ, Nets, State, fits, move, pins_in
from partition.cut.crew import ALONE, Crew
from partition.cut.gain_heap import MoveQueue, empty_queue, forget_all, is_queued, pop, push, top
from partition.cut.pulls import (
    LARGEST_NET,
    Pulls,
    add_pull,
    best_known_move,
    forget_pulls,
    no_pulls,
    pull_of,
    remember_pulls,
)
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

PATIENCE = 25
"""SearchMoves without a gain after which a search gives up."""

FEWEST = 2048
"""Seeds that threads look at before searches start from them."""

_SEEDS = 25
_FEWEST_SEEDS = 1000  # that must have been tried before a round is given up
_LARGEST_LOSS = 0.5  # of the pull of a vertex's own part, for a vertex at which a search starts
_MOST_NETS = 1000  # a search does not spread to vertices in more nets: what they would gain takes long to tell


class SearchMoves(NamedTuple):
    """The moves of a round.

    Attributes:
        is_settled: bool[v], which vertices stay for the rest of the round, since they were moved.
        moved: int32[v], the vertices that a search has moved, one after the other.
        came_from: int32[v], the parts where they were before.
    """

    is_settled: npt.NDArray[np.bool_]
    moved: Owners
    came_from: Owners


class LocalSearch:
    """Rounds of searches on one hypergraph; the pulls are remembered from round to round."""

    def __init__(self, nets: Nets, state: State, patience: int) -> None:
        count = len(state.parts)
        self._nets, self._state, self._patience = nets, state, patience
        self._pulls = no_pulls(nets, count, len(state.loads))
        self._queue = empty_queue(count)

    def round(
        self, seeds: npt.NDArray[np.int32], least_gain: float, work: Numbers, most_work: int, crew: Crew = ALONE
    ) -> int:
        """Search from the seeds, int32, in the order given; the gain.

        A round ends early where it is not going to gain ``least_gain`` (told once a tenth of the seeds has been tried,
        which must be in random order), or the entries of nets read, as ``work`` (`no_work`) counts them, reach
        ``most_work``.
        """
        parts = (self._nets, self._state, self._pulls, self._queue)
        count = len(self._state.parts)
        moves = SearchMoves(np.zeros(count, np.bool_), np.empty(count, np.int32), np.empty(count, np.int32))
        gained = 0
        for first in range(0, len(seeds), FEWEST):
            if work[READ] >= most_work:
                break
            end = min(len(seeds), first + FEWEST)
            stretch = seeds[first:end]
            remember_pulls(*parts[:3], work, stretch[~moves.is_settled[stretch]], crew)
            gained, seed = _searched(
                *parts, moves, seeds, first, end, gained, self._patience, least_gain, work, most_work
            )
            if seed < end:
                break
        return int(gained)


@compiled
def _searched(
    nets: Nets,
    state: State,
    pulls: Pulls,
    queue: MoveQueue,
    moves: SearchMoves,
    seeds: npt.NDArray[np.int32],
    first: int,
    end: int,
    gained: int,
    patience: int,
    least_gain: float,
    work: Numbers,
    most_work: int,
) -> tuple[int, int]:
    """Search from the seeds from ``first`` to ``end``, a few at a time, as long as there is hope.

    What the round has ``gained`` by then, and at which seed it ended.
    """
    seed, sample = first, max(_FEWEST_SEEDS, len(seeds) // 10)
    while seed < end and work[READ] < most_work:
        if seed >= sample and gained * len(seeds) < least_gain * seed:
            break
        until = min(end, seed + _FEWEST_SEEDS)
        while seed < until and queue.length[0] < _SEEDS:
            vertex = seeds[seed]
            seed += 1
            if not moves.is_settled[vertex]:
                part, gain = best_known_move(nets, state, pulls, work, vertex)
                if part != NOWHERE and gain >= -_LARGEST_LOSS * pull_of(pulls, vertex, state.parts[vertex]):
                    push(queue, vertex, gain)
                    work[QUEUED] += 1
        gained += _search(nets, state, pulls, queue, moves, patience, work, most_work)
    return gained, seed


@compiled
def _search(
    nets: Nets,
    state: State,
    pulls: Pulls,
    queue: MoveQueue,
    moves: SearchMoves,
    patience: int,
    work: Numbers,
    most_work: int,
) -> int:
    """Move the best vertex of the queue until nothing has been gained for long, then go back to the best moment."""
    made, kept, gain, best = 0, 0, 0, 0
    while queue.length[0] and made - kept < patience and work[READ] < most_work:
        vertex = pop(queue)
        work[QUEUED] += 1
        part, expected = best_known_move(nets, state, pulls, work, vertex)
        if part == NOWHERE:
            continue
        if expected < queue.gains[vertex] and queue.length[0] and expected < top(queue):
            work[QUEUED] += 1
            push(queue, vertex, expected)  # what was known of it was out of date: others come first
            continue
        home = state.parts[vertex]
        moves.moved[made], moves.came_from[made] = vertex, home
        moves.is_settled[vertex] = True
        made += 1
        work[MOVED] += 1
        found = move(nets, state, vertex, part)
        gain += found
        if gain > best:
            best, kept = gain, made
        _tell_others(nets, state, pulls, work, vertex, home)
        _spread(nets, state, pulls, queue, moves.is_settled, work, vertex, home)
        if found != expected:
            forget_pulls(pulls, vertex)
    forget_all(queue)
    for index in range(made - 1, kept - 1, -1):
        vertex, home = moves.moved[index], state.parts[moves.moved[index]]
        move(nets, state, vertex, moves.came_from[index])
        _tell_others(nets, state, pulls, work, vertex, home)
        moves.is_settled[vertex] = False
        work[MOVED] += 1
    return best


@compiled
def _tell_others(nets: Nets, state: State, pulls: Pulls, work: Numbers, vertex: int, home: int) -> None:
    """Bring the pulls on the vertex's neighbours up to date, once it has moved away from ``home``."""
    part = state.parts[vertex]
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        if nets.starts[net + 1] - nets.starts[net] > LARGEST_NET:
            continue
        left, there, cost = pins_in(state, net, home), pins_in(state, net, part), nets.costs[net]
        if left > 1 and there > 2:
            continue
        work[READ] += nets.starts[net + 1] - nets.starts[net]
        for pin in range(nets.starts[net], nets.starts[net + 1]):
            other = nets.pins[pin]
            if other == vertex:
                continue
            if left == (1 if state.parts[other] == home else 0):
                add_pull(pulls, other, home, -cost)
            if there == (2 if state.parts[other] == part else 1):
                add_pull(pulls, other, part, cost)


@compiled
def _spread(
    nets: Nets,
    state: State,
    pulls: Pulls,
    queue: MoveQueue,
    is_settled: npt.NDArray[np.bool_],
    work: Numbers,
    vertex: int,
    home: int,
) -> None:
    """Offer the vertices that would now rather move: those that may follow, and those that were left alone."""
    part = state.parts[vertex]
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        if nets.starts[net + 1] - nets.starts[net] > LARGEST_NET:
            continue
        is_new, is_left = pins_in(state, net, part) == 1, pins_in(state, net, home) == 1
        if not is_new and not is_left:
            continue
        for pin in range(nets.starts[net], nets.starts[net + 1]):
            other = nets.pins[pin]
            may_gain = is_new or (is_left and state.parts[other] == home)
            if may_gain and other != vertex and not is_settled[other]:
                _offer(nets, state, pulls, queue, work, other, part)


@compiled
def _offer(nets: Nets, state: State, pulls: Pulls, queue: MoveQueue, work: Numbers, vertex: int, part: int) -> None:
    """Queue a vertex; of one that is queued only see whether it should move to ``part``, or gains more than it did."""
    if not is_queued(queue, vertex):
        if nets.vertex_starts[vertex + 1] - nets.vertex_starts[vertex] <= _MOST_NETS:
            target, gain = best_known_move(nets, state, pulls, work, vertex)
            if target != NOWHERE:
                push(queue, vertex, gain)
                work[QUEUED] += 1
        return
    if pulls.row_of[vertex] < 0:
        return
    gain = pull_of(pulls, vertex, part) - pull_of(pulls, vertex, state.parts[vertex])
    if gain > queue.gains[vertex] and state.parts[vertex] != part and fits(nets, state, vertex, part):
        push(queue, vertex, gain)
        work[QUEUED] += 1
