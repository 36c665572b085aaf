"""A priority queue of vertices by gain, for compiled functions: a binary heap that knows where each vertex stands."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

_ABSENT = -1


class MoveQueue(NamedTuple):
    """The queue's state: ``heap`` int32[v], ``places`` int32[v] (-1 if absent), ``gains`` int64[v], ``length`` [1]."""

    heap: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]
    gains: Numbers
    length: Numbers


def empty_queue(vertices: int) -> MoveQueue:
    """A queue with room for all vertices."""
    return MoveQueue(
        np.empty(vertices, np.int32),
        np.full(vertices, _ABSENT, np.int32),
        np.zeros(vertices, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def push(queue: MoveQueue, vertex: int, gain: int) -> None:
    """Add a vertex, or give one that is there another gain."""
    queue.gains[vertex] = gain
    place = queue.places[vertex]
    if place == _ABSENT:
        place = queue.length[0]
        queue.length[0] += 1
    queue.heap[place] = vertex
    _settle(queue, _rise(queue, place))


@compiled
def is_queued(queue: MoveQueue, vertex: int) -> bool:
    """Is the vertex in the queue?"""
    return bool(queue.places[vertex] != _ABSENT)


@compiled
def top(queue: MoveQueue) -> int:
    """The largest gain; the queue must not be empty."""
    return int(queue.gains[queue.heap[0]])


@compiled
def pop(queue: MoveQueue) -> int:
    """Take out a vertex of largest gain; its gain stays in ``gains``.  The queue must not be empty."""
    vertex = queue.heap[0]
    queue.places[vertex] = _ABSENT
    queue.length[0] -= 1
    if queue.length[0]:
        queue.heap[0] = queue.heap[queue.length[0]]
        _settle(queue, 0)
    return int(vertex)


@compiled
def forget_all(queue: MoveQueue) -> None:
    """Empty the queue."""
    for place in range(queue.length[0]):
        queue.places[queue.heap[place]] = _ABSENT
    queue.length[0] = 0


@compiled
def _rise(queue: MoveQueue, place: int) -> int:
    """Move the vertex at ``place`` up to where it belongs, if it must go up; where that is."""
    vertex = queue.heap[place]
    while place > 0:
        above = (place - 1) >> 1
        if queue.gains[queue.heap[above]] >= queue.gains[vertex]:
            break
        queue.heap[place] = queue.heap[above]
        queue.places[queue.heap[place]] = place
        place = above
    queue.heap[place] = vertex
    return place


@compiled
def _settle(queue: MoveQueue, place: int) -> None:
    """Move the vertex at ``place`` down to where it belongs, if it must go down."""
    vertex = queue.heap[place]
    while True:
        below = 2 * place + 1
        if below >= queue.length[0]:
            break
        if below + 1 < queue.length[0] and queue.gains[queue.heap[below + 1]] > queue.gains[queue.heap[below]]:
            below += 1
        if queue.gains[queue.heap[below]] <= queue.gains[vertex]:
            break
        queue.heap[place] = queue.heap[below]
        queue.places[queue.heap[place]] = place
        place = below
    queue.heap[place] = vertex
    queue.places[vertex] = place
