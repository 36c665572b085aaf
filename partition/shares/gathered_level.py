"""The coarsest hypergraph and its guide, whole, on every rank: what `partition.cut` can cut."""

import numpy as np

from partition.communication.ranks import owners_by_range
from partition.cut.guide_graph import link_costs
from partition.graphs.hypergraph import Hypergraph, hypergraph
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph, matrix_of, undirected
from partition.shares.hypergraph_share import HypergraphShare
from partition.shares.keyed_sums import summed_by_key
from partition.shares.link_share import LinkShare
from sessions.hash_arrays import distinct


def gathered_hypergraph(share: HypergraphShare) -> Hypergraph:
    """The whole hypergraph, the nets in the order of their homes."""
    ranks, local, h = share.ranks, share.local, share.at_home
    net_offsets = ranks.offsets(h)
    numbers = np.concatenate([net_offsets[ranks.rank] + np.arange(h), net_offsets[share.homes] + share.places])
    nets = ranks.gathered(np.repeat(numbers, np.diff(local.starts)))
    pins = ranks.gathered(local.pins + share.offsets[ranks.rank])
    order = np.lexsort((pins, nets))
    starts = np.concatenate(([0], np.cumsum(np.bincount(nets, minlength=int(net_offsets[-1])))))
    return hypergraph(starts, pins[order], ranks.gathered(local.costs[:h]), ranks.gathered(local.weights))


def costs_of_links(links: LinkShare, *, is_exact: bool) -> Numbers:
    """What the links to this rank's pages count in the guide, int64: their cost, or `guide_graph.sent_guide`'s."""
    degrees = np.diff(links.starts)
    costs = links.url_bytes if is_exact else link_costs(links.url_bytes, np.maximum(degrees, 1))
    return np.repeat(costs, degrees)


def guide_here(links: LinkShare, *, is_exact: bool) -> WeightedGraph:
    """The guide among this rank's pages alone."""
    is_here = owners_by_range(links.sources, links.offsets) == links.ranks.rank
    starts = np.concatenate(([0], np.cumsum(is_here)))[links.starts]
    costs = costs_of_links(links, is_exact=is_exact)[is_here]
    directed = matrix_of(starts, (links.sources[is_here] - links.first).astype(np.int32), costs, len(links))
    return WeightedGraph(undirected(directed), links.weights)


def gathered_guide(links: LinkShare, clusters: Numbers, weights: Numbers, *, is_exact: bool) -> WeightedGraph:
    """The whole guide of clusters of pages: ``clusters``, int64[n], is the number through all ranks of each page's.

    ``weights``, int64[v, w], are those of all clusters.
    """
    costs = costs_of_links(links, is_exact=is_exact)
    sources = of_sources(links, clusters)
    targets = clusters[links.targets]
    leaves = sources != targets
    keys, costs = summed_by_key(sources[leaves] * len(weights) + targets[leaves], costs[leaves])
    keys, costs = summed_by_key(links.ranks.gathered(keys), links.ranks.gathered(costs))
    rows, columns = np.divmod(keys, len(weights))
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(weights)))))
    return WeightedGraph(undirected(matrix_of(starts, columns.astype(np.int32), costs, len(weights))), weights)


def of_sources(links: LinkShare, values: Numbers) -> Numbers:
    """What their ranks know of the pages that link here, int64, in the order of ``links.sources``.

    ``values``, int64[n], is what this rank knows of its own pages.
    """
    pages = distinct(links.sources)
    owners = owners_by_range(pages, links.offsets)
    (found,) = links.ranks.answered(owners, lambda asked: (values[asked - links.first],), pages)
    return found[np.searchsorted(pages, links.sources)]
