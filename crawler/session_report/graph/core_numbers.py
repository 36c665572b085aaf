"""The k-cores of an undirected graph: Batagelj and Zaversnik, "An O(m) Algorithm for Cores Decomposition" (2003)."""

import numpy as np

from crawler.session_report.graph.breadth_first import Numbers
from sessions.compiled import compiled


@compiled
def core_numbers(starts: Numbers, neighbours: Numbers) -> Numbers:
    """The largest k for which a node is in the k-core, a largest part where each has k neighbours: int64[n].

    ``neighbours`` are compressed rows that have each edge at both ends, without loops.
    """
    nodes = len(starts) - 1
    degrees = starts[1:] - starts[:-1]
    if nodes == 0:
        return degrees
    most = degrees.max()
    begins = np.zeros(most + 2, np.int64)
    for node in range(nodes):
        begins[degrees[node] + 1] += 1
    for degree in range(1, most + 2):
        begins[degree] += begins[degree - 1]
    place, order, next_free = np.empty(nodes, np.int64), np.empty(nodes, np.int64), begins.copy()
    for node in range(nodes):
        place[node] = next_free[degrees[node]]
        order[place[node]] = node
        next_free[degrees[node]] += 1
    for at in range(nodes):
        node = order[at]
        for where in range(starts[node], starts[node + 1]):
            other = neighbours[where]
            if degrees[other] > degrees[node]:
                first = begins[degrees[other]]
                swapped = order[first]
                if swapped != other:
                    order[first], order[place[other]] = other, swapped
                    place[swapped], place[other] = place[other], first
                begins[degrees[other]] += 1
                degrees[other] -= 1
    return degrees
