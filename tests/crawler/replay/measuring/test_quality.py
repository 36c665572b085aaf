"""Importance and quality against their definitions."""

from itertools import combinations

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.measuring.importance import RESOLUTION, importance_of
from crawler.replay.measuring.quality import counts_at, first_fetches, quality
from partition.graphs.page_rank import page_rank
from tests.crawler.replay.support.courses import Case, cases, in_order_of_fetching, recording_with


def graph_of(case: Case) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(case.recording.page_count))
    graph.add_edges_from((source, target) for source, target, _ in case.links if target < case.recording.page_count)
    return graph


@settings(deadline=None, derandomize=True)
@given(cases())
def test_importance_is_that_of_the_graph_of_pages(case: Case) -> None:
    graph, importance = graph_of(case), importance_of(case.recording)
    assert importance.back_links.tolist() == [graph.in_degree(page) for page in range(len(graph))]
    expected = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    found = importance.page_rank * RESOLUTION / len(graph)
    np.testing.assert_allclose(found, [expected[page] for page in range(len(graph))], atol=RESOLUTION)


def test_a_larger_graph_has_the_page_rank_of_networkx() -> None:
    graph = nx.gnp_random_graph(300, 0.01, seed=7, directed=True)
    edges = np.array(graph.edges, np.int64)
    ranks = page_rank(edges[:, 0], edges[:, 1], 300)
    expected = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    np.testing.assert_allclose(ranks, [expected[page] for page in range(300)], rtol=1e-6)
    assert abs(ranks.sum() - 1) < 1e-12


def test_pages_that_are_linked_alike_are_tied() -> None:
    importance = importance_of(recording_with([1] * 4, [(0, 1, 0), (0, 2, 0), (3, 2, 0), (3, 1, 0)], seeds=[0]))
    assert importance.page_rank[1] == importance.page_rank[2] > importance.page_rank[0] == importance.page_rank[3]


# Quality against its definition: the best over all ways of choosing the most important pages.


def best_over_choices(order: list[int], scores: list[int], count: int) -> float:
    """|A and P| / |P| for the best of all sets P of ``count`` pages than which no other is more important."""
    most = sum(sorted(scores)[-count:])
    choices = [
        set(chosen)
        for chosen in combinations(range(len(scores)), count)
        if sum(scores[page] for page in chosen) == most
    ]
    return max(len(chosen & set(order[:count])) for chosen in choices) / count


@settings(deadline=None, derandomize=True)
@given(st.data())
def test_quality_is_that_of_the_best_choice(data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=8))
    fetched = data.draw(
        st.permutations(range(len(scores))).flatmap(lambda all_: st.integers(0, len(all_)).map(lambda m: all_[:m]))
    )
    counts = np.arange(1, len(scores) + 1)
    found = quality(np.array(fetched, np.int64), np.array(scores), counts)
    assert found.tolist() == [best_over_choices(fetched, scores, count) for count in counts.tolist()]


@settings(deadline=None, derandomize=True)
@given(cases())
def test_pages_count_as_fetched_when_they_were_fetched_first(case: Case) -> None:
    assert first_fetches(case.course.fetches).tolist() == in_order_of_fetching(case)


def test_all_tied_is_as_good_as_what_was_fetched() -> None:
    assert quality(np.array([2, 0]), np.zeros(4, np.int64), np.array([1, 2, 4])).tolist() == [1.0, 1.0, 0.5]


def test_some_percent_of_pages_are_at_least_one() -> None:
    assert counts_at(np.array([1, 10, 50, 100]), 15).tolist() == [1, 2, 8, 15]
    assert counts_at(np.array([1, 50]), 200).tolist() == [2, 100]
