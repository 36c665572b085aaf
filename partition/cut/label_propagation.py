"""Moving every vertex on the cut to where it gains most, one after the other: the cheap part of a refinement.

Size-constrained label propagation (Meyerhenke, Sanders and Schulz, "Partitioning Complex Networks via Size-constrained
Clustering", SEA 2014): no queue, no loss, one look at each vertex and its nets, and another where something has changed
near by (Staudt and Meyerhenke, "Engineering Parallel Algorithms for Community Detection in Massive Networks", IEEE TPDS
2016, section 3.1).

Most vertices stay where they are, and most of the time goes into finding that out.  So threads look at a stretch of the
vertices as the partition is (`_would_gain`), and one moves those that would gain, after a second look, since others of
the stretch have moved (synchronous proposals, as in Gottesbüren and Hamann, "Deterministic Parallel Hypergraph
Partitioning", Euro-Par 2022, but for the second look).
"""

from functools import partial

import numpy as np
import numpy.typing as npt

from partition.cut.connectivity import MOVED, NOWHERE, READ, Nets, Scratch, State, best_move, move, pins_in, scratch_for
from partition.cut.crew import ALONE, Crew
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

FEWEST, _MOST_STRETCHES = 4096, 16
"""Vertices that threads look at before those that would gain are moved, and how often they do so in a round."""


class Propagation:
    """Rounds on one hypergraph, in which vertices move; from the second on only those near one that has moved."""

    def __init__(self, nets: Nets, state: State) -> None:
        self._nets, self._state = nets, state
        self._is_near = np.ones(len(state.parts), np.bool_)

    def round(self, vertices: npt.NDArray[np.int32], work: Numbers, most_work: int, crew: Crew = ALONE) -> int:
        """Make the best move of each of the vertices, in the order given, if it gains anything; the gain of all.

        Those are left out whose gains no move can have changed since they were looked at.  It stops where the entries
        of nets read, as ``work`` (`no_work`) counts them, reach ``most_work``.
        """
        nets, state = self._nets, self._state
        order = vertices[self._is_near[vertices]]
        self._is_near[:] = False
        scratch, size = scratch_for(len(state.loads)), max(FEWEST, -(-len(order) // _MOST_STRETCHES))
        gained = 0
        for first in range(0, len(order), size):
            stretch = order[first : first + size]
            if len(order) > size and work[READ] < most_work:
                looks = crew.each(partial(_would_gain, nets, state), crew.stretches(stretch))
                work[READ] += sum(read for _, read in looks)
                stretch = np.concatenate([who for who, _ in looks])
            gained += int(_propagate(nets, state, scratch, stretch, self._is_near, work, most_work))
        return gained


@compiled
def _would_gain(nets: Nets, state: State, vertices: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], int]:
    """Those of the vertices, int32, that would gain by their best move, in the same order; and how much was read."""
    scratch = Scratch(np.zeros(len(state.loads), np.int64), np.zeros(len(state.loads), np.int64))
    found, count, read = np.empty(len(vertices), np.int32), 0, 0
    for vertex in vertices:
        for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
            read += state.spans[nets.nets[place]]
        part, gain = best_move(nets, state, scratch, vertex)
        if part != NOWHERE and gain > 0:
            found[count] = vertex
            count += 1
    return found[:count], read


@compiled
def _propagate(
    nets: Nets,
    state: State,
    scratch: Scratch,
    order: npt.NDArray[np.int32],
    is_near: npt.NDArray[np.bool_],
    work: Numbers,
    most_work: int,
) -> int:
    gained = 0
    for vertex in order:
        if work[READ] >= most_work:
            break
        for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
            work[READ] += state.spans[nets.nets[place]]
        part, gain = best_move(nets, state, scratch, vertex)
        if part != NOWHERE and gain > 0:
            home = state.parts[vertex]
            gained += move(nets, state, vertex, part)
            work[MOVED] += 1
            _mark_near(nets, state, is_near, work, vertex, home)
    return gained


@compiled
def _mark_near(nets: Nets, state: State, is_near: npt.NDArray[np.bool_], work: Numbers, vertex: int, home: int) -> None:
    """Mark a vertex that has moved away from ``home``, and all whose gains that may have changed."""
    is_near[vertex] = True
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        size = nets.starts[net + 1] - nets.starts[net]
        if pins_in(state, net, home) > 1 and pins_in(state, net, state.parts[vertex]) > 2:
            continue
        work[READ] += size
        for pin in range(nets.starts[net], nets.starts[net + 1]):
            is_near[nets.pins[pin]] = True
