"""The ordinary graphs that stand for a hypergraph where METIS has to cut one."""

import numpy as np

from partition.graphs.link_graph import LinkGraph, Numbers
from partition.graphs.weighted_graph import WeightedGraph, matrix_of, undirected

_FINENESS = 100  # costs are whole numbers; a link of the least cost to a much-linked page must not become 0


def sent_guide(graph: LinkGraph) -> WeightedGraph:
    """The page graph in which a link costs the less the more links its target has.

    A page with d links to it is sent at most K - 1 times, not d times, so its links are worth less when each URL is
    sent once.  Dividing by d would make a popular page worth one link; the square root was measured to do best.
    """
    links = graph.links
    incoming = np.bincount(links.indices, minlength=len(graph))
    costs = link_costs(links.data, incoming[links.indices])
    return WeightedGraph(undirected(matrix_of(links.indptr, links.indices, costs, len(graph))), graph.weights)


def link_costs(costs: Numbers, incoming: Numbers) -> Numbers:
    """What links count in `sent_guide`, int64[n], given what they cost and how many links their targets have."""
    counted: Numbers = np.maximum(1, _FINENESS * costs / np.sqrt(incoming)).astype(np.int64)
    return counted
