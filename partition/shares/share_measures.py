"""What can be said of a partition by ranks that each have a share of the pages: sums over all of them."""

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import Numbers
from partition.measures.summed_measures import SummedMeasures, summed_measures
from partition.measures.traffic import Traffic, traffic_of
from partition.shares.gathered_level import of_sources
from partition.shares.link_share import LinkShare
from sessions.hash_arrays import distinct


def share_measures(links: LinkShare, parts: Owners, balance: Balance) -> SummedMeasures:
    """Measure the assignment of this rank's pages to ``parts``, int32[n], and of the others' to theirs."""
    k = balance.parts
    weights = np.stack([links.bytes, np.ones(len(links), np.int64)], axis=1)
    loads = links.ranks.summed(summed(weights, parts, k))
    return summed_measures(loads, balance, links.balanced, _traffic(links, parts.astype(np.int64), k))


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
