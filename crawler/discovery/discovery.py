"""From found links to the frontier: hashed, filtered by scope, owned, seen, admitted.

Links wait in a `crawler.urls.link_buffer` until they are enough for a batch; then each step is done once for all.
A URL that this rank owns and has never seen goes to the ordering, unless a rule refuses it (`own_urls`); another rank's
goes to that rank's outbox, once (`sent_urls`).  `url_seen` finds out what is new, and may take its time over it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from crawler.discovery.depth_limits import DEEPEST, MOST_HOPS
from crawler.discovery.early_merge import EarlyMerge
from crawler.discovery.external_links import ExternalLinks
from crawler.discovery.own_urls import OwnUrls
from crawler.discovery.scope import Scope
from crawler.discovery.sent_urls import SentUrls
from crawler.exchange.parallel_modes import CROSS_OVER, EXCHANGE
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.urls.batch import Depths, Hops, Mask, UrlBatch, joined
from crawler.urls.link_buffer import LinkBuffer, Links
from crawler.urls.outgoing import Outgoing
from crawler.urls.shortest_ways import shortest_ways
from crawler.urls.targets import PageTargets
from partition.assignment.assignment import Assignment
from sessions.schema import NOFOLLOW, UNFOLLOWED
from sessions.url import Hashes, url_hashes
from sessions.writing.recorder import Recorder

LINKS_PER_BATCH = 4096
_SOURCES, _DOMAINS, _WAY = 0, 1, slice(2, 4)
"""Columns of links that wait: hash and domain hash of their page, depth and hops of their targets."""

Referrals = Callable[[Hashes, list[str]], None]
"""What wants to know of links: the domain hash of each one's page (`crawler.frontier.budgets`), and its target."""
Followed = Callable[[UrlBatch], None]
"""What wants to know of links that lead on: their targets, one each."""


