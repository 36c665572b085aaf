"""Making a hypergraph smaller while keeping its shape: vertices that belong together become one.

Clusters grow by heavy-edge rating as in KaHyPar (Schlag et al., "k-way Hypergraph Partitioning via n-Level Recursive
Bisection", ALENEX 2016, section 3): a vertex joins the cluster with which it shares the most cost, a net counting the
less the more pins it has.  Clusters never cross the parts of a partition that is to be kept, so the same code serves
the first descent, where all is one part, and later cycles.

Threads choose clusters for a stretch of the vertices at the same time, as things are; then the vertices join them one
after the other (synchronous sub-rounds, as in Gottesbüren and Hamann, "Deterministic Parallel Hypergraph Partitioning",
Euro-Par 2022).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.connectivity import Nets, nets_of
from partition.cut.crew import ALONE, Crew
from partition.graphs.group_sums import summed, summed_rows
from partition.graphs.hypergraph import Hypergraph, Pins, hypergraph
from partition.graphs.link_graph import Numbers
from sessions.compiled import compiled

SHRINK = 2.0
"""A level has at least half of the vertices of the one before, lest there be too few levels to refine on."""

LEAST_PROGRESS = 0.95
"""A level that has more of the vertices of the one before is not worth it."""

LARGEST_NET_AT_FIRST, LARGEST_NET = 200, 500
"""Pins of the nets that clusters are rated by, on the finest level and on the others."""

FEWEST = 4096
"""Vertices that choose at the same time, at least; where there are no more, they choose one after the other."""

_MOST_STRETCHES = 32
_PER_PART, _AT_LEAST = 10, 160
_NONE, _UNKNOWN = -1, -2


def enough_for(parts: int) -> int:
    """How many vertices are few enough to be cut into so many parts: ten for each, and some for few parts, too."""
    return max(_PER_PART * parts, _AT_LEAST)


@dataclass(frozen=True)
class Level:
    """A hypergraph, and to which vertex of the next, coarser one each of its vertices belongs: int64[v]."""

    hypergraph: Hypergraph
    clusters: Numbers


class GrowingClusters(NamedTuple):
    """Clusters on their way.

    Attributes:
        leaders: int32[v], a member of each vertex's cluster that stands for all.
        sizes: int32[v], how many members each leader's cluster has.
        weights: int64[v, w], what it weighs.
    """

    leaders: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int32]
    weights: Numbers


class ScratchRatings(NamedTuple):
    """Room for one thread to rate clusters: ``ratings``, all zero between calls, and ``rated``, [v] each."""

    ratings: npt.NDArray[np.float64]
    rated: npt.NDArray[np.int32]


def coarsened(
    hypergraph: Hypergraph, parts: Owners, enough: int, rng: np.random.Generator, crew: Crew = ALONE
) -> tuple[list[Level], Hypergraph, Owners]:
    """Levels from fine to coarse; the coarsest hypergraph, of about ``enough`` vertices if it can be; and its parts.

    No cluster has vertices of two ``parts`` (int32[v]), or more than 1/``enough`` of any weight.
    """
    limits = hypergraph.weights.sum(axis=0) // enough + 1
    levels: list[Level] = []
    largest_net = LARGEST_NET_AT_FIRST
    while len(hypergraph) > enough:
        count = len(hypergraph)
        clusters, left = clustered(hypergraph, parts, limits, max(enough, int(count / SHRINK)), largest_net, rng, crew)
        if left > LEAST_PROGRESS * count:
            break
        levels.append(Level(hypergraph, clusters))
        parts = _parts_of_clusters(parts, clusters, left)
        hypergraph = contracted(hypergraph, clusters, left)
        largest_net = LARGEST_NET
    return levels, hypergraph, parts


def clustered(
    hypergraph: Hypergraph,
    parts: Owners,
    limits: Numbers,
    target: int,
    largest_net: int,
    rng: np.random.Generator,
    crew: Crew = ALONE,
) -> tuple[Numbers, int]:
    """The cluster of each vertex, int64[v], from 0, and how many there are: ``target``, or more if there must be.

    No cluster has vertices of two ``parts`` (int32[v]), or weighs more than ``limits``, int64[w], unless a vertex does.
    Nets of more than ``largest_net`` pins are not looked at.
    """
    order = rng.permutation(len(hypergraph)).astype(np.int32)
    leaders, left = _clusters(nets_of(hypergraph), parts, limits, order, largest_net, target, crew)
    return numbered(leaders), left


def numbered(leaders: Pins) -> Numbers:
    """Clusters numbered from 0, int64[v], given a member of each vertex's cluster that stands for all."""
    is_leader = leaders == np.arange(len(leaders))
    numbers: Numbers = (np.cumsum(is_leader) - 1)[leaders].astype(np.int64)
    return numbers


