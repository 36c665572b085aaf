"""A rank's share of a hypergraph: a stretch of the vertices, and every net that has a pin among them.

The vertices are numbered through all ranks.  A net is on each rank that has a pin of it, with that rank's pins only.
One of these is its *home*, which knows who else *holds* the net.  What ranks must know of pins that are elsewhere,
how many lie in which part, goes through the net's home; so a hub with pins everywhere costs each rank its own pins.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from partition.communication.ranks import Ranks, owners_by_range
from partition.graphs.hypergraph import Hypergraph, of_all_nets
from partition.graphs.link_graph import Numbers
from partition.shares.keyed_sums import summed_by_key
from partition.shares.link_share import LinkShare
from sessions.hash_arrays import distinct


@dataclass(frozen=True)
class HypergraphShare:
    """One rank's v vertices of a hypergraph, and the m nets with a pin among them.

    Of the nets those come first whose home is here, h of them; then those at home on rank 0, on rank 1, and so on, in
    the order in which they stand at home.

    Attributes:
        ranks: who has the other shares.
        offsets: int64[R + 1]; rank r has the vertices from number ``offsets[r]`` up to ``offsets[r + 1]``.
        local: this rank's vertices, from 0, and nets, with the pins that are here: one at least.
        sizes: int64[m], how many pins each net has on all ranks, two at least.
        homes: int32[m - h], the home of each net that is at home elsewhere.
        places: int64[m - h], its number there.
        holder_starts: int64[h + 1]; the other ranks that hold net e, at home here, are
            ``holders[holder_starts[e]:holder_starts[e + 1]]``.
        holders: int32, ascending for each net.
    """

    ranks: Ranks
    offsets: Numbers
    local: Hypergraph
    sizes: Numbers
    homes: npt.NDArray[np.int32]
    places: Numbers
    holder_starts: Numbers
    holders: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.local)

    @property
    def at_home(self) -> int:
        """h, how many nets have their home here."""
        return len(self.holder_starts) - 1

    @property
    def vertices(self) -> int:
        """How many vertices all ranks have."""
        return int(self.offsets[-1])

    def net_at(self, homes: npt.NDArray[np.integer], places: Numbers) -> Numbers:
        """The number here of nets that are at home elsewhere, int64[n], given their homes and numbers there."""
        return self.at_home + np.searchsorted(_keys(self.homes, self.places), _keys(homes, places))


def share_of_sent_nets(links: LinkShare) -> HypergraphShare:
    """This rank's share of `partition.graphs.hypergraph.sent_nets`: a net for every page that others link to."""
    own = np.arange(len(links))
    degrees = np.diff(links.starts)
    is_net = degrees > 0
    # Each net begins with its own page.
    pins = np.insert(links.sources, links.starts[:-1][is_net], own[is_net] + links.first)
    starts = np.concatenate(([0], np.cumsum(degrees[is_net] + 1))).astype(np.int64)
    return hypergraph_share(links.ranks, links.offsets, starts, pins, links.url_bytes[is_net], links.weights)


def share_of_edge_nets(links: LinkShare) -> HypergraphShare:
    """This rank's share of `partition.graphs.hypergraph.edge_nets` of the page graph: a net for every edge."""
    targets = links.targets + links.first
    ends = np.stack([np.minimum(links.sources, targets), np.maximum(links.sources, targets)], axis=1)
    owners = owners_by_range(ends[:, 0], links.offsets)
    (ends, costs), _ = links.ranks.sent(owners, ends, links.url_bytes[links.targets])
    keys, costs = summed_by_key((ends[:, 0] - links.first) * links.pages + ends[:, 1], costs)
    pins = np.stack([keys // links.pages + links.first, keys % links.pages], axis=1).ravel()
    starts = np.arange(0, len(pins) + 1, 2)
    return hypergraph_share(links.ranks, links.offsets, starts, pins, costs, links.weights)


def hypergraph_share(
    ranks: Ranks, offsets: Numbers, starts: Numbers, pins: Numbers, costs: Numbers, weights: Numbers
) -> HypergraphShare:
    """The share of a rank, of which each knows the nets that are at home there, with all their pins.

    The pins of net e, distinct vertices of any rank, two at least, are ``pins[starts[e]:starts[e + 1]]``; ``costs``,
    int64[h], is what it costs.  ``weights``, int64[v, 2], are those of this rank's vertices.
    """
    sizes = np.diff(starts)
    nets, owners = np.repeat(np.arange(len(sizes)), sizes), owners_by_range(pins, offsets)
    is_here = owners == ranks.rank
    (places, others), came = ranks.sent(owners[~is_here], nets[~is_here], pins[~is_here])
    homes, places, foreign_sizes = _runs(np.repeat(np.arange(ranks.size), came), places)
    own_sizes = np.concatenate([np.bincount(nets[is_here], minlength=len(sizes)), foreign_sizes])
    own_pins = (np.concatenate([pins[is_here], others]) - offsets[ranks.rank]).astype(np.int32)
    foreign_costs, all_pins = ranks.answered(homes, lambda asked: (costs[asked], sizes[asked]), places)
    held = distinct(nets[~is_here] * ranks.size + owners[~is_here])
    return HypergraphShare(
        ranks,
        offsets,
        of_all_nets(own_sizes, own_pins, np.concatenate([costs, foreign_costs]), weights),
        np.concatenate([sizes, all_pins]),
        homes.astype(np.int32),
        places,
        np.concatenate(([0], np.cumsum(np.bincount(held // ranks.size, minlength=len(sizes))))).astype(np.int64),
        (held % ranks.size).astype(np.int32),
    )


def _runs(homes: Numbers, places: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The different (home, place) of pins that come net by net, in order, and how many pins each has."""
    firsts = np.flatnonzero(np.diff(_keys(homes, places), prepend=-1))
    return homes[firsts], places[firsts], np.diff(firsts, append=len(homes))


def _keys(homes: npt.NDArray[np.integer], places: Numbers) -> Numbers:
    """One number for each (home, place), in their order."""
    keys: Numbers = (homes.astype(np.int64) << 40) + places
    return keys
