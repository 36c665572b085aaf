"""The undirected graph that METIS cuts: pages, or groups of pages, joined by what their links cost."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from partition.graphs.group_sums import summed
from partition.graphs.link_graph import LinkGraph, Numbers


@dataclass(frozen=True)
class WeightedGraph:
    """An undirected graph of v vertices.

    Attributes:
        edges: symmetric int64 CSR [v, v], no diagonal; an entry is the cost of cutting that edge.
        weights: int64[v, 2], what each vertex adds to its part's bytes and requests.
    """

    edges: csr_array
    weights: Numbers

    def __len__(self) -> int:
        return len(self.weights)


def page_graph(graph: LinkGraph) -> WeightedGraph:
    """The page graph of Cambazoglu, Turk and Aykanat (2004, section 3.1).

    Vertices are pages weighing (bytes, 1).  There is one edge where either page links to the other; it costs the
    total length of the URLs of the links both ways.
    """
    return WeightedGraph(_undirected(graph.links), graph.weights)


def group_graph(graph: LinkGraph, groups: Numbers, count: int) -> WeightedGraph:
    """The graph of ``count`` groups of pages; page i belongs to group ``groups[i]``, int64[n].

    With sites as groups it is the site graph of the same paper (section 3.2): weights are summed over a group's
    pages, an edge costs the total length of all links between pages of the two groups, links within one are dropped.
    """
    return contracted_graph(page_graph(graph), groups, count)


def contracted_graph(graph: WeightedGraph, groups: Numbers, count: int) -> WeightedGraph:
    """The graph of ``count`` groups of vertices, int64[v] each: weights and costs are summed, inner edges dropped."""
    edges = graph.edges.tocoo()
    rows, columns = groups[edges.row], groups[edges.col]
    leaves = rows != columns
    between = csr_array((edges.data[leaves], (rows[leaves], columns[leaves])), shape=(count, count))
    return WeightedGraph(_with_long_indices(between), summed(graph.weights, groups, count))


def subgraph(graph: WeightedGraph, vertices: Numbers) -> WeightedGraph:
    """The graph of some vertices, int64[r], ascending, and the edges between them."""
    return WeightedGraph(_with_long_indices(graph.edges[vertices][:, vertices].tocsr()), graph.weights[vertices])


def group_links(graph: LinkGraph, groups: Numbers, count: int) -> csr_array:
    """How many links each edge of `group_graph` stands for, both ways: a matrix with the same places filled."""
    links = graph.links.copy()
    links.data = np.ones(links.nnz, np.int64)
    return group_graph(replace(graph, links=links), groups, count).edges


def site_graph(graph: LinkGraph) -> WeightedGraph:
    """The graph of sites, numbered as in ``graph.site_names``."""
    return group_graph(graph, graph.sites, len(graph.site_names))


def _undirected(directed: csr_array) -> csr_array:
    return _with_long_indices((directed + directed.T).tocsr())


def _with_long_indices(edges: csr_array) -> csr_array:
    """The matrix with 64-bit indices, which METIS wants and scipy shortens, sorted."""
    edges.sum_duplicates()
    edges.indices, edges.indptr = edges.indices.astype(np.int64), edges.indptr.astype(np.int64)
    return edges
