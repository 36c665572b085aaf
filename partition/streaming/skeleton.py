"""What is left of a web when each batch of pages has been made clusters: small enough to be cut as a whole.

Clusters grow within batches by the links there.  Over all clusters there is a net for each page that is linked to from
another cluster, as there is over pages.  If that is more than fits, half of the nets are dropped by chance and the
others count twice, as often as it takes.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from partition.cut.coarsening import coarsened, contracted, enough_for
from partition.cut.communities import communities
from partition.cut.guide_graph import link_costs
from partition.graphs.group_sums import summed
from partition.graphs.hypergraph import Hypergraph, hypergraph
from partition.graphs.link_graph import Numbers
from partition.graphs.weighted_graph import WeightedGraph, matrix_of, undirected
from partition.streaming.batch_hypergraph import inner_nets, weights_of
from partition.streaming.batches import Batches, distinct_of
from sessions.hash_arrays import are_first

MOST_PINS = 1 << 22
"""Pins of the skeleton at most."""

_PAGES_PER_CLUSTER = 32
_MOST_CLUSTERS = 1 << 20


@dataclass(frozen=True)
class Skeleton:
    """The hypergraph of clusters, the graph that guides its cut, and the cluster of each page, int32[n]."""

    hypergraph: Hypergraph
    guide: WeightedGraph
    clusters: npt.NDArray[np.int32]


def skeleton(
    batches: Batches, k: int, balanced: tuple[str, ...], rng: np.random.Generator, most_pins: int = MOST_PINS
) -> Skeleton:
    """Make clusters of each batch, at least ten for each of ``k`` parts if there are so many pages."""
    pages = len(batches.pages)
    wanted = max(enough_for(k), min(pages // _PAGES_PER_CLUSTER, _MOST_CLUSTERS))
    clusters, weights, count = np.empty(pages, np.int32), [], 0
    for batch in range(len(batches)):
        first, size = batches.span(batch)
        own = weights_of(batches, batch, balanced)
        found, its_count = _clusters(batches, batch, own, max(1, -(-wanted * size // pages)), rng)
        clusters[first : first + size] = count + found
        weights.append(summed(own, found, its_count))
        count += its_count
    return _of_clusters(batches, clusters, np.concatenate(weights), rng, most_pins)


def _clusters(
    batches: Batches, batch: int, weights: Numbers, enough: int, rng: np.random.Generator
) -> tuple[Numbers, int]:
    """About ``enough`` clusters of a batch: int64[m], from 0; and how many there are."""
    nets, sources, targets = inner_nets(batches, batch, weights)
    count = len(weights)
    incoming = np.bincount(targets, minlength=count)
    first, _ = batches.span(batch)
    costs = link_costs(batches.pages.url_bytes[first + targets].astype(np.int64), incoming[targets])
    links = csr_array((costs, (sources, targets)), shape=(count, count))
    edges = undirected(matrix_of(links.indptr.astype(np.int64), links.indices.astype(np.int32), links.data, count))
    levels, coarsest, _ = coarsened(nets, communities(WeightedGraph(edges, weights), rng), enough, rng)
    found = np.arange(count)
    for level in levels:
        found = level.clusters[found]
    return found, len(coarsest)


def _of_clusters(
    batches: Batches, clusters: npt.NDArray[np.int32], weights: Numbers, rng: np.random.Generator, most_pins: int
) -> Skeleton:
    nets = _Nets(most_pins, rng)
    for batch in range(len(batches)):
        nets.add(batches, batch, clusters, len(weights))
    starts, pins, costs = nets.all()
    whole = hypergraph(starts, pins, costs, weights)
    guide = WeightedGraph(_guide(starts, pins, costs, len(weights)), weights)
    return Skeleton(contracted(whole, np.arange(len(weights)), len(weights)), guide, clusters)


class _Nets:
    """Nets over clusters, each with its own page's cluster first, of bounded memory."""

    def __init__(self, most_pins: int, rng: np.random.Generator) -> None:
        self._most_pins, self._rng = most_pins, rng
        self._pieces: list[tuple[Numbers, Numbers, Numbers]] = []
        self._pins, self._halvings = 0, 0

    def add(self, batches: Batches, batch: int, clusters: npt.NDArray[np.int32], count: int) -> None:
        """Add the nets of a batch's pages, of which there are ``count`` clusters in all."""
        first, size = batches.span(batch)
        own = clusters[first : first + size].astype(np.int64)
        sources, targets = batches.inner_links(batch)
        from_elsewhere = (its_targets * count + clusters[its] for its, its_targets in batches.links_to(batch))
        keys = distinct_of(chain([targets * count + own[sources]], from_elsewhere))
        nets, pins = keys // count, keys % count
        is_other = pins != own[nets]
        nets, pins = nets[is_other], pins[is_other]
        begins = np.flatnonzero(are_first(nets))
        sizes = np.diff(begins, append=len(nets)) + 1
        pins = np.insert(pins, begins, own[nets[begins]])
        costs = batches.pages.url_bytes[first + nets[begins]].astype(np.int64)
        piece = sizes, pins, costs
        for _ in range(self._halvings):
            piece = self._halved(*piece)
        self._pieces.append(piece)
        self._pins += len(piece[1])
        while self._pins > self._most_pins:
            self._pieces = [self._halved(*one) for one in self._pieces]
            self._pins = sum(len(pins) for _, pins, _ in self._pieces)
            self._halvings += 1

    def all(self) -> tuple[Numbers, Numbers, Numbers]:
        """Where each net begins, the pins, and what the nets cost."""
        sizes, pins, costs = (np.concatenate(columns) for columns in zip(*self._pieces, strict=True))
        return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), pins, costs

    def _halved(self, sizes: Numbers, pins: Numbers, costs: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        stays = self._rng.random(len(sizes)) < 0.5
        return sizes[stays], pins[np.repeat(stays, sizes)], 2 * costs[stays]


def _guide(starts: Numbers, pins: Numbers, costs: Numbers, count: int) -> csr_array:
    """Edges from the cluster of each net's page to the net's others, weighed as by `partition.cut.guide_graph`."""
    sizes = np.diff(starts)
    homes = np.repeat(pins[starts[:-1]], sizes - 1)
    is_other = np.ones(len(pins), np.bool_)
    is_other[starts[:-1]] = False
    each = np.repeat(link_costs(costs, sizes - 1), sizes - 1)
    links = csr_array((each, (homes, pins[is_other])), shape=(count, count))
    links.sum_duplicates()
    return undirected(matrix_of(links.indptr.astype(np.int64), links.indices.astype(np.int32), links.data, count))
