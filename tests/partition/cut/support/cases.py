"""Hypergraphs, graphs and partitions to test cutting with, and what a partition costs and weighs by definition."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.graphs.hypergraph import Hypergraph, hypergraph
from partition.graphs.weighted_graph import WeightedGraph

Weights = Sequence[tuple[int, int]]
PAIRS = st.tuples(st.integers(0, 9), st.integers(0, 3))
"""Bytes and requests of a vertex, either perhaps zero."""


def hypergraph_of(nets: Sequence[Sequence[int]], costs: Sequence[int], weights: Weights) -> Hypergraph:
    """A hypergraph from lists."""
    starts = np.concatenate(([0], np.cumsum([len(net) for net in nets]))).astype(np.int64)
    pins = np.array([pin for net in nets for pin in net], np.int32)
    return hypergraph(starts, pins, np.array(costs, np.int64), np.array(weights, np.int64).reshape(-1, 2))


def pins_of(graph: Hypergraph) -> list[list[int]]:
    """The pins of each net."""
    return [graph.pins[begin:end].tolist() for begin, end in zip(graph.starts[:-1], graph.starts[1:], strict=True)]


def cost_by_definition(graph: Hypergraph, parts: Sequence[int]) -> int:
    """The sum over nets of (parts that its pins lie in - 1) x cost."""
    return sum(
        int(cost) * (len({int(parts[pin]) for pin in pins}) - 1)
        for cost, pins in zip(graph.costs, pins_of(graph), strict=True)
    )


def loads_by_definition(weights: npt.NDArray[np.int64], parts: Sequence[int], k: int) -> list[list[int]]:
    """What each part weighs."""
    loads = [[0] * weights.shape[1] for _ in range(k)]
    for part, row in zip(parts, weights.tolist(), strict=True):
        loads[part] = [load + weight for load, weight in zip(loads[part], row, strict=True)]
    return loads


@st.composite
def hypergraphs(draw: st.DrawFn, least: int = 1, most: int = 12) -> Hypergraph:
    """Small hypergraphs, perhaps without nets."""
    count = draw(st.integers(least, most))
    net = st.lists(st.integers(0, count - 1), min_size=2, max_size=max(2, count), unique=True)
    nets = draw(st.lists(net, max_size=15)) if count > 1 else []
    costs = draw(st.lists(st.integers(1, 20), min_size=len(nets), max_size=len(nets)))
    return hypergraph_of(nets, costs, draw(st.lists(PAIRS, min_size=count, max_size=count)))


@st.composite
def partitions(draw: st.DrawFn, count: int, k: int) -> npt.NDArray[np.int32]:
    """Parts of so many vertices, some perhaps empty."""
    return np.array(draw(st.lists(st.integers(0, k - 1), min_size=count, max_size=count)), np.int32)


def graph_of(count: int, edges: dict[tuple[int, int], int], weights: Weights) -> WeightedGraph:
    """An undirected graph; each edge is given once."""
    both = {**edges, **{(end, start): cost for (start, end), cost in edges.items()}}
    ends = np.array(list(both), np.int64).reshape(-1, 2)
    matrix = csr_array((np.array(list(both.values()), np.int64), (ends[:, 0], ends[:, 1])), shape=(count, count))
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64)
    return WeightedGraph(matrix, np.array(weights, np.int64).reshape(-1, 2))


def cut_by_definition(graph: WeightedGraph, parts: Sequence[int]) -> int:
    """The cost of the edges between parts."""
    edges = graph.edges.copy().tocoo()  # scipy wants starts and columns of one type here
    ends = zip(edges.row.tolist(), edges.col.tolist(), edges.data.tolist(), strict=True)
    return sum(cost for start, end, cost in ends if start < end and parts[start] != parts[end])


def planted(clusters: int, size: int, rng: np.random.Generator) -> tuple[WeightedGraph, npt.NDArray[np.int32]]:
    """Clusters of ``size`` vertices with many edges inside and few between, numbered at random; and who is where."""
    count = clusters * size
    home = rng.permutation(np.repeat(np.arange(clusters), size)).astype(np.int32)
    edges: dict[tuple[int, int], int] = {}
    for vertex in range(count):
        mates = np.flatnonzero(home == home[vertex])
        for other in [*rng.choice(mates, 6), *rng.choice(count, int(rng.random() < 0.3))]:
            if other != vertex:
                edges[min(vertex, int(other)), max(vertex, int(other))] = 10
    return graph_of(count, edges, [(100, 1)] * count), home
