"""The links that all ranks of a simulation find, settled for all of them at once.

What `crawler.discovery.discovery` and `crawler.discovery.sent_urls` do on each rank, with the strings and hashes of
URLs, is done here with the numbers that URLs have in the recording, as in an estimate without a clock.  Every URL has
one owner, and no rank forgets what it has seen or sent: where that does not hold (`may_settle`) each rank settles by
itself.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.url_seen import stays_in_memory
from crawler.exchange.parallel_modes import EXCHANGE
from crawler.replay.course import Messages, Ranks
from crawler.replay.estimation.followed_links import FollowedLinks
from crawler.replay.estimation.url_rows import Findings, shortest_ways
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Numbers, Recording, most_linked
from crawler.replay.replay_options import ESTIMATED_ORDERS
from crawler.replay.settings import ReplaySettings
from crawler.replay.simulation.joint_outboxes import JointOutboxes
from crawler.replay.simulation.joint_seen import JointSeen
from crawler.urls.batch import Mask, UrlBatch, empty_batch
from sessions.hash_arrays import are_first

_MIB = 1 << 20
_BITS = 8

FoundPages = list[tuple[int, int, int]]
"""Pages that a rank has read, by number, with the depth and the redirect hops of what their links lead to."""


class Unsettled:
    """What a rank has read since it last settled: ``pages``, and how many ``links`` they have."""

    __slots__ = ("links", "pages")

    def __init__(self) -> None:
        self.pages: FoundPages = []
        self.links = 0

    def take(self) -> FoundPages:
        """The pages; none are left."""
        pages, self.pages, self.links = self.pages, [], 0
        return pages


def may_settle(recording: Recording, ownership: Ownership, crawl: CrawlOptions, settings: ReplaySettings) -> bool:
    """May the links of all ranks be settled at once?

    Not if who finds a URL may own it, if ranks say more to each other than URLs, or if one of them would run out of
    memory for what it has seen and sent, and wait for a merge.
    """
    if settings.mode != EXCHANGE or settings.order not in ESTIMATED_ORDERS or (ownership.owners == FINDER).any():
        return False
    links = np.bincount(ownership.owners[: recording.page_count], np.diff(recording.starts))
    most_sent = min(len(recording), int(links.max()) + settings.replicated)
    most_seen = int(np.bincount(ownership.owners).max())
    return stays_in_memory(most_sent, round(crawl.sent_memory * _MIB)) and stays_in_memory(
        most_seen, round(crawl.seen_memory * _MIB)
    )


class JointLinks:
    """What the ranks have found and not settled, and what they have sent, by URL number; owners have ``seen`` URLs.

    What a rank has ``unsettled`` it may settle early, as far as it owns what is found.  Of each rank and URL a bit says
    whether the rank has sent it, or is never to send it.
    """

    def __init__(self, recording: Recording, ownership: Ownership, settings: ReplaySettings, seen: JointSeen) -> None:
        self.seen = seen
        self._recording = recording
        self._owners = ownership.owners
        self._links = FollowedLinks(recording)
        self._outboxes = JointOutboxes(recording, ownership)
        self._is_sent = _Pairs(ownership.ranks, len(recording))
        self.unsettled = [Unsettled() for _ in range(ownership.ranks)]
        self._found: list[tuple[int, int, int, int, int]] = []
        self._settlements = 0
        known = most_linked(recording, settings.replicated)
        for rank in range(ownership.ranks):
            self._is_sent.add(np.full(len(known), rank), known)

    def own_news(self, rank: int) -> UrlBatch:
        """Settle early what a rank has read: the URLs that it owns and that are news to it, distinct ones.

        What others own is left for the end of the superstep.
        """
        pages = [page for page in self._take_from(rank) if self._has_own_news(rank, *page)]
        if not pages:
            return empty_batch()
        numbers, depths, hops = np.array(pages, np.int64).T
        found = self._leading(np.full(len(pages), rank, np.int32), numbers, depths, hops)
        return self._batch(self._news(found.where(self._owners[found.urls] == rank)))

    def settle(self, superstep: int) -> dict[int, list[UrlBatch]]:
        """Settle what ranks have found since the last time; what is news to a rank, by rank.

        In separate batches is what it has found itself, and then what others send to it, by depth.
        """
        for rank, unsettled in enumerate(self.unsettled):
            if unsettled.pages:
                self._take_from(rank)
        if not self._found:
            return {}
        found_in_time = np.array(self._found, np.int64)
        self._found = []
        ranks, settlements, numbers, depths, hops = found_in_time[found_in_time[:, 0].argsort(kind="stable")].T
        found = self._leading(ranks.astype(np.int32), numbers, depths, hops)
        owners = self._owners[found.urls]
        is_own = owners == found.ranks
        own = self._by_rank(self._news(found.where(is_own)))
        of_each = np.repeat(settlements, self._links.counts(numbers))
        sent = self._unsent(found.where(~is_own), of_each[~is_own])
        self._is_sent.add(sent.ranks, sent.urls)
        received = self._news(self._outboxes.send(superstep, sent))
        by_depth = self._by_rank(received.where(np.lexsort((received.depths, received.ranks))))
        return {
            rank: [its[rank] for its in (own, by_depth) if rank in its] for rank in sorted(own.keys() | by_depth.keys())
        }

    def messages(self) -> Messages:
        """What ranks have sent each other so far."""
        return self._outboxes.messages()

    def _take_from(self, rank: int) -> FoundPages:
        """Take what a rank has read, to be settled together."""
        pages = self.unsettled[rank].take()
        self._settlements += 1
        self._found += [(rank, self._settlements, *page) for page in pages]
        return pages

    def _has_own_news(self, rank: int, page: int, depth: int, hops: int) -> bool:
        """Does a page lead to what the rank owns and does not know, or not on so short a way?  Most have nothing."""
        targets = self._links.targets_of(page)
        own = targets[self._owners[targets] == rank]
        return len(own) > 0 and bool(np.count_nonzero(self.seen.are_news(own, depth, hops)))

    def _leading(self, ranks: Ranks, pages: Numbers, depths: Numbers, hops: Numbers) -> Findings:
        return self._links.leading(ranks, pages, depths.astype(np.uint16), hops.astype(np.uint8))

    def _news(self, found: Findings) -> Findings:
        """What is new to the owners of URLs, or came on a shorter way, each URL once."""
        return shortest_ways(found.where(self.seen.are_news(found.urls, found.depths, found.hops)))

    def _unsent(self, found: Findings, settlements: Numbers) -> Findings:
        """What ranks have not sent yet, once each, on the shortest way of the settlement that found it first."""
        is_unsent = ~self._is_sent.have(found.ranks, found.urls)
        found, settlements = found.where(is_unsent), settlements[is_unsent]
        if np.count_nonzero(np.diff(settlements)) == np.count_nonzero(np.diff(found.ranks)):
            return shortest_ways(found)  # no rank has settled twice, as is most often the case
        order = np.lexsort((settlements, found.urls, found.ranks))
        is_first = are_first(found.ranks[order]) | are_first(found.urls[order])
        starts = np.flatnonzero(is_first)
        first_settlements = np.repeat(settlements[order][starts], np.diff(starts, append=len(order)))
        in_first = np.sort(order[settlements[order] == first_settlements])
        return shortest_ways(found.where(in_first))

    def _by_rank(self, found: Findings) -> dict[int, UrlBatch]:
        """The findings of each rank; they are in the order of ranks."""
        if not len(found):
            return {}
        starts = np.flatnonzero(are_first(found.ranks))
        batch, bounds = self._batch(found), [*starts.tolist(), len(found)]
        ranks = found.ranks[starts].tolist()
        return {rank: batch.between(start, stop) for rank, (start, stop) in zip(ranks, pairwise(bounds), strict=True)}

    def _batch(self, found: Findings) -> UrlBatch:
        recording = self._recording
        return UrlBatch(
            recording.texts(found.urls), recording.hashes[found.urls], found.depths, found.hops, found.flags
        )


class _Pairs:
    """Pairs of a rank and a URL: a bit for each that there may be."""

    def __init__(self, ranks: int, urls: int) -> None:
        self._urls = urls
        self._bits = np.zeros(ranks * urls // _BITS + 1, np.uint8)

    def have(self, ranks: Ranks, urls: Numbers) -> Mask:
        """Which pairs are there: bool[n]."""
        places, bits = self._places(ranks, urls)
        mask: Mask = (self._bits[places] & bits) != 0
        return mask

    def add(self, ranks: Ranks, urls: Numbers) -> None:
        """Add pairs."""
        np.bitwise_or.at(self._bits, *self._places(ranks, urls))

    def _places(self, ranks: Ranks, urls: Numbers) -> tuple[Numbers, npt.NDArray[np.uint8]]:
        pairs = ranks.astype(np.int64) * self._urls + urls
        return pairs >> 3, np.uint8(1) << (pairs & 7).astype(np.uint8)
