"""Threads change nothing but the time: results come in order, and are the same whatever thread works first."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Barrier
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut import coarsening, communities, label_propagation, local_search
from partition.cut.balance import balance_of
from partition.cut.coarsening import clustered
from partition.cut.crew import ALONE, Crew
from partition.cut.effort import EFFORTS
from partition.cut.guide_graph import sent_guide
from partition.cut.multilevel import cut
from partition.cut.refinement import refined
from partition.graphs.hypergraph import Hypergraph, edge_nets, sent_nets
from partition.graphs.weighted_graph import WeightedGraph
from tests.partition.cut.support.cases import cost_by_definition, hypergraphs, partitions, planted
from tests.partition.quality.support.webs import SmallWeb, webs

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Backwards(Crew):
    """One thread that does the last piece first."""

    def __init__(self, pieces: int) -> None:
        super().__init__(1)
        self.threads = pieces

    def each(self, do: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
        return [do(piece) for piece in reversed(pieces)][::-1]


CREWS = [Backwards(2), Backwards(3), Backwards(7)]


@contextmanager
def short_stretches(size: int) -> Iterator[None]:
    """Graphs of dozens of vertices are then shared out as those of many thousands are."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (coarsening, communities, label_propagation, local_search):
            patch.setattr(module, "FEWEST", size)
        yield


@given(st.lists(st.integers(), max_size=20), st.integers(1, 5))
@settings(max_examples=30)
def test_results_come_in_the_order_of_the_pieces(pieces: list[int], threads: int) -> None:
    with Crew(threads) as crew:
        assert crew.each(lambda piece: piece + 1, pieces) == [piece + 1 for piece in pieces]
        assert list(crew.in_order(lambda piece: piece - 1, pieces)) == [piece - 1 for piece in pieces]
        stretches = crew.stretches(np.array(pieces, object))
        assert len(stretches) == threads
        assert np.concatenate(stretches).tolist() == pieces


def test_threads_work_at_the_same_time() -> None:
    """Two pieces each of which waits for the other."""
    meeting = Barrier(2, timeout=60)
    with Crew(2) as crew:
        assert sorted(crew.each(lambda _: meeting.wait(), "ab")) == [0, 1]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_piece_may_have_pieces_of_its_own(threads: int) -> None:
    """All threads are taken by those that ask, and none waits for a thread that waits."""
    with Crew(threads) as crew:

        def summed(depth: int) -> int:
            return 1 if depth == 0 else sum(crew.each(summed, [depth - 1] * 4))

        assert list(crew.in_order(summed, [3] * 5)) == [64] * 5


@pytest.mark.parametrize("threads", [1, 3])
def test_what_fails_in_a_piece_fails_for_who_asked(threads: int) -> None:
    def fail(piece: int) -> int:
        if piece in (2, 7):
            raise ValueError(piece)
        return piece

    with Crew(threads) as crew:
        with pytest.raises(ValueError, match=r"^[27]$"):
            crew.each(fail, range(10))
        assert crew.each(fail, [5, 6]) == [5, 6]


@settings(max_examples=100)
@given(hypergraphs(least=4, most=30), st.integers(1, 6), st.data())
def test_clusters_are_the_same_whoever_chooses_first(graph: Hypergraph, size: int, data: st.DataObject) -> None:
    parts = data.draw(partitions(len(graph), 2))
    limits = graph.weights.sum(axis=0) // data.draw(st.integers(1, 6)) + 1
    target = data.draw(st.integers(1, len(graph)))
    with short_stretches(size):
        runs = [
            clustered(graph, parts, limits, target, 200, np.random.default_rng(0), crew) for crew in (ALONE, *CREWS)
        ]
    clusters, count = runs[0]
    assert all(run[0].tolist() == clusters.tolist() and run[1] == count for run in runs)
    assert sorted(set(clusters.tolist())) == list(range(count))
    assert count >= min(target, len(graph))
    for cluster in range(count):
        members = np.flatnonzero(clusters == cluster)
        assert len(set(parts[members].tolist())) == 1
        assert len(members) == 1 or (graph.weights[members].sum(axis=0) <= limits).all()


@settings(max_examples=100)
@given(hypergraphs(least=4, most=30), st.integers(1, 6), st.data())
def test_a_level_is_refined_alike_whoever_looks_first(graph: Hypergraph, size: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(2, 4))
    balance = balance_of(graph.weights, k, data.draw(st.sampled_from([0.05, 0.5, 3])))
    parts = data.draw(partitions(len(graph), k))
    with short_stretches(size):
        runs = [refined(graph, parts, balance, np.random.default_rng(1), crew=crew) for crew in (ALONE, *CREWS)]
    assert len({(tuple(found.tolist()), cost) for found, cost in runs}) == 1
    found, cost = runs[0]
    assert cost == cost_by_definition(graph, found.tolist())


def test_communities_are_the_same_whoever_looks_first() -> None:
    graph, home = planted(6, 40, np.random.default_rng(3))
    with short_stretches(16):
        runs = [communities.communities(graph, np.random.default_rng(4), crew) for crew in (ALONE, *CREWS)]
    assert len({tuple(run.tolist()) for run in runs}) == 1
    assert sum(np.bincount(home[runs[0] == name]).max() for name in set(runs[0].tolist())) > 0.95 * 240


def cuts_by_threads(hypergraph: Hypergraph, guide: WeightedGraph, k: int, effort: str) -> set[tuple[object, ...]]:
    """What 1, 2 and 4 threads find, and one that does the last piece first."""
    balance = balance_of(hypergraph.weights, k, 0.1)
    with short_stretches(32), pytest.MonkeyPatch.context() as patch:
        patch.setattr(coarsening, "_AT_LEAST", 20)
        found = [
            cut(hypergraph, lambda: guide, balance, EFFORTS[effort], 5, threads, lambda _: None)
            for threads in (1, 2, 4)
        ]
        patch.setattr("partition.cut.multilevel.Crew", lambda _: CREWS[1])
        patch.setattr(Crew, "__exit__", lambda *_: None)
        found.append(cut(hypergraph, lambda: guide, balance, EFFORTS[effort], 5, 3, lambda _: None))
    return {(one.setting, one.cost, one.parts.tobytes()) for one in found}


@pytest.mark.parametrize("effort", ["low", "normal"])
def test_a_cut_is_the_same_whatever_the_threads(effort: str) -> None:
    graph, _ = planted(6, 100, np.random.default_rng(0))
    assert len(cuts_by_threads(edge_nets(graph), graph, 5, effort)) == 1


@settings(max_examples=10)
@given(webs(least_pages=10), st.integers(2, 3))
def test_a_web_is_cut_the_same_whatever_the_threads(web: SmallWeb, k: int) -> None:
    graph = web.graph()
    assert len(cuts_by_threads(sent_nets(graph), sent_guide(graph), k, "low")) == 1
