"""What can be said of a partition by one look at every link, batch by batch."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import Numbers
from partition.measures.imbalance import imbalance
from partition.measures.traffic import Traffic, traffic_of
from partition.streaming.batch_hypergraph import weights_of
from partition.streaming.batches import Batches, distinct_of

_KINDS = ("storage", "requests")


@dataclass(frozen=True)
class StreamedMeasures:
    """Those of `partition.measures.measures.Measures` that need no more than sums over batches.

    Attributes:
        imbalances: of storage and requests, by name: max / mean - 1.
        excesses: by how much the worst part is beyond the tolerance of each balanced weight (`Balance.excesses`).
        excess: `Balance.excess`, 0 if the balance is kept and no part is empty.
        pages: traffic over the links between downloaded pages.
    """

    imbalances: dict[str, float]
    excesses: dict[str, float]
    excess: float
    pages: Traffic

    @property
    def cost(self) -> int:
        """What is kept small."""
        return self.pages.sent_bytes

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Smaller is better, as of `partition.cut.portfolio.Candidate`."""
        return self.excess > 0, round(self.excess, 2), self.cost


def streamed_measures(batches: Batches, parts: Owners, balance: Balance, balanced: tuple[str, ...]) -> StreamedMeasures:
    """Measure the assignment of pages to ``parts``, int32[n]."""
    k = balance.parts
    every = np.arange(k, dtype=np.int32)
    loads = np.zeros((k, len(_KINDS)), np.int64)
    for batch in range(len(batches)):
        first, size = batches.span(batch)
        loads += summed(weights_of(batches, batch, _KINDS), parts[first : first + size], k)
    shares = balance.shares.tolist()
    imbalances = {name: imbalance(loads[:, place], every, k, shares) for place, name in enumerate(_KINDS)}
    own = loads[:, [_KINDS.index(name) for name in balanced]]
    excess = balance.excess_of(own, np.bincount(parts, minlength=k))
    excesses = dict(zip(balanced, balance.excesses(own, every).tolist(), strict=True))
    return StreamedMeasures(imbalances, excesses, excess, _traffic(batches, parts, k))


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
