"""The coarsest hypergraph and its guide, whole, on every rank: what `partition.cut` can cut."""

import numpy as np
from scipy.sparse import csr_array

from partition.communication.ranks import owners_by_range
from partition.cut.guide_graph import link_costs
from partition.graphs.hypergraph import Hypergraph, hypergraph
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph
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
    costs = links.url_bytes[links.targets]
    return costs if is_exact else link_costs(costs, np.diff(links.starts)[links.targets])


def guide_here(links: LinkShare, costs: Numbers) -> WeightedGraph:
    """The guide among this rank's pages alone; ``costs`` are those of the links."""
    is_here = owners_by_range(links.sources, links.offsets) == links.ranks.rank
    sources, targets = links.sources[is_here] - links.first, links.targets[is_here]
    return _undirected(sources, targets, costs[is_here], links.weights)


def gathered_guide(links: LinkShare, costs: Numbers, clusters: Numbers, weights: Numbers) -> WeightedGraph:
    """The whole guide of clusters of pages: ``clusters``, int64[n], is the number through all ranks of each page's.

    ``weights``, int64[v, w], are those of all clusters.
    """
    sources = of_sources(links, clusters)
    targets = clusters[links.targets]
    leaves = sources != targets
    keys, costs = summed_by_key(sources[leaves] * len(weights) + targets[leaves], costs[leaves])
    keys, costs = links.ranks.gathered(keys), links.ranks.gathered(costs)
    return _undirected(*np.divmod(keys, len(weights)), costs, weights)


def of_sources(links: LinkShare, values: Numbers) -> Numbers:
    """What their ranks know of the pages that link here, int64, in the order of ``links.sources``.

    ``values``, int64[n], is what this rank knows of its own pages.
    """
    pages = distinct(links.sources)
    owners = owners_by_range(pages, links.offsets)
    (found,) = links.ranks.answered(owners, lambda asked: (values[asked - links.first],), pages)
    return found[np.searchsorted(pages, links.sources)]


def _undirected(sources: Numbers, targets: Numbers, costs: Numbers, weights: Numbers) -> WeightedGraph:
    ends = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    edges = csr_array((np.concatenate([costs, costs]), ends), shape=(len(weights), len(weights)))
    edges.sum_duplicates()
    edges.indices, edges.indptr = edges.indices.astype(np.int64), edges.indptr.astype(np.int64)
    return WeightedGraph(edges, weights)