class Discovery:
    """What becomes of the links that a rank finds, and of the URLs that others hand to it.

    Links flagged as unfollowed are recorded and go no further; with ``honours_nofollow``, those that say nofollow too.
    Links are settled when there are ``links_per_batch`` of them, if not earlier.  ``mode`` is one of
    `crawler.exchange.parallel_modes`.  ``referrals`` is told of all links that are recorded, ``back_links`` of those of
    them that are followed, ``external`` of those that the scope drops.
    """

    def __init__(
        self,
        rank: int,
        assignment: Assignment,
        *,
        scope: Scope,
        own: OwnUrls,
        sent: SentUrls,
        recorder: Recorder,
        counters: Counters,
        clock: StageClock,
        honours_nofollow: bool = False,
        links_per_batch: int = LINKS_PER_BATCH,
        mode: str = EXCHANGE,
        referrals: Referrals | None = None,
        back_links: Followed | None = None,
        external: ExternalLinks | None = None,
    ) -> None:
        self.seen = own.seen
        self.unfollowed = UNFOLLOWED | (NOFOLLOW if honours_nofollow else 0)
        """Flags of links that go no further."""
        self._rank = rank
        self._assignment = assignment
        self._scope = scope
        self._own = own
        self._sent = sent
        self._early = EarlyMerge(own), EarlyMerge(sent)
        self._recorder = recorder
        self._counters = counters
        self._clock = clock
        self._links_per_batch = links_per_batch
        self._mode = mode
        self._found = LinkBuffer(np.uint64, np.uint64, np.uint16, np.uint8)
        self._referrals = referrals
        self._back_links = back_links
        self._external = None if scope.is_everything else external

    @property
    def resent(self) -> int:
        """URLs that were sent once more because they were found within the limits only then."""
        return self._sent.resent

    def seed(self, urls: Sequence[str], assignment: Assignment | None = None) -> None:
        """Accept those of the seeds that this rank owns (every rank is given them all).

        ``assignment`` says who does, where that is not the crawl's own: one in which the finder owns a URL would give
        every seed to every rank.
        """
        hashes = url_hashes(urls)
        owners = (assignment or self._assignment).owners(hashes, urls)
        count = len(urls)
        batch = UrlBatch(
            list(urls), hashes, np.zeros(count, np.uint16), np.zeros(count, np.uint8), np.zeros(count, np.uint8)
        )
        self._own.accept(batch.where(owners == self._rank), self._rank)

    def replicate(self, urls: Sequence[str], assignment: Assignment | None = None) -> None:
        """Take URLs that every rank knows from the start: accept own ones, as seeds, and never send the others."""
        self.seed(urls, assignment)
        hashes = url_hashes(urls)
        owners = (assignment or self._assignment).owners(hashes, urls)
        self._sent.never_send(hashes[owners != self._rank])

    def restore(self, batches: Iterable[UrlBatch], delivered: Iterable[tuple[Hashes, Depths, Hops]]) -> None:
        """Take back URLs that an earlier run accepted, and queue those that need a visit (`own_urls.SETTLED`).

        ``delivered`` are URLs that their owners know, with the ways on which they were found; they are sent only if
        they are found nearer.
        """
        self._own.restore(batches)
        if self._assignment.ranks == 1:
            return
        for hashes, depths, hops in delivered:
            is_others = ~self.seen.knows(hashes)
            self._sent.restore(hashes[is_others], depths[is_others], hops[is_others])
        self._sent.merge()

    def expect(self, batches: Iterable[UrlBatch]) -> None:
        """Record distinct URLs of this rank that are queued later, by `requeue`."""
        self._own.discover(batches)

    def requeue(self, batch: UrlBatch) -> None:
        """Queue URLs of this rank that are recorded and need a visit, in their order, as far as rules admit them."""
        self._own.requeue(batch)

    def refuse(self, batch: UrlBatch, is_refused: Mask, reason: str) -> UrlBatch:
        """As `crawler.discovery.own_urls.OwnUrls.refuse`."""
        return self._own.refuse(batch, is_refused, reason)

    def links_of(
        self, source: int, depth: int, links: PageTargets, *, hops: int = 0, domain: int = 0, site: str = ""
    ) -> None:
        """Take a page's links; ``depth`` and ``hops`` are the targets', ``domain`` and ``site`` the page's."""
        if self._external is not None and len(links.flags):
            self._external.page(source, site)
        self._found.add((source, domain, min(depth, DEEPEST), min(hops, MOST_HOPS)), links)
        if len(self._found) >= self._links_per_batch:
            self.settle()

    def settle(self) -> None:
        """Decide on every link that waits: record it, and queue or send its target."""
        if not len(self._found):
            return
        stage_before = self._clock.enter("links")
        links = self._found.take()
        links = links.where(links.columns[_SOURCES] != links.hashes)
        self._clock.enter("seen")
        is_news = self._are_news(links.hashes, *links.columns[_WAY])
        is_inside = self._are_inside(links, is_news)
        is_followed = (links.flags & self.unfollowed) == 0
        self._clock.enter("record")
        self._record_links(links, is_inside)
        if self._external is not None:
            self._external.settled()
        self._clock.enter("seen")
        self._distribute(_shortest_ways(_batch_of(links.where(is_news & is_followed & is_inside))))
        self._clock.enter(stage_before)

    def receive(self, batches: Sequence[UrlBatch]) -> None:
        """Accept URLs that other ranks found and this one owns."""
        batch = joined(batches)
        if not len(batch):
            return
        is_stale = self.seen.is_stale(batch.hashes, batch.depths, batch.hops)
        if np.count_nonzero(is_stale) == len(batch):
            return
        new = _shortest_ways(batch.where(~is_stale))
        self._own.accept(new.take(new.depths.argsort(kind="stable")), self._rank)

    def flush(self) -> None:
        """Deal with all that waits, to be settled or for a merge."""
        self.settle()
        self._own.merge()
        self._sent.merge()

    @property
    def is_merging(self) -> bool:
        """Is there a merge to go on with?"""
        return self.seen.is_merging or self._sent.seen.is_merging

    @property
    def merge_lag(self) -> float:
        """How far a merge is behind what came since it was begun: above 0, the next would have to wait for it."""
        return max(self.seen.merge_lag, self._sent.seen.merge_lag)

    def merge_on(self) -> None:
        """Do a piece of a merge that was begun, of the one that is more behind."""
        stage_before = self._clock.enter("seen")
        (self._own if self.seen.merge_lag >= self._sent.seen.merge_lag else self._sent).merge_on()
        self._clock.enter(stage_before)

    def merges_early(self) -> bool:
        """Has an epoch that is due to wait for a merge of what had gathered?  It is begun when this is first asked."""
        are_under_way = [early.is_under_way() for early in self._early]
        return any(are_under_way)

    def epoch_closed(self) -> None:
        """An epoch has been closed: early merges are about the next."""
        for early in self._early:
            early.epoch_closed()

    def outgoing(self) -> Outgoing:
        """Settle, and take what each rank is to be sent now.  What is too much for now stays undelivered."""
        self.settle()
        return self._sent.outgoing()

    @property
    def wants_domains(self) -> bool:
        """Does somebody have to be told from which domain to which a link leads?"""
        return self._referrals is not None

    @property
    def undelivered(self) -> int:
        """URLs found that no rank has taken note of yet."""
        return len(self._found) + self.seen.pending + len(self._sent)

    def _are_news(self, hashes: Hashes, depths: Depths, hops: Hops) -> Mask:
        """Which links lead to URLs that may be new here, or have not been found on so short a way."""
        most, least = sorted((self.seen, self._sent.seen), key=len, reverse=True)
        is_news = ~most.is_stale(hashes, depths, hops)
        if len(least):
            rest = np.flatnonzero(is_news)
            is_news[rest] = ~least.is_stale(hashes[rest], depths[rest], hops[rest])
        return is_news

    def _are_inside(self, links: Links, is_news: Mask) -> Mask:
        """Which links lead into the crawl's scope; what is known does."""
        is_inside = np.ones(len(links), bool)
        if not self._scope.is_everything:
            is_inside[is_news] = self._scope.contains(links.where(is_news).urls())
            self._counters.links_out_of_scope += len(links) - int(is_inside.sum())
        return is_inside

    def _record_links(self, links: Links, is_inside: Mask) -> None:
        is_nofollow = (links.flags & self.unfollowed & NOFOLLOW) != 0
        self._counters.links_nofollow += int((is_nofollow & is_inside).sum())
        if self._external is not None and not is_inside.all():
            outside = links.where(~is_inside)
            self._external.links(outside.columns[_SOURCES], outside.urls(), outside.flags)
        links = links.where(is_inside)
        self._recorder.links(links.columns[_SOURCES], links.hashes, links.flags)
        self._counters.links += len(links)
        if self._referrals is not None:
            self._referrals(links.columns[_DOMAINS], links.urls())
        if self._back_links is not None:
            self._back_links(_batch_of(links.where((links.flags & self.unfollowed) == 0)))

    def _distribute(self, batch: UrlBatch) -> None:
        """Have each URL dealt with, as this rank's own or another's, unless that was done before."""
        if not len(batch):
            return
        owners = self._assignment.owners(batch.hashes, batch.urls)
        is_mine = owners == self._rank
        if np.count_nonzero(is_mine) == len(batch) or self._mode == CROSS_OVER:
            self._own.accept(batch, owners)
            return
        self._own.accept(batch.where(is_mine), self._rank)
        if self._mode == EXCHANGE:
            self._sent.send(batch.where(~is_mine), owners[~is_mine])


def _batch_of(links: Links) -> UrlBatch:
    """The targets of links, with their strings; hashed from these, which decide on what is queued."""
    urls = links.urls()
    depths, hops = links.columns[_WAY]
    return UrlBatch(urls, url_hashes(urls), depths, hops, links.flags)


def _shortest_ways(batch: UrlBatch) -> UrlBatch:
    """Each URL of the batch once, at its first place, with the least depth and hops it stands there with."""
    ways = shortest_ways(batch.hashes, batch.depths, batch.hops)
    return batch if ways is None else replace(batch.take(ways.firsts), depths=ways.depths, hops=ways.hops)
