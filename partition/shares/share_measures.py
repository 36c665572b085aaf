"""What can be said of a partition by ranks that each have a share of the pages: sums over all of them."""

from dataclasses import dataclass

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import Numbers
from partition.measures.imbalance import imbalance
from partition.measures.traffic import Traffic, traffic_of
from partition.shares.gathered_level import of_sources
from partition.shares.link_share import LinkShare
from sessions.hash_arrays import distinct


@dataclass(frozen=True)
class ShareMeasures:
    """Those of `partition.measures.measures.Measures` that need no more than sums over ranks.

    Attributes:
        imbalances: of storage and requests, by name: max / mean - 1.
        excesses: by how much the worst part is beyond the tolerance of each balanced weight (`Balance.excesses`).
        pages: traffic over the links between downloaded pages.
    """

    imbalances: dict[str, float]
    excesses: dict[str, float]
    pages: Traffic


def share_measures(links: LinkShare, parts: Owners, balance: Balance) -> ShareMeasures:
    """Measure the assignment of this rank's pages to ``parts``, int32[n], and of the others' to theirs."""
    k = balance.parts
    every = np.arange(k, dtype=np.int32)
    weights = {"storage": links.bytes, "requests": np.ones(len(links), np.int64)}
    imbalances = {
        name: imbalance(links.ranks.summed(summed(own, parts, k)), every, k, balance.shares.tolist())
        for name, own in weights.items()
    }
    loads = links.ranks.summed(summed(links.weights, parts, k))
    excesses = dict(zip(links.balanced, balance.excesses(loads, every).tolist(), strict=True))
    return ShareMeasures(imbalances, excesses, _traffic(links, parts.astype(np.int64), k))


def _traffic(links: LinkShare, parts: Numbers, k: int) -> Traffic:
    """`partition.measures.traffic.traffic` over the links between pages."""
    finders, owners = of_sources(links, parts), parts[links.targets]
    crosses = finders != owners
    pairs, targets = (finders * k + owners)[crosses], links.targets[crosses]
    counts, lengths = (
        links.ranks.summed(summed(values, pairs, k * k)).reshape(k, k)
        for values in (np.ones(len(pairs), np.int64), links.url_bytes[targets])
    )
    once = distinct(targets * k + finders[crosses]) // k
    of_all, sent_links, sent_bytes = links.ranks.summed(
        np.array([len(links.sources), len(once), links.url_bytes[once].sum()], np.int64)
    ).tolist()
    return traffic_of(of_all, counts, lengths, sent_links, sent_bytes)
