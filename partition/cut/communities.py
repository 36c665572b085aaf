"""Groups of vertices with many edges among them, by modularity: what should not be torn apart first.

The Louvain method (Blondel et al., "Fast Unfolding of Communities in Large Networks", J. Stat. Mech. 2008): vertices
move to the community of neighbours that raises modularity most; then communities become vertices, and again.  A
descent that first coarsens inside communities makes better clusters (Heuer and Schlag, "Improving Coarsening Schemes
for Hypergraph Partitioning by Exploiting Community Structure", SEA 2017).
"""

import numpy as np

from partition.assignment.assignment import Owners
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph, contracted_edges
from sessions.compiled import compiled

_ROUNDS = 5
_FEWEST_MOVES = 0.01
_LEAST_PROGRESS = 0.98


def communities(graph: WeightedGraph, rng: np.random.Generator) -> Owners:
    """The community of each vertex, int32[v], numbered from 0."""
    edges, inner = graph.edges, np.zeros(len(graph), np.int64)
    found = np.arange(len(graph))
    while True:
        count = len(inner)
        order = rng.permutation(count)
        joined = _joined(edges.indptr, edges.indices, edges.data, inner, order)
        names, groups = np.unique(joined, return_inverse=True)
        found = groups[found]
        if len(names) >= _LEAST_PROGRESS * count:
            return found.astype(np.int32)
        edges, further = contracted_edges(edges, groups, len(names))
        inner = summed(inner, groups, len(names)) + further


@compiled
def _joined(starts: Numbers, neighbours: Numbers, costs: Numbers, inner: Numbers, order: Numbers) -> Owners:
    """The community of each vertex once few move any more; communities have the number of a vertex.

    ``inner``, int64[v], is what edges inside each vertex cost, both ways.
    """
    count = len(inner)
    strengths = inner.astype(np.float64)
    for vertex in range(count):
        for place in range(starts[vertex], starts[vertex + 1]):
            strengths[vertex] += costs[place]
    total = max(strengths.sum(), 1.0)
    homes, sums = np.arange(count).astype(np.int32), strengths.copy()
    ties, near = np.zeros(count), np.empty(count, np.int32)
    for _ in range(_ROUNDS):
        moves = 0
        for vertex in order:
            home, found = homes[vertex], 0
            for place in range(starts[vertex], starts[vertex + 1]):
                other = homes[neighbours[place]]
                if ties[other] == 0:
                    near[found] = other
                    found += 1
                ties[other] += costs[place]
            sums[home] -= strengths[vertex]
            best, most = home, ties[home] - sums[home] * strengths[vertex] / total
            for index in range(found):
                other = near[index]
                gain = ties[other] - sums[other] * strengths[vertex] / total
                if gain > most:
                    best, most = other, gain
                ties[other] = 0
            sums[best] += strengths[vertex]
            homes[vertex] = best
            moves += best != home
        if moves <= _FEWEST_MOVES * count:
            break
    return homes
