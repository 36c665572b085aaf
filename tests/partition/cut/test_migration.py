"""Partitions with a memory: what moving costs is counted exactly, and what is found is no worse than what there was."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.cut.anchors import away, homes, with_anchors
from partition.cut.balance import balance_of
from partition.cut.connectivity import NOWHERE, best_move, cost_of, cut_vertices, nets_of, scratch_for, state_of
from partition.cut.effort import EFFORTS
from partition.cut.migration import as_candidate, carried_over, migration_pull, repaired
from partition.cut.multilevel import cut
from partition.cut.recutting import OLD, recut
from partition.cut.refinement import refined
from partition.cut.remap import relabelled
from partition.graphs.group_sums import summed_rows
from partition.graphs.hypergraph import Hypergraph, edge_nets
from partition.graphs.link_graph import GraphError
from tests.partition.cut.support.cases import cost_by_definition, hypergraph_of, hypergraphs, partitions, planted


def anchored(graph: Hypergraph, held: csr_array, cost: float) -> Hypergraph:
    return with_anchors(graph, [migration_pull(held, cost)])


def held_by(owners: np.ndarray, sizes: np.ndarray, k: int) -> csr_array:
    """What k parts held if they owned these vertices, -1 being nobody."""
    owned = np.flatnonzero(owners >= 0)
    return csr_array((sizes[owned], (owned, owners[owned])), shape=(len(owners), k))


@st.composite
def pulled(draw: st.DrawFn, k: int) -> tuple[Hypergraph, csr_array]:
    """A small hypergraph, and what k parts held of its vertices."""
    graph = draw(hypergraphs(least=k))
    rows = st.lists(st.sampled_from([0, 0, 1, 7, 100]), min_size=k, max_size=k)
    held = draw(st.lists(rows, min_size=len(graph), max_size=len(graph)))
    return graph, csr_array(np.array(held, np.int64))


def away_by_definition(parts: list[int], held: csr_array) -> int:
    return sum(
        int(size) for part, row in zip(parts, held.toarray(), strict=True) for p, size in enumerate(row) if p != part
    )


@settings(max_examples=150)
@given(st.integers(1, 4), st.sampled_from([0, 1, 3]), st.sampled_from([0, 0.5, 3]), st.data())
def test_anchors_are_part_of_every_cost(k: int, cost: int, tolerance: float, data: st.DataObject) -> None:
    graph, held = data.draw(pulled(k))
    both, balance = anchored(graph, held, cost), balance_of(graph.weights, k, tolerance)
    fineness = 1 << 20
    given_parts = data.draw(partitions(len(graph), k))

    def wanted(parts: list[int]) -> int:
        return fineness * (cost_by_definition(graph, parts) + cost * away_by_definition(parts, held))

    nets, parts = nets_of(both), given_parts.tolist()
    state = state_of(nets, given_parts, balance)
    assert cost_of(nets, state) == wanted(parts) == as_candidate("", both, given_parts, balance).cost
    strayed = {vertex for vertex in range(len(graph)) if cost and away_by_definition([parts[vertex]], held[[vertex]])}
    assert strayed <= set(cut_vertices(nets, state).tolist())
    for vertex in range(len(graph)):
        part, gain = best_move(nets, state, scratch_for(k), vertex)
        if part != NOWHERE:
            assert gain == wanted(parts) - wanted([*parts[:vertex], part, *parts[vertex + 1 :]])
        elif parts.count(parts[vertex]) > 1:
            home = homes(both)[vertex] - 1
            assert (
                home in (NOWHERE, parts[vertex])
                or (state.loads[home] + graph.weights[vertex] > balance.limits[home]).any()
                or held[[vertex]].nnz > 1
            )
    found, told = refined(both, given_parts, balance, np.random.default_rng(0))
    assert told == wanted(found.tolist())
    if balance.excess(graph.weights, given_parts) == 0:
        assert told <= wanted(parts)


@given(st.integers(1, 3), st.data())
def test_clusters_are_held_by_who_held_their_members(k: int, data: st.DataObject) -> None:
    _, held = data.draw(pulled(k))
    clusters = data.draw(partitions(held.shape[0], 3))
    rows = held.toarray()
    wanted = [rows[clusters == cluster].sum(axis=0).tolist() for cluster in range(3)]
    assert summed_rows(held, clusters, 3).toarray().tolist() == wanted


@settings(max_examples=25)
@given(st.integers(2, 4), st.sampled_from([1, 2, 50]), st.sampled_from(["low", "normal"]), st.data())
def test_no_worse_than_the_old_one_or_a_new_one(k: int, cost: int, effort: str, data: st.DataObject) -> None:
    graph, _ = planted(3, data.draw(st.integers(k, 12)), np.random.default_rng(data.draw(st.integers(0, 9))))
    nets, balance = edge_nets(graph), balance_of(graph.weights, k, 0.3)
    owners = data.draw(partitions(len(graph), k))
    held = held_by(owners, graph.weights[:, 0], k)
    both = anchored(nets, held, cost)
    fresh = cut(nets, lambda: graph, balance, EFFORTS[effort], 1, 1, lambda _: None)
    fresh = fresh._replace(parts=relabelled(fresh.parts, held, balance))
    found = recut(both, fresh, owners, balance, EFFORTS[effort], 1, 1, lambda _: None)
    assert sorted(set(found.parts.tolist())) == list(range(k))
    assert found.excess == balance.excess(graph.weights, found.parts)
    old = as_candidate(OLD, both, owners, balance)
    mended = repaired(old, both, balance, np.random.default_rng(np.random.SeedSequence(1).spawn(1)[0]))
    starts = [as_candidate("", both, fresh.parts, balance), old, mended]
    assert found.excess <= min(start.excess for start in starts)
    for start in starts:
        if start.excess == found.excess == 0:
            volume = cost_by_definition(nets, found.parts.tolist()) + cost * away(found.parts, held)
            assert volume <= cost_by_definition(nets, start.parts.tolist()) + cost * away(start.parts, held) + 1


@pytest.mark.parametrize("threads", [1, 3])
def test_the_more_moving_costs_the_less_moves(threads: int) -> None:
    """Four planted clusters, of whose vertices a third have strayed to other parts."""
    rng = np.random.default_rng(1)
    graph, home = planted(4, 60, rng)
    nets, balance = edge_nets(graph), balance_of(graph.weights, 4, 0.1)
    owners = home.copy()
    owners[::3] = rng.permutation(owners[::3])
    held = held_by(owners, graph.weights[:, 0], 4)
    fresh = cut(nets, lambda: graph, balance, EFFORTS["normal"], 1, threads, lambda _: None)
    fresh = fresh._replace(parts=relabelled(fresh.parts, held, balance))
    moved, volumes = [], []
    for cost in (0.001, 0.1, 0.3, 0.6, 10):
        found = recut(anchored(nets, held, cost), fresh, owners, balance, EFFORTS["normal"], 1, threads, lambda _: None)
        assert found.excess == 0
        moved.append(away(found.parts, held))
        volumes.append(cost_by_definition(nets, found.parts.tolist()))
    assert moved == sorted(moved, reverse=True)
    assert volumes == sorted(volumes)
    assert volumes[0] <= 1.02 * cost_by_definition(nets, home.tolist())
    assert moved[0] > 4000 > moved[-1] == 0


def test_what_need_not_move_does_not() -> None:
    graph, home = planted(4, 60, np.random.default_rng(2))
    nets, balance = edge_nets(graph), balance_of(graph.weights, 4, 0.05)
    for cost in (0.01, 1, 1e6):
        both = anchored(nets, held_by(home, graph.weights[:, 0], 4), cost)
        fresh = cut(nets, lambda: graph, balance, EFFORTS["low"], 1, 1, lambda _: None)
        found = recut(both, fresh, home, balance, EFFORTS["low"], 1, 1, lambda _: None)
        assert found.parts.tolist() == home.tolist()


def test_only_what_the_balance_takes_moves_if_moving_is_dear() -> None:
    """Of 40 vertices of 100 bytes one part held 30: nine or more must leave it, at a limit of 21."""
    graph, _ = planted(2, 20, np.random.default_rng(3))
    owners = np.array([0] * 30 + [1] * 10, np.int32)
    held = held_by(owners, graph.weights[:, 0], 2)
    balance = balance_of(graph.weights, 2, 0.05)
    both = anchored(edge_nets(graph), held, 1000)
    fresh = cut(edge_nets(graph), lambda: graph, balance, EFFORTS["low"], 1, 1, lambda _: None)
    found = recut(both, fresh, owners, balance, EFFORTS["low"], 1, 1, lambda _: None)
    assert found.excess == 0
    assert away(found.parts, held) == 900


def test_parts_that_are_no_more_go_where_there_is_room() -> None:
    owners = np.array([0, 1, 2, 2, 3, 4], np.int32)
    weights = np.array([[50, 1], [10, 1], [20, 1], [10, 1], [25, 1], [8, 1]], np.int64)
    assert carried_over(owners, weights, balance_of(weights, 2)).tolist() == [0, 1, 1, 1, 0, 1]
    assert carried_over(owners, weights, balance_of(weights, 6)).tolist() == owners.tolist()


def test_homes_are_where_most_is() -> None:
    held = csr_array(np.array([[0, 0, 0], [0, 2, 5], [3, 0, 0]], np.int64))
    graph = hypergraph_of([[0, 1, 2]], [1], [(1, 1)] * 3)
    assert homes(graph).tolist() == [0, 0, 0]
    assert homes(anchored(graph, held, 1)).tolist() == [0, 3, 1]


def test_small_costs_are_no_zeros_and_large_ones_are_counted_or_refused() -> None:
    graph = hypergraph_of([[0, 1]], [40], [(1000, 1)] * 2)
    held = csr_array(np.array([[1000, 0], [0, 1000]], np.int64))
    balance = balance_of(graph.weights, 2, 1)
    for cost in (1e-6, 1.0, 1e9):
        both = anchored(graph, held, cost)
        swapped = as_candidate("", both, np.array([1, 0], np.int32), balance)
        assert swapped.cost / both.costs[0] * 40 == pytest.approx(40 + 2000 * cost, rel=1e-6)
    with pytest.raises(GraphError, match=r"a migration cost of 1e\+18 is too large to be counted for 2,000 bytes"):
        anchored(graph, held, 1e18)
    for cost in (-1.0, float("nan"), float("inf")):
        with pytest.raises(GraphError, match=f"the migration cost must be from 0 up, not {cost}"):
            anchored(graph, held, cost)


# New names for parts: the best of all there are, and the same partition.


@given(st.integers(1, 5), st.integers(1, 10), st.data())
def test_no_other_names_leave_more_where_it_was(k: int, count: int, data: st.DataObject) -> None:
    held = data.draw(st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=count, max_size=count))
    shares = data.draw(st.none() | st.lists(st.sampled_from([1.0, 2.0]), min_size=k, max_size=k).map(tuple))
    balance = balance_of(np.ones((count, 2), np.int64), k, 0.1, shares)
    parts, matrix = data.draw(partitions(count, k)), csr_array(np.array(held, np.int64))
    found = relabelled(parts, matrix, balance)
    allowed = [
        names
        for names in permutations(range(k))
        if all(balance.shares[part] == balance.shares[name] for part, name in enumerate(names))
    ]
    assert found.dtype == np.int32
    assert any(found.tolist() == [names[part] for part in parts] for names in allowed)
    kept = [sum(row[names[part]] for row, part in zip(held, parts, strict=True)) for names in allowed]
    assert sum(map(sum, held)) - away(found, matrix) == max(kept)


def test_what_nobody_held_keeps_its_names() -> None:
    parts = np.array([2, 0, 1], np.int32)
    held = csr_array((3, 3), dtype=np.int64)
    assert relabelled(parts, held, balance_of(np.ones((3, 2), np.int64), 3)).tolist() == [2, 0, 1]
