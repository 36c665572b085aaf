"""Groups of vertices with many edges among them, by modularity: what should not be torn apart first.

The Louvain method (Blondel et al., "Fast Unfolding of Communities in Large Networks", J. Stat. Mech. 2008): vertices
move to the community of neighbours that raises modularity most; then communities become vertices, and again.  A
descent that first coarsens inside communities makes better clusters (Heuer and Schlag, "Improving Coarsening Schemes
for Hypergraph Partitioning by Exploiting Community Structure", SEA 2017).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.cut.crew import ALONE, Crew
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import Columns, WeightedGraph, contracted_edges
from sessions.compiled import compiled

FEWEST = 4096
"""Vertices that threads look at, at least, before those that would move do so."""

_MOST_STRETCHES = 32
_ROUNDS = 5
_FEWEST_MOVES = 0.01
_LEAST_PROGRESS = 0.98

Floats = npt.NDArray[np.float64]


class Edges(NamedTuple):
    """A graph's matrix of edges, as compiled functions take it."""

    starts: Numbers
    neighbours: Columns
    costs: Numbers


class Growing(NamedTuple):
    """Communities on their way.

    Attributes:
        homes: int32[v], the community of each vertex.
        sums: float64[v], what all edges of a community's vertices cost.
        strengths: float64[v], what all edges of a vertex cost.
        total: the sum of these.
    """

    homes: Owners
    sums: Floats
    strengths: Floats
    total: float


def communities(graph: WeightedGraph, rng: np.random.Generator, crew: Crew = ALONE) -> Owners:
    """The community of each vertex, int32[v], numbered from 0."""
    edges, inner = graph.edges, np.zeros(len(graph), np.int64)
    found = np.arange(len(graph))
    while True:
        count = len(inner)
        order = rng.permutation(count)
        joined = _joined(edges, inner, order, crew)
        names, groups = np.unique(joined, return_inverse=True)
        found = groups[found]
        if len(names) >= _LEAST_PROGRESS * count:
            return found.astype(np.int32)
        edges, further = contracted_edges(edges, groups, len(names))
        inner = summed(inner, groups, len(names)) + further


def _joined(edges: csr_array, inner: Numbers, order: Numbers, crew: Crew) -> Owners:
    """The community of each vertex once few move any more; communities have the number of a vertex.

    ``inner``, int64[v], is what edges inside each vertex cost, both ways.
    """
    graph = Edges(edges.indptr, edges.indices, edges.data)
    strengths = _strengths(graph, inner)
    count, total = len(inner), max(strengths.sum(), 1.0)
    growing = Growing(np.arange(count, dtype=np.int32), strengths.copy(), strengths, total)
    scratches = [(np.zeros(count), np.empty(count, np.int32)) for _ in range(crew.threads)]
    size = max(FEWEST, -(-count // _MOST_STRETCHES))
    for number in range(_ROUNDS):
        moves = 0
        for first in range(0, count, size):
            stretch = order[first : first + size]
            if count > size and number > 0:  # in the first round nearly all move
                pieces = list(zip(crew.stretches(stretch), scratches, strict=True))
                looked = crew.each(lambda piece: _attracted(graph, growing, piece[0], *piece[1], False), pieces)
                stretch = np.concatenate(looked)
            moves += len(_attracted(graph, growing, stretch, *scratches[0], True))
        if moves <= _FEWEST_MOVES * count:
            break
    return growing.homes


@compiled
def _strengths(graph: Edges, inner: Numbers) -> Floats:
    """What all edges of each vertex cost, those inside it both ways."""
    strengths = inner.astype(np.float64)
    for vertex in range(len(inner)):
        for place in range(graph.starts[vertex], graph.starts[vertex + 1]):
            strengths[vertex] += graph.costs[place]
    return strengths


@compiled
def _attracted(graph: Edges, growing: Growing, vertices: Numbers, ties: Floats, near: Owners, moves: bool) -> Numbers:
    """Those of the vertices that another community draws more than their own, in the same order.

    Each ``moves`` there before the next is looked at, if that is asked for.
    """
    found, count = np.empty(len(vertices), np.int64), 0
    for vertex in vertices:
        home, met = growing.homes[vertex], 0
        for place in range(graph.starts[vertex], graph.starts[vertex + 1]):
            other = growing.homes[graph.neighbours[place]]
            if ties[other] == 0:
                near[met] = other
                met += 1
            ties[other] += graph.costs[place]
        share = growing.strengths[vertex] / growing.total
        best, most = home, ties[home] - (growing.sums[home] - growing.strengths[vertex]) * share
        for index in range(met):
            other = near[index]
            gain = ties[other] - growing.sums[other] * share
            if gain > most and other != home:
                best, most = other, gain
            ties[other] = 0
        if best == home:
            continue
        found[count] = vertex
        count += 1
        if moves:
            growing.sums[home] -= growing.strengths[vertex]
            growing.sums[best] += growing.strengths[vertex]
            growing.homes[vertex] = best
    return found[:count]
