"""The course of an untimed replay for any number of ranks, in one process and without MPI.

What `crawler.discovery.discovery` and `crawler.exchange.link_exchange` do on each rank with a batch is done here for
all ranks at once, round by round and superstep by superstep (docs/replay.md has the rules).  The course is the same in
every figure; the bytes on the wire come from the code that writes them there.
"""

from collections.abc import Iterator

import numpy as np

from crawler.exchange.page_quota import shares
from crawler.exchange.parallel_modes import CROSS_OVER, EXCHANGE, FIREWALL
from crawler.frontier.priorities import read_priorities
from crawler.frontier.priority_order import priority_keys
from crawler.frontier.random_order import random_keys
from crawler.replay.course import Course, Messages, Ranks, in_turn, joined_messages
from crawler.replay.estimation.followed_links import FollowedLinks
from crawler.replay.estimation.instances import Instances
from crawler.replay.estimation.keyed_queues import KeyedQueues
from crawler.replay.estimation.outboxes import EstimatedOutboxes
from crawler.replay.estimation.queues import Queues
from crawler.replay.estimation.url_rows import NONE, Findings, joined, shortest_ways
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Numbers, Recording, most_linked
from crawler.replay.settings import ReplaySettings
from crawler.urls.batch import Mask
from sessions.progress import Share, unshared


def estimate(
    recording: Recording, ownership: Ownership, settings: ReplaySettings, progress: Share = unshared
) -> Course:
    """The course that an untimed replay of a recording takes under MPI, exactly.

    Two things are taken not to happen: that a rank forgets what it has sent, for lack of memory, and sends it again;
    and that a URL lies more redirects away than a crawl follows at most, 254.  Takes time in proportion to the links,
    and to what is sent, which is compressed message by message; memory in proportion to the recording, the pairs of a
    rank and a URL that it meets, and the messages.  ``progress`` is told now and then how many pages have been fetched,
    at most all, and how many there are to fetch.
    """
    to_fetch = recording.page_count if settings.max_pages is None else settings.max_pages
    progress(0, to_fetch)
    crawl = _Crawl(recording, ownership, settings)
    while True:
        credits = None
        if settings.max_pages is not None:
            credits = np.array(shares(settings.max_pages - crawl.fetched, crawl.queued.tolist()), np.int64)
        crawl.superstep(credits)
        progress(min(crawl.fetched, to_fetch), to_fetch)  # with overlap, more are fetched than there are
        if not crawl.queued.any() or (settings.max_pages is not None and crawl.fetched >= settings.max_pages):
            return crawl.course()


