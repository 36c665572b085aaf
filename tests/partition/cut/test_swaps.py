"""Swaps: what they must make better, and that they find a balance where no single move does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut import rebalancing
from partition.cut.balance import Balance, balance_of
from partition.cut.connectivity import cost_of, gain_of, gains_everywhere, move, nets_of, state_of
from partition.cut.rebalancing import rebalance
from partition.cut.swaps import partners_but_for, swap_overload
from partition.graphs.hypergraph import Hypergraph, hypergraph
from tests.partition.cut.support.cases import hypergraphs, loads_by_definition, partitions

PLENTY = 10**9


def unlinked(weights: np.ndarray) -> Hypergraph:
    """Vertices of these weights, int64[v, w], without nets."""
    return hypergraph(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64), weights)


def scale_of(balance: Balance) -> np.ndarray:
    return 1 / np.maximum(balance.wanted, 1)


def overload(graph: Hypergraph, parts: list[int], balance: Balance) -> float:
    """The sum over parts and weights of what is beyond the limit, relative to what should be there."""
    loads = np.array(loads_by_definition(graph.weights, parts, balance.parts))
    return float((np.maximum(0, loads - balance.limits) * scale_of(balance)).sum())


@settings(max_examples=150)
@given(hypergraphs(least=2), st.data())
def test_swaps_lessen_the_overload_and_move_no_number_of_vertices(graph: Hypergraph, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, min(4, len(graph))))
    balance = balance_of(graph.weights, k, data.draw(st.sampled_from([0, 0.05, 0.5, [0.0, 0.4]])))
    start = data.draw(partitions(len(graph), k))
    nets, work = nets_of(graph), np.zeros(1, np.int64)
    state = state_of(nets, start, balance)
    swapped = swap_overload(nets, state, scale_of(balance), work, PLENTY)
    before, after = (overload(graph, parts.tolist(), balance) for parts in (start, state.parts))
    assert state.sizes.tolist() == np.bincount(start, minlength=k).tolist()
    assert state.loads.tolist() == loads_by_definition(graph.weights, state.parts.tolist(), k)
    assert after < before if swapped else state.parts.tolist() == start.tolist()


@settings(max_examples=100)
@given(hypergraphs(least=2), st.data())
def test_gains_by_definition(graph: Hypergraph, data: st.DataObject) -> None:
    k = data.draw(st.integers(2, 4))
    nets = nets_of(graph)
    balance = balance_of(graph.weights, k, 10)
    parts = data.draw(partitions(len(graph), k))
    vertex, gains = data.draw(st.integers(0, len(graph) - 1)), np.zeros(k, np.int64)
    gains_everywhere(nets, state_of(nets, parts, balance), vertex, gains)
    for part in range(k):
        state = state_of(nets, parts, balance)
        if part != parts[vertex]:
            before = cost_of(nets, state)
            assert gain_of(nets, state, vertex, part)[0] == gains[part]
            move(nets, state, vertex, part)
            assert before - cost_of(nets, state) == gains[part]


@settings(max_examples=60)
@given(st.integers(2, 4), st.integers(2, 6), st.integers(3, 12), st.integers(0, 1000))
def test_balance_is_found_where_single_moves_are_stuck(kinds: int, k: int, each: int, seed: int) -> None:
    """Every part has as many vertices as it may, and some have too much of another weight than they may.

    The vertices are dealt out evenly, with all that weigh 3 of one weight beside one that weighs 1, and then a few
    such pairs are put together, heavy with heavy.
    """
    rng = np.random.default_rng(seed)
    count = 2 * k * each
    weights = np.ones((count, kinds), np.int64)
    weights[::2, 1] = 3
    even = np.repeat(np.arange(k, dtype=np.int32), 2 * each)
    start = even.copy()
    first, second = rng.choice(k, 2, replace=False)
    heavy, light = 2 * each * first + 2 * rng.integers(each), 2 * each * second + 2 * rng.integers(each) + 1
    start[[heavy, light]] = start[[light, heavy]]
    graph, balance = unlinked(weights), balance_of(weights, k, 0)
    assert overload(graph, even.tolist(), balance) == 0
    stuck = state_of(nets_of(graph), start, balance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rebalancing, "MOST_SWAPPINGS", 0)
        rebalance(nets_of(graph), stuck, balance)
    assert stuck.parts.tolist() == start.tolist()
    state = state_of(nets_of(graph), start, balance)
    rebalance(nets_of(graph), state, balance)
    assert balance.excess(weights, state.parts) == 0


def test_four_weights_are_balanced_from_a_bad_start() -> None:
    rng = np.random.default_rng(7)
    weights = np.stack(
        [rng.lognormal(5, 1, 2000), np.ones(2000), rng.lognormal(3, 1, 2000), rng.lognormal(6, 1, 2000)], 1
    )
    weights = weights.astype(np.int64)
    graph, balance = unlinked(weights), balance_of(weights, 8, (0.01, 0.01, 0.02, 0.05))
    for column in range(4):
        start = (np.argsort(np.argsort(weights[:, column], kind="stable")) // 250).astype(np.int32)
        state = state_of(nets_of(graph), start, balance)
        rebalance(nets_of(graph), state, balance)
        assert balance.excess(weights, state.parts) == 0


def test_the_work_is_bounded() -> None:
    rng = np.random.default_rng(1)
    nets = np.sort(rng.integers(0, 300, (2000, 5)).astype(np.int32), axis=1)
    weights = np.stack([rng.integers(1, 1000, 300), np.ones(300, np.int64)], axis=1)
    graph = hypergraph(np.arange(0, 10001, 5), nets.ravel(), np.ones(2000, np.int64), weights)
    balance = balance_of(weights, 3, 0)
    state = state_of(nets_of(graph), np.argsort(np.argsort(weights[:, 0])).astype(np.int32) // 100, balance)
    work = np.zeros(1, np.int64)
    swap_overload(nets_of(graph), state, scale_of(balance), work, 500)
    most_of_a_vertex = int(np.diff(graph.vertex_starts).max()) * 3
    assert 500 <= work[0] <= 500 + 65 * most_of_a_vertex + 64


def test_partners_are_alike_in_all_else_and_the_light_come_first() -> None:
    weights = np.array([[5, 1, 2], [1, 1, 2], [9, 1, 0], [3, 1, 2]])
    assert partners_but_for(weights, 0).order.tolist() == [2, 1, 3, 0]
