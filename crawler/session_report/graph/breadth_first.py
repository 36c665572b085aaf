"""Breadth-first search in graphs as compressed rows, compiled."""

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def rows_of(sources: Numbers, targets: Numbers, nodes: int) -> tuple[Numbers, Numbers]:
    """Edges int64[m] as compressed rows: where the targets of each node begin, int64[n + 1], and all targets."""
    order = np.argsort(sources, kind="stable")
    starts = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=nodes), out=starts[1:])
    return starts, targets[order]


@compiled
def reached(starts: Numbers, targets: Numbers, begin: Mask) -> Mask:
    """Which nodes can be reached from those of ``begin``, these among them: bool[n]."""
    is_reached = begin.copy()
    queue = np.empty(len(begin), np.int64)
    end = 0
    for node in range(len(begin)):
        if begin[node]:
            queue[end] = node
            end += 1
    at = 0
    while at < end:
        node = queue[at]
        at += 1
        for place in range(starts[node], starts[node + 1]):
            target = targets[place]
            if not is_reached[target]:
                is_reached[target] = True
                queue[end] = target
                end += 1
    return is_reached


@compiled
def harmonic_centrality(starts: Numbers, sources: Numbers) -> npt.NDArray[np.float64]:
    """The sum of 1/d over all other nodes from which a node can be reached, d links away: float64[n].

    ``sources`` are those that link to each node, as compressed rows.  Boldi and Vigna, "Axioms for Centrality"
    (Internet Mathematics, 2014).  A breadth-first search from every node: n (n + m) steps.
    """
    nodes = len(starts) - 1
    centrality = np.zeros(nodes, np.float64)
    distance = np.full(nodes, -1, np.int64)
    queue = np.empty(nodes, np.int64)
    for root in range(nodes):
        queue[0] = root
        distance[root] = 0
        at, end = 0, 1
        while at < end:
            node = queue[at]
            at += 1
            if node != root:
                centrality[root] += 1.0 / distance[node]
            for place in range(starts[node], starts[node + 1]):
                source = sources[place]
                if distance[source] < 0:
                    distance[source] = distance[node] + 1
                    queue[end] = source
                    end += 1
        for place in range(end):
            distance[queue[place]] = -1
    return centrality
