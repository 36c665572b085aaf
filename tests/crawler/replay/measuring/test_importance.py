"""Back-links and PageRank against their definitions and networkx."""

import networkx as nx
import numpy as np
from hypothesis import given, settings

from crawler.replay.measuring.importance import RESOLUTION, importance_of, page_rank
from tests.crawler.replay.support.courses import Case, cases, recording_with


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
