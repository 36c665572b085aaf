"""Groups of vertices with many edges among them, by modularity: what should not be torn apart first.

The Louvain method (Blondel et al., "Fast Unfolding of Communities in Large Networks", J. Stat. Mech. 2008): vertices
move to the community of neighbours that raises modularity most; then communities become vertices, and again.  A
descent that first coarsens inside communities makes better clusters (Heuer and Schlag, "Improving Coarsening Schemes
for Hypergraph Partitioning by Exploiting Community Structure", SEA 2017).
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph
from sessions.compiled import compiled

_ROUNDS = 5
_FEWEST_MOVES = 0.01
_LEAST_PROGRESS = 0.98

Reals = npt.NDArray[np.float64]


def communities(graph: WeightedGraph, rng: np.random.Generator) -> Owners:
    """The community of each vertex, int32[v], numbered from 0."""
    edges, inner = graph.edges, np.zeros(len(graph))
    found = np.arange(len(graph))
    while True:
        count = len(inner)
        order = rng.permutation(count)
        joined = _joined(edges.indptr.astype(np.int64), edges.indices, edges.data.astype(np.float64), inner, order)
        names, groups = np.unique(joined, return_inverse=True)
        found = groups[found]
        if len(names) >= _LEAST_PROGRESS * count:
            return found.astype(np.int32)
        edges, inner = _as_vertices(edges, inner, groups, len(names))


def _as_vertices(edges: csr_array, inner: Reals, groups: Numbers, count: int) -> tuple[csr_array, Reals]:
    """The graph of communities; ``inner``, float64[v], is the cost of edges inside of each vertex, both ways."""
    entries = edges.tocoo()
    rows, columns = groups[entries.row], groups[entries.col]
    stays = rows == columns
    within: Reals = (np.bincount(groups, inner, count) + np.bincount(rows[stays], entries.data[stays], count)).astype(
        np.float64
    )
    between = csr_array((entries.data[~stays], (rows[~stays], columns[~stays])), shape=(count, count))
    between.sum_duplicates()
    return between, within


@compiled
def _joined(starts: Numbers, neighbours: Numbers, costs: Reals, inner: Reals, order: Numbers) -> Owners:
    """The community of each vertex once few move any more; communities have the number of a vertex."""
    count = len(inner)
    strengths = inner.copy()
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
