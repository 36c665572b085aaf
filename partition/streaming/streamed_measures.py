"""What can be said of a partition by one look at every link, batch by batch."""

from itertools import chain

import numpy as np

from partition.assignment.assignment import Owners
from partition.choices import BALANCED
from partition.cut.balance import Balance
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import Numbers
from partition.measures.summed_measures import SummedMeasures, summed_measures
from partition.measures.traffic import Traffic, traffic_of
from partition.streaming.batch_hypergraph import weights_of
from partition.streaming.batches import Batches, distinct_of


def streamed_measures(batches: Batches, parts: Owners, balance: Balance, balanced: tuple[str, ...]) -> SummedMeasures:
    """Measure the assignment of pages to ``parts``, int32[n]."""
    loads = np.zeros((balance.parts, len(BALANCED)), np.int64)
    for batch in range(len(batches)):
        first, size = batches.span(batch)
        loads += summed(weights_of(batches, batch, BALANCED), parts[first : first + size], balance.parts)
    return summed_measures(loads, balance, balanced, _traffic(batches, parts, balance.parts))


def _traffic(batches: Batches, parts: Owners, k: int) -> Traffic:
    of_all, sent_links, sent_bytes = 0, 0, 0
    links, lengths = np.zeros(k * k, np.int64), np.zeros(k * k, np.int64)
    for batch in range(len(batches)):
        first, _ = batches.span(batch)
        sources, targets = batches.links_from(batch)
        of_all += len(sources)
        pairs = parts[first + sources].astype(np.int64) * k + parts[targets]
        links += np.bincount(pairs, minlength=k * k)
        lengths += summed(batches.pages.url_bytes[targets].astype(np.int64), pairs, k * k)
        once = _sent_once(batches, batch, parts, k)
        sent_links += len(once)
        sent_bytes += int(batches.pages.url_bytes[once].sum(dtype=np.int64))
    crosses = ~np.eye(k, dtype=bool)
    return traffic_of(of_all, links.reshape(k, k) * crosses, lengths.reshape(k, k) * crosses, sent_links, sent_bytes)


def _sent_once(batches: Batches, batch: int, parts: Owners, k: int) -> Numbers:
    """The batch's pages whose URLs are sent, once for every part that sends them: int64[s]."""
    first, _ = batches.span(batch)
    sources, targets = batches.inner_links(batch)
    from_elsewhere = (its_targets * k + parts[its] for its, its_targets in batches.links_to(batch))
    finds = distinct_of(chain([targets * k + parts[first + sources]], from_elsewhere))
    pages = first + finds // k
    sent: Numbers = pages[finds % k != parts[pages]]
    return sent
