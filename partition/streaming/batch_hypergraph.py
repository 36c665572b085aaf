"""A batch of pages as a hypergraph in which the parts of all other pages stand as one fixed vertex each.

The part p is a vertex that weighs nothing and has an anchor in p that costs more than all nets, so nothing is gained
by moving it: the fixed vertices of hypergraph partitioning.  The nets of the batch's own pages are exact: a link from
elsewhere is a pin at the part of its source.  Of a net whose page lies elsewhere the owner of the page is known, and
that the batch's pages are pins of it; that others may be, too, is not.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.graphs.hypergraph import Hypergraph, hypergraph
from partition.graphs.link_graph import Numbers
from partition.streaming.batches import Batches, distinct_of
from sessions.hash_arrays import distinct


class InnerNets(NamedTuple):
    """Nets over the m pages of a batch, by links within it: ``sources`` and ``targets``, int64[l], from 0."""

    hypergraph: Hypergraph
    sources: Numbers
    targets: Numbers


def weights_of(batches: Batches, batch: int, balanced: tuple[str, ...]) -> Numbers:
    """What each page of the batch weighs, int64[m, w]: its bytes, and a request, as far as they are ``balanced``."""
    sizes = batches.bytes(batch)
    return np.stack([{"storage": sizes, "requests": np.ones_like(sizes)}[name] for name in balanced], axis=1)


def inner_nets(batches: Batches, batch: int, weights: Numbers) -> InnerNets:
    """The batch by itself, all links to and from elsewhere left out."""
    first, count = batches.span(batch)
    sources, targets = batches.inner_links(batch)
    own = np.arange(count)
    keys = distinct(np.concatenate([own * count + own, targets * count + sources]))
    costs = batches.pages.url_bytes[first : first + count].astype(np.int64)
    return InnerNets(hypergraph(*_nets(keys, count, count), costs, weights), sources, targets)


def batch_hypergraph(batches: Batches, batch: int, parts: Owners, k: int, weights: Numbers) -> Hypergraph:
    """The batch's m pages, and the k parts as further vertices; ``parts``, int32[n], are those of all pages."""
    first, count = batches.span(batch)
    vertices = count + k
    sources, targets = batches.links_from(batch)
    is_inner = (targets >= first) & (targets < first + count)
    away = distinct(targets[~is_inner])
    own = np.arange(count)
    from_elsewhere = distinct_of(
        its_targets * vertices + count + parts[its_sources] for its_sources, its_targets in batches.links_to(batch)
    )
    nets_away = count + np.arange(len(away))
    keys = distinct(
        np.concatenate(
            [
                own * vertices + own,
                (targets[is_inner] - first) * vertices + sources[is_inner],
                from_elsewhere,
                nets_away * vertices + count + parts[away],
                nets_away[np.searchsorted(away, targets[~is_inner])] * vertices + sources[~is_inner],
            ]
        )
    )
    costs = np.concatenate([batches.pages.url_bytes[first : first + count], batches.pages.url_bytes[away]])
    weights = np.concatenate([weights, np.zeros((k, weights.shape[1]), np.int64)])
    starts, pins = _nets(keys, vertices, len(costs))
    return hypergraph(starts, pins, costs.astype(np.int64), weights, _fixed(count, k, int(costs.sum()) * k + 1))


def _nets(keys: Numbers, vertices: int, nets: int) -> tuple[Numbers, Numbers]:
    """Where nets begin, and their pins, given distinct ascending net x vertices + pin."""
    sizes = np.bincount(keys // vertices, minlength=nets)
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), keys % vertices


def _fixed(count: int, k: int, cost: int) -> csr_array:
    """An anchor for each of the k vertices behind the first ``count``, int64 CSR [count + k, k]."""
    places = np.arange(k)
    return csr_array((np.full(k, cost, np.int64), (count + places, places)), shape=(count + k, k))
