"""Time as a cost: moving a vertex changes the whole by what it takes more or less, and what is found is no worse."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.cut.anchors import away, with_anchors
from partition.cut.balance import balance_of
from partition.cut.connectivity import cost_of, nets_of, state_of
from partition.cut.effort import EFFORTS
from partition.cut.migration import as_candidate, migration_pull
from partition.cut.multilevel import cut
from partition.cut.recutting import recut
from partition.cut.time_cost import time_pull
from partition.graphs.hypergraph import Hypergraph, edge_nets
from partition.graphs.link_graph import GraphError
from tests.partition.cut.support.cases import cost_by_definition, hypergraph_of, hypergraphs, partitions, planted

SECOND = 1_000_000


def timed(graph: Hypergraph, microseconds: np.ndarray, cost: float) -> Hypergraph:
    return with_anchors(graph, [time_pull(microseconds, cost)])


@st.composite
def timed_cases(draw: st.DrawFn, k: int) -> tuple[Hypergraph, np.ndarray]:
    """A small hypergraph, and what its vertices take in each of k parts, int64[v, k]."""
    graph = draw(hypergraphs(least=k))
    rows = st.lists(st.sampled_from([0, 1, 2_000, 40_000, 3_000_000]), min_size=k, max_size=k)
    return graph, np.array(draw(st.lists(rows, min_size=len(graph), max_size=len(graph))), np.int64)


@settings(max_examples=150)
@given(st.integers(1, 4), st.sampled_from([1, 7]), st.data())
def test_a_move_changes_the_cost_by_exactly_what_it_takes_more(k: int, cost: int, data: st.DataObject) -> None:
    graph, microseconds = data.draw(timed_cases(k))
    both = timed(graph, microseconds, cost * SECOND)  # so many bytes a microsecond, lest anything be rounded
    fineness = 1 << 20
    parts = data.draw(partitions(len(graph), k))
    vertex, part = data.draw(st.integers(0, len(graph) - 1)), data.draw(st.integers(0, k - 1))
    moved = parts.copy()
    moved[vertex] = part
    takes_more = int(microseconds[vertex, part] - microseconds[vertex, parts[vertex]])
    assert away(moved, both.anchors) - away(parts, both.anchors) == fineness * cost * takes_more
    balance, nets = balance_of(graph.weights, k, 3), nets_of(both)
    costs = [cost_of(nets, state_of(nets, some, balance)) for some in (parts, moved)]
    volumes = [cost_by_definition(graph, some.tolist()) for some in (parts, moved)]
    assert costs[1] - costs[0] == fineness * (volumes[1] - volumes[0] + cost * takes_more)


@given(st.integers(1, 3), st.floats(0, 1e4), st.data())
def test_small_costs_are_rounded_to_a_millionth_of_a_byte(k: int, cost: float, data: st.DataObject) -> None:
    graph, microseconds = data.draw(timed_cases(k))
    both = timed(graph, microseconds, cost)
    saved = (microseconds.max(axis=1)[:, None] - microseconds) * cost / SECOND
    assert np.abs(both.anchors.toarray() / 2**20 - saved).max(initial=0) <= 2**-20


@given(st.integers(1, 3), st.data())
def test_time_and_moves_are_counted_side_by_side(k: int, data: st.DataObject) -> None:
    graph, microseconds = data.draw(timed_cases(k))
    held = csr_array(data.draw(st.sampled_from([0, 5])) * np.ones((len(graph), k), np.int64))
    parts = data.draw(partitions(len(graph), k))
    both = with_anchors(graph, [time_pull(microseconds, SECOND), migration_pull(held, 2)])
    of_all = k * microseconds.max(axis=1) - microseconds.sum(axis=1)
    of_own = microseconds.max(axis=1) - microseconds[np.arange(len(graph)), parts]
    assert away(parts, both.anchors) == 2**20 * (int((of_all - of_own).sum()) + 2 * away(parts, held))


def test_what_is_found_is_the_best_there_is() -> None:
    graph = hypergraph_of([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], [4, 1, 4, 1, 4], [(1, 1)] * 6)
    microseconds = np.array([[2, 5, 5], [5, 5, 5], [5, 2, 5], [5, 5, 5], [5, 5, 2], [5, 5, 5]], np.int64) * 1000
    both, balance = timed(graph, microseconds, 2000), balance_of(graph.weights, 3, 0.5)
    every = [as_candidate("", both, np.array(parts, np.int32), balance) for parts in product(range(3), repeat=6)]
    wanted = min(one.cost for one in every if one.excess == 0)
    carried = np.array([0, 1, 2, 0, 1, 2], np.int32)
    fresh = as_candidate("", both, np.array([2, 2, 1, 1, 0, 0], np.int32), balance)
    best = recut(both, fresh, carried, balance, EFFORTS["low"], 1, 1, lambda _said: None)
    assert (best.cost, best.excess) == (wanted, 0)
    assert best.parts.tolist() == [0, 0, 1, 1, 2, 2]


def test_a_large_cost_brings_vertices_to_where_they_take_least_and_a_small_one_little() -> None:
    graph, _home = planted(4, 30, np.random.default_rng(4))
    hypergraph, balance = edge_nets(graph), balance_of(graph.weights, 4, 0.05)
    near = np.random.default_rng(5).permutation(np.arange(len(hypergraph)) % 4)
    microseconds = np.where(np.arange(4) == near[:, None], 2_000, 40_000)
    effort, quiet = EFFORTS["low"], lambda _said: None
    fresh = cut(hypergraph, lambda: graph, balance, effort, 1, 1, quiet)
    of_cost = {}
    for cost in (1.0, 1e9):
        both = timed(hypergraph, microseconds, cost)
        of_cost[cost] = recut(both, fresh, near.astype(np.int32), balance, effort, 1, 1, quiet)
    volumes = {cost: cost_by_definition(hypergraph, found.parts.tolist()) for cost, found in of_cost.items()}
    assert (of_cost[1e9].parts == near).all()
    assert volumes[1.0] < volumes[1e9] / 2


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf")])
def test_costs_that_are_none(cost: float) -> None:
    graph = hypergraph_of([(0, 1)], [1], [(1, 1)] * 2)
    with pytest.raises(GraphError, match="the time cost must be from 0 up"):
        timed(graph, np.zeros((2, 2), np.int64), cost)


def test_a_cost_that_cannot_be_counted() -> None:
    graph = hypergraph_of([(0, 1)], [1], [(1, 1)] * 2)
    with pytest.raises(
        GraphError, match=r"a time cost of 1e\+30 is too large to be counted for 2,000,000 microseconds"
    ):
        timed(graph, np.array([[0, SECOND], [SECOND, 0]]), 1e30)
