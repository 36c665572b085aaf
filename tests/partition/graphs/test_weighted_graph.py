"""The graphs that METIS cuts, against networkx and the definitions of Cambazoglu, Turk and Aykanat."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.graphs.group_sums import summed
from partition.graphs.link_graph import LinkGraph
from partition.graphs.weighted_graph import WeightedGraph, group_graph, page_graph, site_graph
from tests.partition.graphs.support.webs import FILLED_WEBS, URLS, Fetch, Web, by_site, graph_of


def check_for_metis(edges: csr_array) -> None:
    """Symmetric, no diagonal, sorted, whole numbers, those of columns of 32 bits; an edge costs something."""
    assert (edges.data.dtype, edges.indices.dtype, edges.indptr.dtype) == (np.int64, np.int32, np.int64)
    assert (edges != edges.T).nnz == 0
    assert not edges.diagonal().any()
    assert (edges.data > 0).all()
    for begin, end in zip(edges.indptr[:-1], edges.indptr[1:], strict=True):
        assert (np.diff(edges.indices[begin:end]) > 0).all()


def undirected(links: csr_array) -> nx.Graph:
    """Links folded by networkx: an edge where there is a link either way, with the costs of both."""
    directed = nx.from_scipy_sparse_array(links, create_using=nx.DiGraph)
    graph = nx.Graph()
    graph.add_nodes_from(directed)
    for source, target, cost in directed.edges(data="weight"):
        before = graph.edges[source, target]["weight"] if graph.has_edge(source, target) else 0
        graph.add_edge(source, target, weight=before + cost)
    return graph


def same_edges(made: csr_array, expected: nx.Graph) -> bool:
    return bool((made.toarray() == nx.to_numpy_array(expected, nodelist=range(made.shape[0]), dtype=np.int64)).all())


@settings(max_examples=40)
@given(FILLED_WEBS)
def test_the_page_graph_is_the_links_without_their_directions(web: Web) -> None:
    links = graph_of(web)
    graph = page_graph(links)
    check_for_metis(graph.edges)
    assert len(graph) == len(links)
    assert graph.weights.tolist() == [[size, 1] for size in web.sizes.values()]
    urls = links.urls.to_pylist()
    edges = {frozenset(link): 0 for link in web.links}
    for link, cost in web.links.items():
        edges[frozenset(link)] += cost
    assert named(graph, urls) == edges
    assert same_edges(graph.edges, undirected(links.links))


def named(graph: WeightedGraph, names: list[str]) -> dict[frozenset[str], int]:
    """A graph's edges by the names of their ends."""
    cells = graph.edges.copy().tocoo()  # scipy wants starts and columns of one type here
    return {
        frozenset((names[row], names[column])): value
        for row, column, value in zip(cells.row.tolist(), cells.col.tolist(), cells.data.tolist(), strict=True)
    }


@settings(max_examples=40)
@given(FILLED_WEBS)
def test_the_site_graph_sums_pages_and_links_between_sites(web: Web) -> None:
    links = graph_of(web)
    graph = site_graph(links)
    check_for_metis(graph.edges)
    weights, edges = by_site(web)
    assert dict(zip(links.site_names, graph.weights.tolist(), strict=True)) == weights
    assert named(graph, links.site_names) == {pair: cost for pair, (cost, _) in edges.items()}


@settings(max_examples=40)
@given(FILLED_WEBS, st.data())
def test_groups_of_any_kind_are_the_quotient_graph(web: Web, data: st.DataObject) -> None:
    links = graph_of(web)
    count = 4
    drawn = data.draw(st.lists(st.integers(0, count - 1), min_size=len(links), max_size=len(links)))
    groups = np.array(drawn, np.int64)
    graph = group_graph(links, groups, count)
    check_for_metis(graph.edges)
    assert len(graph) == count
    assert graph.weights.dtype == np.int64
    assert graph.weights.sum(axis=0).tolist() == [sum(web.sizes.values()), len(web.sizes)]
    quotient: nx.Graph = nx.empty_graph(count)
    for one, other, cost in undirected(links.links).edges(data="weight"):
        if (pair := (drawn[one], drawn[other]))[0] != pair[1]:
            before = quotient.edges[pair]["weight"] if quotient.has_edge(*pair) else 0
            quotient.add_edge(*pair, weight=before + cost)
    assert same_edges(graph.edges, quotient)


def test_each_page_its_own_group_is_the_page_graph() -> None:
    links = chain()
    pages, groups = page_graph(links), group_graph(links, np.arange(len(links)), len(links))
    assert (pages.edges != groups.edges).nnz == 0
    assert pages.weights.tolist() == groups.weights.tolist()


def chain() -> LinkGraph:
    """Twelve pages on three sites, each linking to the next and back to the one before."""
    numbers = range(len(URLS))
    targets = [tuple(URLS[at] for at in (number - 1, number + 1) if at in numbers) for number in numbers]
    return graph_of(Web(tuple(Fetch(0, URLS[number], number, targets[number]) for number in numbers), ()))


def test_links_both_ways_are_one_edge_that_costs_both() -> None:
    graph = page_graph(chain())
    assert graph.edges.nnz == 2 * (len(URLS) - 1)
    assert graph.edges[3, 4] == graph.edges[4, 3] == len(URLS[3]) + len(URLS[4])


def test_pages_without_links_are_vertices_all_the_same() -> None:
    links = graph_of(Web((Fetch(0, URLS[0], 3, ()), Fetch(0, URLS[1], 0, ())), ()))
    for graph, weights in ((page_graph(links), [[3, 1], [0, 1]]), (site_graph(links), [[3, 2]])):
        check_for_metis(graph.edges)
        assert graph.edges.shape == (len(weights), len(weights))
        assert graph.edges.nnz == 0
        assert graph.weights.tolist() == weights


def test_weights_are_summed_without_rounding() -> None:
    """Floating point would lose the last byte of these."""
    links = graph_of(Web((Fetch(0, URLS[0], 0, ()), Fetch(0, URLS[1], 0, ())), ()))
    links.weights[:, 0] = [2**53, 1]
    assert site_graph(links).weights.tolist() == [[2**53 + 1, 2]]


# Sums by group, against plain addition.

LARGE = st.integers(0, 1 << 55)  # beyond what floating point tells apart


@given(st.lists(st.tuples(st.integers(0, 4), LARGE, LARGE), max_size=30))
def test_sums_are_exact(rows: list[tuple[int, int, int]]) -> None:
    groups = np.array([group for group, _, _ in rows], np.int32)
    values = np.array([pair for _, *pair in rows], np.int64).reshape(-1, 2)
    wanted = [[sum(row[weight] for row in rows if row[0] == group) for weight in (1, 2)] for group in range(5)]
    assert summed(values, groups, 5).tolist() == wanted
    assert summed(values[:, 0], groups, 5).tolist() == [row[0] for row in wanted]
    assert summed(values, groups, 5).dtype == np.int64