class _Crawl:
    """All ranks between two supersteps."""

    def __init__(self, recording: Recording, ownership: Ownership, settings: ReplaySettings) -> None:
        self._ranks = ownership.ranks
        self._pages = recording.page_count
        self._owners = ownership.owners
        self._settings = settings
        self._links = FollowedLinks(recording)
        self._instances = Instances(len(recording))
        self._queues, self._foreign = (_queues(recording, self._ranks, settings) for _ in range(2))
        self._outboxes = EstimatedOutboxes(recording, ownership)
        self._discovered = np.zeros(self._ranks, np.int64)
        self._supersteps = 0
        self._fetches: list[tuple[Ranks, Ranks, Numbers]] = []
        self._messages: list[Messages] = []
        self.fetched = 0
        replicated = most_linked(recording, settings.replicated)
        self._is_replicated = np.zeros(len(recording), bool)
        self._is_replicated[replicated] = True
        first = np.concatenate([recording.seeds, replicated[~np.isin(replicated, recording.seeds)]])
        self._seed(first, ownership.seed_owners[first])

    @property
    def queued(self) -> Numbers:
        """How many URLs each rank has queued, int64[K]."""
        return self._queues.lengths + self._foreign.lengths

    def superstep(self, credits: Numbers | None) -> None:
        """Fetch, settle and exchange; ``credits`` int64[K] are how many pages each rank may fetch, None if any."""
        left = np.full(self._ranks, self._settings.pages_per_superstep)
        if credits is not None:
            left = np.minimum(left, credits)
        others = joined([NONE, *self._rounds(left)])
        if len(others):
            messages, received = self._outboxes.send(self._supersteps, others, self._owners[others.urls])
            self._messages.append(messages)
            self._receive(received)
        self._supersteps += 1

    def course(self) -> Course:
        """What has happened so far."""
        nothing = (np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64))
        supersteps, ranks, pages = map(np.concatenate, zip(nothing, *self._fetches, strict=True))
        fetches = in_turn(supersteps, ranks, pages)
        return Course(self._ranks, self._supersteps, fetches, joined_messages(self._messages), self._discovered)

    def _rounds(self, left: Numbers) -> Iterator[Findings]:
        """Fetch and settle until no rank has pages ``left``, int64[K], or any queued; what each round has to send."""
        while True:
            ranks, pages = self._take(left)
            if not len(pages):
                return
            left = left - np.bincount(ranks, minlength=self._ranks)
            self._fetches.append((np.full(len(pages), self._supersteps, np.int32), ranks, pages))
            self.fetched += len(pages)
            yield self._settle(self._links.of(ranks, pages, *self._instances.ways_to(ranks, pages)))

    def _seed(self, urls: Numbers, owners: Ranks) -> None:
        by_owner = np.argsort(owners, kind="stable")
        nothing = np.zeros(len(urls), np.uint8)
        seeds = Findings(owners[by_owner], urls[by_owner], nothing.astype(np.uint16), nothing, nothing)
        self._accept(seeds, self._queues)

    def _take(self, most: Numbers) -> tuple[Ranks, Numbers]:
        """What each rank fetches in a round, at most so many pages, by rank, and in its order."""
        is_foreign_next = self._queues.lengths == 0
        ranks, pages = self._queues.take(np.minimum(most, self._queues.lengths))
        if not self._foreign.lengths.any():
            return ranks, pages
        more_ranks, more = self._foreign.take(np.minimum(most, self._foreign.lengths) * is_foreign_next)
        ranks, pages = np.concatenate([ranks, more_ranks]), np.concatenate([pages, more])
        by_rank = np.argsort(ranks, kind="stable")
        return ranks[by_rank], pages[by_rank]

    def _settle(self, found: Findings) -> Findings:
        """Decide on the links of a round; what ranks have to send to owners is returned."""
        slots = self._instances.find(found.ranks, found.urls)
        is_own = self._instances.is_own(slots)
        self._instances.shorten(slots[is_own], found.depths[is_own], found.hops[is_own])
        is_new = (slots < 0) & ~self._is_replicated[found.urls]
        if self._settings.mode == FIREWALL:
            is_new &= self._is_mine(found)
        new = shortest_ways(found.where(is_new))
        is_mine = self._is_mine(new)
        self._accept(new.where(is_mine), self._queues)
        others = new.where(~is_mine)
        if self._settings.mode == CROSS_OVER:
            self._accept(others, self._foreign)
        if self._settings.mode != EXCHANGE:
            return NONE
        self._instances.add(others, is_own=False)
        return others

    def _receive(self, received: Findings) -> None:
        slots = self._instances.find(received.ranks, received.urls)
        is_own = slots >= 0
        self._instances.shorten(slots[is_own], received.depths[is_own], received.hops[is_own])
        new = shortest_ways(received.where(~is_own))
        self._accept(new.where(np.lexsort((new.depths, new.ranks))), self._queues)

    def _is_mine(self, findings: Findings) -> Mask:
        """Which URLs belong to the rank that has found them."""
        owners = self._owners[findings.urls]
        is_mine: Mask = (owners == findings.ranks) | (owners == FINDER)
        return is_mine

    def _accept(self, new: Findings, queues: Queues | KeyedQueues) -> None:
        """Note URLs, distinct and never met before, and queue those that the recording has pages of."""
        if not len(new):
            return
        self._discovered += np.bincount(new.ranks, minlength=self._ranks)
        self._instances.add(new, is_own=True)
        has_page = new.urls < self._pages
        queues.add(new.ranks[has_page], new.urls[has_page])


def _queues(recording: Recording, ranks: int, settings: ReplaySettings) -> Queues | KeyedQueues:
    """Empty queues in the order that the replay has.  Raises ValueError for one that is not known here."""
    asked = settings.order_settings
    if settings.order == "bfs":
        return Queues(ranks)
    if settings.order == "random":
        return KeyedQueues(ranks, random_keys(recording.hashes, asked.order_seed))
    if settings.order == "priority":
        return KeyedQueues(ranks, priority_keys(recording.hashes, read_priorities(asked.priorities)))
    raise ValueError(f"the order {settings.order} cannot be estimated")