def contracted(fine: Hypergraph, clusters: Numbers, count: int) -> Hypergraph:
    """The hypergraph of ``count`` clusters, int64[v] each; nets with the same pins become one that costs their sum."""
    starts, pins, costs = _contracted_nets(nets_of(fine), clusters, count)
    return hypergraph(
        starts, pins, costs, summed(fine.weights, clusters, count), summed_rows(fine.anchors, clusters, count)
    )


def _parts_of_clusters(parts: Owners, clusters: Numbers, count: int) -> Owners:
    coarse = np.empty(count, np.int32)
    coarse[clusters] = parts
    return coarse


def _clusters(
    nets: Nets,
    parts: Owners,
    limits: Numbers,
    order: npt.NDArray[np.int32],
    largest_net: int,
    target: int,
    crew: Crew,
) -> tuple[npt.NDArray[np.int32], int]:
    """A leader for each vertex, and how many clusters there are; vertices choose in the order given."""
    count = len(order)
    growing = GrowingClusters(np.arange(count, dtype=np.int32), np.ones(count, np.int32), nets.weights.copy())
    scratches = [ScratchRatings(np.zeros(count), np.empty(count, np.int32)) for _ in range(crew.threads)]
    left, size = count, max(FEWEST, -(-count // _MOST_STRETCHES))
    for first in range(0, count, size):
        if left <= target:
            break
        stretch = order[first : first + size]
        if count > size:
            pieces = list(zip(crew.stretches(stretch), scratches, strict=True))
            chosen = np.concatenate(
                crew.each(lambda piece: _chosen(nets, parts, limits, growing, largest_net, *piece), pieces)
            )
        else:
            chosen = np.full(len(stretch), _UNKNOWN, np.int32)
        left = _joined(nets, parts, limits, growing, largest_net, stretch, chosen, scratches[0], left, target)
    return growing.leaders, left


@compiled
def _chosen(
    nets: Nets,
    parts: Owners,
    limits: Numbers,
    growing: GrowingClusters,
    largest_net: int,
    vertices: npt.NDArray[np.int32],
    scratch: ScratchRatings,
) -> npt.NDArray[np.int32]:
    """The cluster that each of the vertices would join as things are, `_NONE` if there is none or it is in one."""
    chosen = np.empty(len(vertices), np.int32)
    for index in range(len(vertices)):
        vertex = vertices[index]
        is_free = growing.leaders[vertex] == vertex and growing.sizes[vertex] == 1
        chosen[index] = _best_cluster(nets, parts, limits, growing, largest_net, vertex, scratch) if is_free else _NONE
    return chosen


@compiled
def _joined(
    nets: Nets,
    parts: Owners,
    limits: Numbers,
    growing: GrowingClusters,
    largest_net: int,
    vertices: npt.NDArray[np.int32],
    chosen: npt.NDArray[np.int32],
    scratch: ScratchRatings,
    left: int,
    target: int,
) -> int:
    """Have the vertices join what they have chosen, or choose again if that is full; how many clusters are left."""
    for index in range(len(vertices)):
        vertex, best = vertices[index], chosen[index]
        if left <= target:
            break
        if growing.leaders[vertex] != vertex or growing.sizes[vertex] > 1 or best == _NONE:
            continue
        if best != _UNKNOWN:
            best = growing.leaders[best]
        if best == _UNKNOWN or not _fits(growing.weights, nets.weights, limits, best, vertex):
            best = _best_cluster(nets, parts, limits, growing, largest_net, vertex, scratch)
        if best != _NONE:
            growing.leaders[vertex] = best
            growing.sizes[best] += 1
            left -= 1
            for weight in range(growing.weights.shape[1]):
                growing.weights[best, weight] += nets.weights[vertex, weight]
    return left


@compiled
def _best_cluster(
    nets: Nets,
    parts: Owners,
    limits: Numbers,
    growing: GrowingClusters,
    largest_net: int,
    vertex: int,
    scratch: ScratchRatings,
) -> int:
    """The leader of the cluster with which the vertex shares most and that has room for it; of equals the smallest."""
    found = _rate(nets, parts, growing.leaders, vertex, largest_net, scratch.ratings, scratch.rated)
    best, most = _NONE, 0.0
    for index in range(found):
        leader = scratch.rated[index]
        rating = scratch.ratings[leader]
        scratch.ratings[leader] = 0
        is_as_good = rating == most and best != _NONE and growing.sizes[leader] < growing.sizes[best]
        if (rating > most or is_as_good) and _fits(growing.weights, nets.weights, limits, leader, vertex):
            best, most = leader, rating
    return best


@compiled
def _rate(
    nets: Nets,
    parts: Owners,
    leaders: npt.NDArray[np.int32],
    vertex: int,
    largest_net: int,
    ratings: npt.NDArray[np.float64],
    rated: npt.NDArray[np.int32],
) -> int:
    """Add up in ``ratings`` what the vertex has in common with each cluster; how many are listed in ``rated``."""
    found = 0
    for place in range(nets.vertex_starts[vertex], nets.vertex_starts[vertex + 1]):
        net = nets.nets[place]
        size = nets.starts[net + 1] - nets.starts[net]
        if size > largest_net:
            continue
        share = nets.costs[net] / (size - 1)
        for pin in range(nets.starts[net], nets.starts[net + 1]):
            other = nets.pins[pin]
            if other == vertex or parts[other] != parts[vertex]:
                continue
            leader = leaders[other]
            if ratings[leader] == 0:
                rated[found] = leader
                found += 1
            ratings[leader] += share
    return found


@compiled
def _fits(weights: Numbers, single: Numbers, limits: Numbers, leader: int, vertex: int) -> bool:
    for weight in range(weights.shape[1]):  # noqa: SIM110 - a generator would not be compiled
        if weights[leader, weight] + single[vertex, weight] > limits[weight]:
            return False
    return True


@compiled
def _contracted_nets(nets: Nets, clusters: Numbers, count: int) -> tuple[Numbers, Pins, Numbers]:
    """The distinct clusters and the cost of each net that still has two; one net for all that have the same clusters.

    Nets are told by a 64-bit print of their clusters and their number, in an open hash table.
    """
    starts, costs = np.zeros(len(nets.costs) + 1, np.int64), np.empty(len(nets.costs), np.int64)
    pins, prints = np.empty(len(nets.pins), np.int32), np.empty(len(nets.costs), np.uint64)
    table = np.full(_power_of_two(2 * len(nets.costs)), -1, np.int32)
    met = np.full(count, -1, np.int32)
    kept = 0
    for net in range(len(nets.costs)):
        end = starts[kept]
        pins_print = np.uint64(0)
        for place in range(nets.starts[net], nets.starts[net + 1]):
            cluster = clusters[nets.pins[place]]
            if met[cluster] != net:
                met[cluster] = net
                pins[end] = cluster
                pins_print += mixed(cluster)
                end += 1
        if end - starts[kept] == 1:
            continue
        prints[kept], starts[kept + 1] = pins_print, end
        slot = np.int64(pins_print & np.uint64(len(table) - 1))
        while table[slot] >= 0 and not _are_alike(prints, starts, table[slot], kept):
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] >= 0:
            costs[table[slot]] += nets.costs[net]
            continue
        table[slot], costs[kept] = kept, nets.costs[net]
        kept += 1
    return starts[: kept + 1].copy(), pins[: starts[kept]].copy(), costs[:kept].copy()


@compiled
def _are_alike(prints: npt.NDArray[np.uint64], starts: Numbers, one: int, other: int) -> bool:
    has_same_size = starts[one + 1] - starts[one] == starts[other + 1] - starts[other]
    return bool(has_same_size and prints[one] == prints[other])


@compiled
def _power_of_two(least: int) -> int:
    power = 1
    while power < least:
        power *= 2
    return power


@compiled
def mixed(number: int) -> np.uint64:
    """The number's bits well mixed (the finaliser of SplitMix64), so that a sum tells sets of numbers apart."""
    bits = np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
