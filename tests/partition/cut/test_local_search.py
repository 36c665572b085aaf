"""Pulls are what they are said to be after any moves, what a move gains is exact, and a level's work is bounded."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut import refinement
from partition.cut.balance import balance_of
from partition.cut.connectivity import NOWHERE, cost_of, cut_vertices, move, nets_of, no_work, state_of
from partition.cut.crew import ALONE, Crew
from partition.cut.local_search import PATIENCE, LocalSearch, _tell_others
from partition.cut.pulls import Pulls, best_known_move, forget_pulls, no_pulls, pull_of
from partition.graphs.hypergraph import Hypergraph
from tests.partition.cut.support.cases import cost_by_definition, hypergraph_of, hypergraphs, partitions, pins_of


def pull_by_definition(graph: Hypergraph, parts: list[int], vertex: int, part: int) -> int:
    """The cost of the vertex's nets that have another pin in the part."""
    return sum(
        int(cost)
        for cost, pins in zip(graph.costs, pins_of(graph), strict=True)
        if vertex in pins and part in [parts[pin] for pin in pins if pin != vertex]
    )


def check_rows(graph: Hypergraph, pulls: Pulls, parts: list[int], k: int) -> None:
    """Every row that is remembered is right, and rows and vertices know each other."""
    for vertex in np.flatnonzero(pulls.row_of >= 0).tolist():
        assert pulls.vertex_of[pulls.row_of[vertex]] == vertex
        told = [pull_of(pulls, vertex, part) for part in range(k)]
        assert told == [pull_by_definition(graph, parts, vertex, part) for part in range(k)]
    assert np.count_nonzero(pulls.row_of >= 0) == pulls.used[0]


@settings(max_examples=150)
@given(hypergraphs(), st.integers(1, 5), st.floats(0, 3), st.data())
def test_pulls_keep_up_with_any_moves(graph: Hypergraph, k: int, tolerance: float, data: st.DataObject) -> None:
    nets, work = nets_of(graph), no_work()
    state = state_of(nets, data.draw(partitions(len(graph), k)), balance_of(graph.weights, k, tolerance))
    pulls = no_pulls(nets, len(graph), k)
    if data.draw(st.booleans()):  # so few rows that they are forgotten all the time
        pulls = pulls._replace(vertex_of=pulls.vertex_of[:2].copy(), rows=pulls.rows[:2].copy())
    vertices = st.integers(0, len(graph) - 1)
    for asked, moved, part in data.draw(st.lists(st.tuples(vertices, vertices, st.integers(0, k - 1)), max_size=15)):
        best, expected = best_known_move(nets, state, pulls, work, asked)
        before = cost_by_definition(graph, state.parts.tolist())
        if best != NOWHERE:
            parts = state.parts.tolist()
            parts[asked] = best
            assert expected == before - cost_by_definition(graph, parts)
        if part == state.parts[moved]:
            forget_pulls(pulls, moved)
            continue
        home = state.parts[moved]
        gain = move(nets, state, moved, part)
        assert gain == before - cost_by_definition(graph, state.parts.tolist())
        _tell_others(nets, state, pulls, work, moved, home)
        check_rows(graph, pulls, state.parts.tolist(), k)


def star_of_stars(leaves: int) -> Hypergraph:
    """One net of all vertices, and a net of every leaf with the hub: a hub both ways."""
    nets = [list(range(leaves + 1))] + [[0, leaf] for leaf in range(1, leaves + 1)]
    return hypergraph_of(nets, [1] * len(nets), [(1, 1)] * (leaves + 1))


def test_a_search_ends_when_its_work_is_used_up() -> None:
    graph = star_of_stars(3000)
    nets, balance = nets_of(graph), balance_of(graph.weights, 4, 0.05)
    rng = np.random.default_rng(3)
    state = state_of(nets, rng.integers(0, 4, len(graph)).astype(np.int32), balance)
    before, work, most_work = int(cost_of(nets, state)), no_work(), 500
    gain = LocalSearch(nets, state, PATIENCE).round(rng.permutation(cut_vertices(nets, state)), 0, work, most_work)
    assert int(cost_of(nets, state)) == before - gain
    # What has begun is finished: one vertex's row may be made, and a search's moves are taken back.
    assert work[0] < most_work + (PATIENCE + 2) * len(nets.pins)


@pytest.mark.parametrize("leaves", [1000, 4000])
def test_the_work_of_a_level_is_linear_in_its_pins(leaves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub's move touches all leaves; without a bound each search would make it anew."""
    spent: list[int] = []

    class Watched(LocalSearch):
        def round(
            self, seeds: np.ndarray, least_gain: float, work: np.ndarray, most_work: int, crew: Crew = ALONE
        ) -> int:
            gain = super().round(seeds, least_gain, work, most_work, crew)
            spent.append(int(work[0]))
            return gain

    monkeypatch.setattr(refinement, "LocalSearch", Watched)
    graph = star_of_stars(leaves)
    start = np.random.default_rng(5).integers(0, 8, len(graph)).astype(np.int32)
    refinement.refined(graph, start, balance_of(graph.weights, 8, 0.05), np.random.default_rng(6))
    assert 0 < spent[-1] <= 40 * len(graph.pins)


def test_a_round_that_gains_too_little_ends_early() -> None:
    """No part has room for any of 20,000 pages: a tenth of them tells that the others will not gain either."""
    pairs = [[2 * number, 2 * number + 1] for number in range(10_000)]
    graph = hypergraph_of(
        [*pairs, *([[0, vertex] for vertex in range(2, 20_000)])], [5] * 10_000 + [1] * 19_998, [(1, 1)] * 20_000
    )
    nets, balance = nets_of(graph), balance_of(graph.weights, 2, 0)
    state = state_of(nets, (np.arange(20_000) >= 10_000).astype(np.int32), balance)
    seeds = np.random.default_rng(3).permutation(cut_vertices(nets, state))
    spent = []
    for least_gain in (0, 1):
        work = no_work()
        assert LocalSearch(nets, state, PATIENCE).round(seeds, least_gain, work, 10**9) == 0
        spent.append(int(work[0]))
    assert 0 < spent[1] < spent[0] / 2
