"""Refinement: never worse, never less balanced, the same for the same seed, and really better where it can be."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.balance import balance_of
from partition.cut.gain_heap import empty_queue, forget_all, pop, push, top
from partition.cut.refinement import refined
from partition.graphs.hypergraph import Hypergraph, edge_nets
from tests.partition.cut.support.cases import cost_by_definition, hypergraph_of, hypergraphs, partitions, planted
from tests.partition.cut.test_rebalancing import mended


@settings(max_examples=150)
@given(hypergraphs(), st.data())
def test_a_refined_partition_is_no_worse(graph: Hypergraph, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, min(4, len(graph))))
    balance = balance_of(graph.weights, k, data.draw(st.sampled_from([0, 0.05, 0.5, 3])))
    parts = data.draw(partitions(len(graph), k))
    kept, seed = parts.tolist(), data.draw(st.integers(0, 99))
    found, cost = refined(graph, parts, balance, np.random.default_rng(seed))
    assert parts.tolist() == kept
    assert found.dtype == np.int32
    assert cost == cost_by_definition(graph, found.tolist())
    assert sorted(set(found.tolist())) == list(range(k))
    start = np.array(mended(graph, parts, balance))
    assert cost <= cost_by_definition(graph, start.tolist())
    assert balance.excess(graph.weights, found) <= balance.excess(graph.weights, start)
    if balance.excess(graph.weights, parts) == 0:
        assert balance.excess(graph.weights, found) == 0
        assert cost <= cost_by_definition(graph, kept)
    again, _ = refined(graph, parts, balance, np.random.default_rng(seed))
    assert again.tolist() == found.tolist()


def test_planted_clusters_are_found_again() -> None:
    rng = np.random.default_rng(1)
    graph, home = planted(4, 100, rng)
    nets, balance = edge_nets(graph), balance_of(graph.weights, 4, 0.1)
    shuffled = home.copy()
    strayed = rng.choice(400, 120, replace=False)
    shuffled[strayed] = rng.permutation(shuffled[strayed])
    before = cost_by_definition(nets, shuffled.tolist())
    found, cost = refined(nets, shuffled, balance, rng)
    planted_cost = cost_by_definition(nets, home.tolist())
    assert cost <= 1.05 * planted_cost < before / 3
    assert (found == home).mean() > 0.97


def test_a_step_that_loses_is_taken_for_a_larger_gain() -> None:
    """A path cut at an edge of 3; beyond one of 5 there is one of 1."""
    costs = [10, 10, 10, 3, 5, 1, 10, 10]
    graph = hypergraph_of([[end, end + 1] for end in range(8)], costs, [(1, 1)] * 9)
    start = np.array([0] * 4 + [1] * 5, np.int32)
    balance = balance_of(graph.weights, 2, 0.4)
    impatient = refined(graph, start, balance, np.random.default_rng(0), patience=1)
    patient = refined(graph, start, balance, np.random.default_rng(0))
    assert (impatient[1], patient[1]) == (3, 1)
    assert patient[0].tolist() == [0] * 6 + [1] * 3


def test_without_nets_only_the_balance_is_mended() -> None:
    graph = hypergraph_of([], [], [(1, 1)] * 6)
    found, cost = refined(graph, np.zeros(6, np.int32), balance_of(graph.weights, 3), np.random.default_rng(0))
    assert np.bincount(found).tolist() == [2, 2, 2]
    assert cost == 0


# The queue of moves against a dictionary of gains.

VERTICES = 9
STEPS = st.one_of(
    st.tuples(st.just("push"), st.integers(0, VERTICES - 1), st.integers(-4, 4) | st.integers(-(2**62), 2**62)),
    st.tuples(st.sampled_from(["pop", "pop", "forget"]), st.just(0), st.just(0)),
)


@settings(max_examples=300)
@given(st.lists(STEPS, max_size=60))
def test_a_queue_gives_back_the_largest_gain(steps: list[tuple[str, int, int]]) -> None:
    queue, gains = empty_queue(VERTICES), {}
    for step, vertex, gain in steps:
        if step == "push":
            push(queue, vertex, gain)
            gains[vertex] = gain
        elif step == "forget":
            forget_all(queue)
            gains = {}
        elif gains:
            assert top(queue) == max(gains.values())
            popped = pop(queue)
            assert gains.pop(popped) == max([*gains.values(), queue.gains[popped]]) == queue.gains[popped]
        assert queue.length[0] == len(gains)
        listed = queue.heap[: len(gains)].tolist()
        assert sorted(listed) == sorted(gains)
        assert queue.places.tolist() == [listed.index(vertex) if vertex in gains else -1 for vertex in range(VERTICES)]
    assert sorted(gains.values(), reverse=True) == [queue.gains[pop(queue)] for _ in range(len(gains))]
