"""Making a hypergraph smaller while each rank has a share of it: ranks make clusters of their own vertices.

Since ranks have stretches of an order in which linked pages are near, most of what belongs together is on one rank, and
also two vertices whose common net is at home elsewhere meet in that net.  So a rank needs to know nothing of the others
to make clusters; what it takes together is contracted everywhere at once (`contracted_share`).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.communication.ranks import Ranks
from partition.cut.coarsening import (
    LARGEST_NET,
    LARGEST_NET_AT_FIRST,
    LEAST_PROGRESS,
    SHRINK,
    clustered,
    mixed,
)
from partition.cut.connectivity import Nets, nets_of
from partition.graphs.group_sums import summed
from partition.graphs.hypergraph import Hypergraph, Pins, hypergraph, of_all_nets
from partition.graphs.link_graph import Numbers
from partition.shares.hypergraph_share import HypergraphShare
from sessions.compiled import compiled
from sessions.hash_arrays import are_first, concatenated_ranges

_FINENESS = 1000


@dataclass(frozen=True)
class ShareLevel:
    """A rank's share, and to which of its vertices of the next, coarser hypergraph each vertex belongs: int64[v]."""

    share: HypergraphShare
    clusters: Numbers


def coarsened_share(
    share: HypergraphShare, classes: Owners, enough: int, limits: Numbers, rng: np.random.Generator
) -> tuple[list[ShareLevel], HypergraphShare, Owners]:
    """Levels from fine to coarse; the coarsest, of about ``enough`` vertices on all ranks if it can be; its classes.

    No cluster has vertices of two ``classes`` (int32[v]), or weighs more than ``limits``, int64[w].
    """
    levels: list[ShareLevel] = []
    largest_net = LARGEST_NET_AT_FIRST
    while share.vertices > enough:
        target = max(len(share) * enough // share.vertices, int(len(share) / SHRINK))
        clusters, count = clustered(_as_rated(share), classes, limits, target, largest_net, rng)
        if share.ranks.total(count) > LEAST_PROGRESS * share.vertices:
            break
        levels.append(ShareLevel(share, clusters))
        coarse = np.empty(count, np.int32)
        coarse[clusters] = classes
        share, classes = contracted_share(share, clusters, count), coarse
        largest_net = LARGEST_NET
    return levels, share, classes


def _as_rated(share: HypergraphShare) -> Hypergraph:
    """This rank's hypergraph, a net costing so much that it counts as what it is on all ranks together.

    A net of n pins is worth cost / (n - 1) to each pair; n is taken from the pins that are here.
    """
    here = np.diff(share.local.starts)
    costs = _FINENESS * share.local.costs * np.maximum(here - 1, 0) // (share.sizes - 1)
    return hypergraph(share.local.starts, share.local.pins, np.maximum(costs, 1), share.local.weights)


def contracted_share(fine: HypergraphShare, clusters: Numbers, count: int) -> HypergraphShare:
    """The share of the hypergraph of clusters, of which this rank has ``count``; ``clusters``, int64[v], from 0.

    The hypergraph is that of `partition.cut.coarsening.contracted`: nets that have become one vertex are gone, those
    that have come to have the same pins are one, wherever they were at home.
    """
    ranks, h = fine.ranks, fine.at_home
    offsets = ranks.offsets(count)
    starts, pins, prints = _own_clusters(nets_of(fine.local), clusters, count, int(offsets[ranks.rank]))
    here = np.diff(starts)
    sizes, all_prints = here[:h].copy(), prints[:h].copy()
    (places, others, other_prints), _ = ranks.sent(fine.homes, fine.places, here[h:], prints[h:])
    np.add.at(sizes, places, others)
    np.add.at(all_prints, places, other_prints)
    kept, costs = _merged(ranks, sizes, all_prints, fine.local.costs[:h])
    new_places = np.full(h, -1)
    new_places[kept] = np.arange(len(kept))
    answers = ranks.answered(fine.homes, lambda asked: (new_places[asked], costs[asked], sizes[asked]), fine.places)
    is_kept = np.concatenate([new_places >= 0, answers[0] >= 0])
    abroad = is_kept[h:]
    held = np.diff(fine.holder_starts)[kept]
    return HypergraphShare(
        ranks,
        offsets,
        of_all_nets(
            here[is_kept],
            pins[np.repeat(is_kept, here)],
            np.concatenate([costs[kept], answers[1][abroad]]),
            summed(fine.local.weights, clusters, count),
        ),
        np.concatenate([sizes[kept], answers[2][abroad]]),
        fine.homes[abroad],
        answers[0][abroad],
        np.concatenate(([0], np.cumsum(held))).astype(np.int64),
        fine.holders[concatenated_ranges(fine.holder_starts[:-1][kept], held)],
    )


def _merged(ranks: Ranks, sizes: Numbers, prints: npt.NDArray[np.uint64], costs: Numbers) -> tuple[Numbers, Numbers]:
    """Which of the nets at home here stay, ascending, and what each net costs, int64[h], with those like it.

    Nets are alike if they have the same size and the same print; of those the first of the lowest rank stays.
    """
    cuttable = np.flatnonzero(sizes > 1)
    owners = (prints[cuttable] % np.uint64(ranks.size)).astype(np.int64)
    is_first, sums = ranks.answered(owners, _alike, prints[cuttable], sizes[cuttable], costs[cuttable])
    totals = costs.copy()
    totals[cuttable] = sums
    return cuttable[is_first], totals


def _alike(prints: npt.NDArray[np.uint64], sizes: Numbers, costs: Numbers) -> tuple[npt.NDArray[np.bool_], Numbers]:
    """Which nets are the first of their kind, and what all of their kind cost together."""
    order = np.lexsort((sizes, prints))
    begins = are_first(prints[order]) | are_first(sizes[order])
    kinds = np.empty(len(order), np.int64)
    kinds[order] = np.cumsum(begins) - 1
    is_first = np.zeros(len(order), np.bool_)
    is_first[order[begins]] = True
    return is_first, summed(costs, kinds, int(begins.sum()))[kinds]


@compiled
def _own_clusters(
    nets: Nets, clusters: Numbers, count: int, first: int
) -> tuple[Numbers, Pins, npt.NDArray[np.uint64]]:
    """Each net's distinct clusters on this rank, whose numbers begin at ``first``, and a print of them."""
    starts, prints = np.zeros(len(nets.costs) + 1, np.int64), np.zeros(len(nets.costs), np.uint64)
    pins = np.empty(len(nets.pins), np.int32)
    met = np.full(count, -1, np.int32)
    end = 0
    for net in range(len(nets.costs)):
        pins_print = np.uint64(0)
        for place in range(nets.starts[net], nets.starts[net + 1]):
            cluster = clusters[nets.pins[place]]
            if met[cluster] != net:
                met[cluster] = net
                pins[end] = cluster
                pins_print += mixed(first + cluster)
                end += 1
        starts[net + 1], prints[net] = end, pins_print
    return starts, pins[:end].copy(), prints
