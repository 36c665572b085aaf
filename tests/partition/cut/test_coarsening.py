"""Coarsening: what the coarse tells of the fine, against both by definition."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut import coarsening
from partition.cut.coarsening import coarsened, contracted, numbered
from partition.graphs.hypergraph import Hypergraph, edge_nets
from partition.graphs.weighted_graph import contracted_graph
from tests.partition.cut.support.cases import (
    PAIRS,
    cost_by_definition,
    cut_by_definition,
    graph_of,
    hypergraph_of,
    hypergraphs,
    partitions,
    pins_of,
    planted,
)


@st.composite
def clusterings(draw: st.DrawFn, count: int) -> tuple[np.ndarray, int]:
    """Clusters of so many vertices, numbered without gaps, and their number."""
    drawn = draw(st.lists(st.integers(0, count - 1), min_size=count, max_size=count))
    numbers = sorted(set(drawn))
    return np.array([numbers.index(cluster) for cluster in drawn], np.int64), len(numbers)


@settings(max_examples=150)
@given(hypergraphs(), st.data())
def test_a_contracted_hypergraph_costs_what_the_fine_one_does(graph: Hypergraph, data: st.DataObject) -> None:
    clusters, count = data.draw(clusterings(len(graph)))
    coarse = contracted(graph, clusters, count)
    assert {array.dtype for array in (coarse.starts, coarse.vertex_starts, coarse.costs, coarse.weights)} == {
        np.dtype(np.int64)
    }
    sums = [graph.weights[clusters == cluster].sum(axis=0).tolist() for cluster in range(count)]
    assert coarse.weights.tolist() == sums
    wanted: dict[frozenset[int], int] = {}
    for pins, cost in zip(pins_of(graph), graph.costs.tolist(), strict=True):
        if len(ends := frozenset(clusters[pins].tolist())) > 1:
            wanted[ends] = wanted.get(ends, 0) + cost
    found = [frozenset(pins) for pins in pins_of(coarse)]
    assert dict(zip(found, coarse.costs.tolist(), strict=True)) == wanted
    assert len(found) == len(wanted)
    parts = data.draw(partitions(count, 3))
    assert cost_by_definition(coarse, parts.tolist()) == cost_by_definition(graph, parts[clusters].tolist())


@settings(max_examples=100)
@given(st.integers(1, 10), st.data())
def test_a_contracted_graph_cuts_what_the_fine_one_does(count: int, data: st.DataObject) -> None:
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda ends: ends[0] < ends[1])
    edges = data.draw(st.dictionaries(pair, st.integers(1, 1 << 40), max_size=20)) if count > 1 else {}
    graph = graph_of(count, edges, data.draw(st.lists(PAIRS, min_size=count, max_size=count)))
    clusters, left = data.draw(clusterings(count))
    coarse = contracted_graph(graph, clusters, left)
    assert (coarse.edges.indices.dtype, coarse.edges.indptr.dtype, coarse.edges.data.dtype) == (
        np.int32,
        np.int64,
        np.int64,
    )
    assert (coarse.edges != coarse.edges.T).nnz == 0
    assert not coarse.edges.diagonal().any()
    assert coarse.weights.sum(axis=0).tolist() == graph.weights.sum(axis=0).tolist()
    parts = data.draw(partitions(left, 3))
    assert cut_by_definition(coarse, parts.tolist()) == cut_by_definition(graph, parts[clusters].tolist())


@settings(max_examples=100)
@given(hypergraphs(), st.integers(1, 6), st.data())
def test_clusters_keep_within_parts_and_limits(graph: Hypergraph, enough: int, data: st.DataObject) -> None:
    parts = data.draw(partitions(len(graph), 2))
    limits = graph.weights.sum(axis=0) // enough + 1
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    levels, coarsest, coarse_parts = coarsened(graph, parts, enough, rng)
    clusters, fine = np.arange(len(graph)), graph
    hypergraphs_in_order = [*(level.hypergraph for level in levels), coarsest]
    for level, coarse in zip(levels, hypergraphs_in_order[1:], strict=True):
        assert level.hypergraph is fine
        assert sorted(set(level.clusters.tolist())) == list(range(len(coarse)))
        clusters, fine = level.clusters[clusters], coarse
    for cluster in range(len(coarsest)):
        members = np.flatnonzero(clusters == cluster)
        assert len(set(parts[members].tolist())) == 1
        load = graph.weights[members].sum(axis=0)
        assert coarsest.weights[cluster].tolist() == load.tolist()
        assert len(members) == 1 or (load <= limits).all()
    assert coarse_parts[clusters].tolist() == parts.tolist()
    assert len(coarsest) >= min(enough, len(graph))


def test_planted_clusters_shrink_to_little_and_stay_apart() -> None:
    rng = np.random.default_rng(2)
    graph, home = planted(5, 80, rng)
    levels, coarsest, _ = coarsened(edge_nets(graph), np.zeros(400, np.int32), 40, rng)
    sizes = [len(level.hypergraph) for level in levels] + [len(coarsest)]
    assert sizes[-1] <= 60
    assert all(after >= before / 2.5 - 1 for before, after in pairwise(sizes))
    clusters = np.arange(400)
    for level in levels:
        clusters = level.clusters[clusters]
    pure = sum(np.bincount(home[clusters == cluster]).max() for cluster in range(len(coarsest)))
    assert pure > 0.95 * 400


def test_coarsening_is_the_same_for_the_same_seed() -> None:
    graph, _ = planted(3, 50, np.random.default_rng(4))
    found = [coarsened(edge_nets(graph), np.zeros(150, np.int32), 20, np.random.default_rng(9)) for _ in range(2)]
    assert [level.clusters.tolist() for level in found[0][0]] == [level.clusters.tolist() for level in found[1][0]]


def test_what_cannot_shrink_is_left_as_it_is() -> None:
    graph = hypergraph_of([], [], [(1, 1)] * 50)
    levels, coarsest, _ = coarsened(graph, np.zeros(50, np.int32), 5, np.random.default_rng(0))
    assert levels == []
    assert coarsest is graph


def test_numbers_of_clusters_have_no_gaps() -> None:
    assert numbered(np.array([2, 1, 2, 1, 4], np.int32)).tolist() == [1, 0, 1, 0, 2]


def test_prints_tell_many_sets_apart() -> None:
    rng = np.random.default_rng(0)
    sets = {frozenset(rng.choice(3000, size).tolist()) for size in rng.integers(1, 6, 20_000)}
    prints = {sum(int(coarsening.mixed(number)) for number in numbers) % 2**64 for numbers in sets}
    assert len(prints) == len(sets)


@pytest.mark.parametrize("k", [1, 3])
def test_a_net_with_one_cluster_left_is_dropped(k: int) -> None:
    graph = hypergraph_of([[0, 1, 2], [0, 1]], [4, 5], [(1 << 50, 1)] * 3)
    coarse = contracted(graph, np.zeros(3, np.int64) if k == 1 else np.arange(3), k)
    assert len(coarse.costs) == (0 if k == 1 else 2)
    assert coarse.weights[:, 0].sum() == 3 << 50
