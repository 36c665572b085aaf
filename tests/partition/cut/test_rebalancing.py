"""Mending the balance: what must become better, and what must not become worse."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance, balance_of
from partition.cut.connectivity import nets_of, state_of
from partition.cut.rebalancing import rebalance
from partition.graphs.hypergraph import Hypergraph
from tests.partition.cut.support.cases import hypergraph_of, hypergraphs, loads_by_definition, partitions


def mended(graph: Hypergraph, parts: Owners, balance: Balance) -> list[int]:
    nets = nets_of(graph)
    state = state_of(nets, parts, balance)
    rebalance(nets, state, balance)
    assert state.loads.tolist() == loads_by_definition(graph.weights, state.parts.tolist(), balance.parts)
    return state.parts.tolist()


def total_excess(graph: Hypergraph, parts: list[int], balance: Balance) -> float:
    """The sum over parts and weights of what is beyond the limit, relative to what should be there."""
    loads = np.array(loads_by_definition(graph.weights, parts, balance.parts))
    return float((np.maximum(0, loads - balance.limits) / np.maximum(1, balance.wanted)).sum())


@settings(max_examples=200)
@given(hypergraphs(least=2), st.data())
def test_the_excess_shrinks_until_no_single_move_helps(graph: Hypergraph, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, min(4, len(graph))))
    shares = data.draw(st.lists(st.integers(1, 5), min_size=k, max_size=k))
    balance = balance_of(graph.weights, k, data.draw(st.sampled_from([0, 0.05, 0.5])), shares)
    parts = data.draw(partitions(len(graph), k))
    found = mended(graph, parts, balance)
    assert sorted(set(found)) == list(range(k))
    left = total_excess(graph, found, balance)
    if len(set(parts.tolist())) == k:
        assert left <= total_excess(graph, parts.tolist(), balance) + 1e-9
        if total_excess(graph, parts.tolist(), balance) == 0:
            assert found == parts.tolist()
    for vertex, home in enumerate(found):
        for part in range(k):
            if found.count(home) > 1:
                moved = found.copy()
                moved[vertex] = part
                assert total_excess(graph, moved, balance) > left - 1e-9


@settings(max_examples=100)
@given(st.integers(1, 20), st.integers(0, 3), st.data())
def test_equal_vertices_are_balanced_wherever_they_fit(count: int, zeros: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, count))
    nets = data.draw(st.lists(st.permutations(range(count)).map(lambda order: order[:4]), max_size=8))
    graph = hypergraph_of(nets, [1] * len(nets), [(0 if zeros == 1 else 7, 1)] * count)
    balance = balance_of(graph.weights, k, data.draw(st.sampled_from([0, 0.05, 0.3])))
    found = mended(graph, data.draw(partitions(count, k)), balance)
    if balance.limits[:, 1].sum() >= count:
        assert balance.excess(graph.weights, np.array(found)) == 0


def test_two_weights_are_balanced_at_once() -> None:
    rng = np.random.default_rng(5)
    weights = [(int(size), 1) for size in rng.integers(1, 200, 400)]
    nets = [rng.choice(400, 3, replace=False).tolist() for _ in range(600)]
    graph = hypergraph_of(nets, [1] * 600, weights)
    balance = balance_of(graph.weights, 4)
    heavy_together = (np.argsort(np.argsort(graph.weights[:, 0])) // 100).astype(np.int32)
    for start in (np.zeros(400, np.int32), rng.integers(0, 2, 400).astype(np.int32), heavy_together):
        assert balance.excess(graph.weights, np.array(mended(graph, start, balance))) < 0.01


def test_nothing_else_stays_with_a_giant() -> None:
    weights = [(10_000, 0)] + [(10, 0)] * 30
    graph = hypergraph_of([[0, vertex] for vertex in range(1, 31)], [100] * 30, weights)
    found = mended(graph, np.array([0] * 30 + [1], np.int32), balance_of(graph.weights, 2))
    assert [vertex for vertex, part in enumerate(found) if part == found[0]] == [0]


def test_one_byte_too_much_in_a_huge_part_is_mended() -> None:
    size = 10**12
    graph = hypergraph_of([], [], [(size, 1), (size, 1), (1, 1), (1, 1)])
    balance = balance_of(graph.weights, 2, 0)
    assert balance.limits[0].tolist() == [size + 1 + int(2e-12 * size / 2), 2]
    graph = hypergraph_of([], [], [(size, 1), (size, 1), (2, 0), (2, 0)])
    balance = Balance(np.zeros(2), balance.shares, np.array([[size + 3, 2]] * 2), balance.wanted)
    assert sorted(mended(graph, np.array([0, 1, 0, 0], np.int32), balance)) == [0, 0, 1, 1]


def test_an_empty_part_gets_the_lightest_of_the_fullest() -> None:
    graph = hypergraph_of([], [], [(5, 1), (3, 1), (9, 1), (1, 1)])
    found = mended(graph, np.array([0, 0, 0, 1], np.int32), balance_of(graph.weights, 3, 9))
    assert found == [0, 2, 0, 1]


def test_more_parts_than_vertices_leave_some_empty() -> None:
    graph = hypergraph_of([[0, 1]], [1], [(1, 1)] * 2)
    assert len(set(mended(graph, np.zeros(2, np.int32), balance_of(graph.weights, 4)))) == 2
