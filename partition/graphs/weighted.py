"""The undirected graph that METIS cuts: pages, or groups of pages, joined by what their links cost."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

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
    costs = _between(graph, groups, count, graph.links.data)
    weights = np.stack([_summed(graph.weights[:, weight], groups, count) for weight in (0, 1)], axis=1)
    return WeightedGraph(_undirected(costs), weights)


def group_links(graph: LinkGraph, groups: Numbers, count: int) -> csr_array:
    """How many links each edge of `group_graph` stands for, both ways: a matrix with the same places filled."""
    return _undirected(_between(graph, groups, count, np.ones(graph.links.nnz, np.int64)))


def site_graph(graph: LinkGraph) -> WeightedGraph:
    """The graph of sites, numbered as in ``graph.site_names``."""
    return group_graph(graph, graph.sites, len(graph.site_names))


def _between(graph: LinkGraph, groups: Numbers, count: int, values: Numbers) -> csr_array:
    """The sum of the links' values from each group to each other, int64 CSR [count, count]; one value for each link."""
    rows, columns = groups[graph.sources], groups[graph.links.indices]
    leaves = rows != columns
    return csr_array((values[leaves], (rows[leaves], columns[leaves])), shape=(count, count))


def _undirected(directed: csr_array) -> csr_array:
    edges = (directed + directed.T).tocsr()
    edges.sum_duplicates()
    edges.indices, edges.indptr = edges.indices.astype(np.int64), edges.indptr.astype(np.int64)
    return edges


def _summed(weights: Numbers, groups: Numbers, count: int) -> Numbers:
    """Sums by group in whole numbers; np.bincount would sum in floating point."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, groups, weights)
    return sums
