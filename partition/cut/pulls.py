"""What draws each vertex to each part, remembered and kept up to date while others move.

The pull of a part on a vertex is the cost of the vertex's nets that have another pin there, and of its anchors there.
Moving from part a to part b gains the pull of b less the pull of a.  A move changes the pulls of few other vertices, so
remembering them makes a search's step cost a number or two for each neighbour, not all the neighbour's nets anew.

A table for all vertices and parts would not fit into memory where both are many.  Rows are made when they are first
asked for, and all are forgotten when the table is full: they can be made again.  Pulls of nets larger than
`LARGEST_NET` are not kept up to date, since one move changes little in them and touches many; so a row may be a little
wrong, and only `connectivity.move` tells what a move has gained.
"""

from typing import NamedTuple

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.connectivity import NOWHERE, READ, Nets, State, fits
from partition.cut.crew import Crew
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

LARGEST_NET = 100

_ENTRIES_PER_PIN = 2
_FEWEST_ROWS = 256
_NO_ROW = -1


class Pulls(NamedTuple):
    """The table.

    Attributes:
        row_of: int32[v], where a vertex's row is, -1 if it has none.
        vertex_of: int32[r], the vertex of each row.
        rows: int64[r, k], the pull of each part.
        used: int64[1], how many rows are taken.
    """

    row_of: Owners
    vertex_of: Owners
    rows: Numbers
    used: Numbers


def no_pulls(nets: Nets, vertices: int, k: int) -> Pulls:
    """A table with no row yet, and room for two numbers a pin (16 bytes)."""
    rows = min(vertices, max(_FEWEST_ROWS, _ENTRIES_PER_PIN * len(nets.pins) // k))
    return Pulls(
        np.full(vertices, _NO_ROW, np.int32), np.zeros(rows, np.int32), np.zeros((rows, k), np.int64), np.zeros(1, int)
    )


def remember_pulls(nets: Nets, state: State, pulls: Pulls, work: Numbers, vertices: Owners, crew: Crew) -> None:
    """Make the rows of these vertices, int32, that have none, by all threads; of the first only if they are too many.

    ``work`` (`no_work`) grows by the entries that were read of nets.
    """
    lacking = _given_rows(pulls, vertices[: len(pulls.vertex_of)])
    pieces = crew.stretches(lacking)
    work[READ] += sum(crew.each(lambda piece: _fill_rows(nets, state, pulls, piece), pieces))


@compiled
def best_known_move(nets: Nets, state: State, pulls: Pulls, work: Numbers, vertex: int) -> tuple[int, int]:
    """The part with most pull that has room, and what moving there gains; `NOWHERE` if the vertex must stay.

    Of equals the lightest.  ``work`` (`no_work`) grows by the entries that were read of nets.
    """
    home = state.parts[vertex]
    if state.sizes[home] == 1:
        return NOWHERE, 0
    row = pulls.rows[_row(nets, state, pulls, work, vertex)]
    best, most = NOWHERE, 0
    for part in range(len(row)):
        pull = row[part]
        if part == home or pull <= 0 or pull < most:
            continue
        is_better = pull > most or state.loads[part, 0] < state.loads[best, 0]
        if is_better and fits(nets, state, vertex, part):
            best, most = part, pull
    return best, most - row[home]


@compiled
def pull_of(pulls: Pulls, vertex: int, part: int) -> int:
    """What the part pulls; the vertex must have a row."""
    return int(pulls.rows[pulls.row_of[vertex], part])


@compiled
def add_pull(pulls: Pulls, vertex: int, part: int, cost: int) -> None:
    """Let the part pull more, or less, if the vertex has a row."""
    row = pulls.row_of[vertex]
    if row != _NO_ROW:
        pulls.rows[row, part] += cost


@compiled
def forget_pulls(pulls: Pulls, vertex: int) -> None:
    """Have the vertex's row made anew when it is next asked for."""
    row = pulls.row_of[vertex]
    if row != _NO_ROW:
        pulls.row_of[vertex] = _NO_ROW
        last = pulls.used[0] - 1
        pulls.used[0] = last
        if row != last:
            pulls.rows[row] = pulls.rows[last]
            pulls.vertex_of[row] = pulls.vertex_of[last]
            pulls.row_of[pulls.vertex_of[row]] = row


@compiled
def _row(nets: Nets, state: State, pulls: Pulls, work: Numbers, vertex: int) -> int:
    if pulls.row_of[vertex] != _NO_ROW:
        return int(pulls.row_of[vertex])
    if pulls.used[0] == len(pulls.vertex_of):
        _forget_all(pulls)
    row = _new_row(pulls, vertex)
    work[READ] += _fill_row(nets, state, pulls, vertex)
    return row


@compiled
def _given_rows(pulls: Pulls, vertices: Owners) -> Owners:
    """The vertices that had no row and have an empty one now."""
    found, count = np.empty(len(vertices), np.int32), 0
    for vertex in vertices:
        if pulls.row_of[vertex] == _NO_ROW:
            found[count] = vertex
            count += 1
    if pulls.used[0] + count > len(pulls.vertex_of):
        _forget_all(pulls)
        found, count = vertices.copy(), len(vertices)
    for vertex in found[:count]:
        _new_row(pulls, vertex)
    return found[:count]


@compiled
def _fill_rows(nets: Nets, state: State, pulls: Pulls, vertices: Owners) -> int:
    read = 0
    for vertex in vertices:
        read += _fill_row(nets, state, pulls, vertex)
    return read


@compiled
def _forget_all(pulls: Pulls) -> None:
    for row in range(pulls.used[0]):
        pulls.row_of[pulls.vertex_of[row]] = _NO_ROW
    pulls.used[0] = 0


@compiled
def _new_row(pulls: Pulls, vertex: int) -> int:
    row = int(pulls.used[0])
    pulls.used[0] += 1
    pulls.row_of[vertex], pulls.vertex_of[row] = row, vertex
    return row


@compiled
def _fill_row(nets: Nets, state: State, pulls: Pulls, vertex: int) -> int:
    """Tell the pulls on a vertex that has a row; how many entries of nets were read."""
    place, home, read = pulls.row_of[vertex], state.parts[vertex], 0
    pulls.rows[place] = 0
    for index in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[index]
        first = state.slot_starts[net]
        read += state.spans[net]
        for slot in range(first, first + state.spans[net]):
            if state.slot_parts[slot] != home or state.slot_pins[slot] > 1:
                pulls.rows[place, state.slot_parts[slot]] += nets.costs[net]
    for index in range(nets.anchor_starts[vertex], nets.anchor_starts[vertex + 1]):
        pulls.rows[place, nets.anchor_parts[index]] += nets.anchor_costs[index]
    return read
