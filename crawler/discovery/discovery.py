"""From found links to the frontier: hashed, filtered by scope, owned, seen, admitted.

A page's links wait in `Discovery` until there are enough of them for a batch; then each step is done once for all.
A URL that this rank owns and has never seen goes to the ordering, unless a rule refuses it; another rank's goes to
that rank's outbox, once.  Both are found out by `crawler.discovery.url_seen`, which may take its time over it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from crawler.discovery.admission import ADMITTED, Admission
from crawler.discovery.depth_limits import DEEPEST, MOST_HOPS, Limits
from crawler.discovery.outboxes import Outboxes
from crawler.discovery.scope import Scope
from crawler.discovery.url_seen import Met, Seen
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.exchange.parallel_modes import CROSS_OVER, EXCHANGE
from crawler.frontier.ordering import Ordering
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.urls.batch import Depths, Hops, Mask, UrlBatch, joined
from crawler.urls.link_buffer import LinkBuffer
from crawler.urls.shortest_ways import shortest_ways
from partition.assignment.assignment import Assignment, Owners
from sessions.schema import FAILED, NOFOLLOW, UNFOLLOWED
from sessions.url import Hashes, url_hashes
from sessions.writing.recorder import Recorder

LINKS_PER_BATCH = 4096
SETTLED = 0x80
"""Flag of a URL that goes back into URL-seen and needs no visit: it has a page, or an outcome."""

Referrals = Callable[[Hashes, list[str]], None]
"""What wants to know of links: the domain hash of each one's page (`crawler.frontier.budgets`), and its target."""


class Discovery:
    """What becomes of the URLs that a rank finds, and of those that others hand to it.

    Links flagged as unfollowed are recorded and go no further; with ``honours_nofollow``, those that say nofollow too.
    Links are settled when there are ``links_per_batch`` of them, if not earlier.  ``mode`` is one of
    `crawler.exchange.parallel_modes`; in cross-over, what others own goes to the ordering ``later``.  ``seen_budget``
    and ``sent_budget`` are in bytes of memory; what goes beyond is in files in ``folder``.  ``referrals`` is told of
    all links that are recorded. ``keep_alive`` serves again and again while a merge goes on.
    """

    def __init__(
        self,
        rank: int,
        *,
        assignment: Assignment,
        scope: Scope,
        admission: Admission,
        limits: Limits,
        ordering: Ordering,
        recorder: Recorder,
        folder: Path,
        seen_budget: int,
        sent_budget: int,
        counters: Counters,
        clock: StageClock,
        honours_nofollow: bool = False,
        links_per_batch: int = LINKS_PER_BATCH,
        mode: str = EXCHANGE,
        later: Ordering | None = None,
        referrals: Referrals | None = None,
        keep_alive: KeepAlive = NOTHING_TO_SERVE,
    ) -> None:
        self._rank = rank
        self._assignment = assignment
        self._scope = scope
        self._admission = admission
        self._limits = limits
        self._ordering = ordering
        self._recorder = recorder
        self._counters = counters
        self._clock = clock
        self._links_per_batch = links_per_batch
        self._mode = mode
        self._later = ordering if later is None else later
        self.unfollowed = UNFOLLOWED | (NOFOLLOW if honours_nofollow else 0)
        """Flags of links that go no further."""
        self._found = LinkBuffer(np.uint64, np.uint64, np.uint16, np.uint8)
        self._outboxes = Outboxes(assignment.ranks, folder)
        self._referrals = referrals
        self._refused: list[Hashes] = []
        self.resent = 0
        """URLs that were sent once more because they were found within the limits only then."""
        self.seen = Seen(folder, "seen", seen_budget, limits, self._take_in, keep_alive, self._note_nearer)
        self._sent = Seen(folder, "sent", sent_budget, limits, self._send, keep_alive)
        self._is_restoring = False

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
        self._meet_own(batch.where(owners == self._rank), self._rank)

    def replicate(self, urls: Sequence[str], assignment: Assignment | None = None) -> None:
        """Take URLs that every rank knows from the start: accept own ones, as seeds, and never send the others."""
        self.seed(urls, assignment)
        hashes = url_hashes(urls)
        owners = (assignment or self._assignment).owners(hashes, urls)
        self._sent.settle(hashes[owners != self._rank])

    def restore(self, batches: Iterable[UrlBatch], delivered: Iterable[tuple[Hashes, Depths, Hops]]) -> None:
        """Take back URLs that an earlier run accepted, and queue those that are not `SETTLED`.

        ``delivered`` are URLs that their owners know, with the ways on which they were found; they are sent only if
        they are found nearer.
        """
        self._is_restoring = True
        for batch in batches:
            self.seen.meet(batch, self._rank)
        self.seen.flush()
        self._is_restoring = False
        self._settle_refused()
        if self._assignment.ranks == 1:
            return
        for hashes, depths, hops in delivered:
            is_others = ~self.seen.knows(hashes)
            self._sent.note(hashes[is_others], depths[is_others], hops[is_others])
        self._sent.flush()

    def links_of(
        self, source: int, depth: int, urls: list[str], flags: list[int], *, hops: int = 0, domain: int = 0
    ) -> None:
        """Take a page's distinct links; ``depth`` and ``hops`` are those of the targets, ``domain`` is the page's."""
        self._found.add((source, domain, min(depth, DEEPEST), min(hops, MOST_HOPS)), urls, flags)
        if len(self._found) >= self._links_per_batch:
            self.settle()

    def settle(self) -> None:
        """Decide on every link that waits: record it, and queue or send its target."""
        if not len(self._found):
            return
        stage_before = self._clock.enter("links")
        urls, flags, (sources, domains, depths, hops) = self._found.take()
        batch = UrlBatch(urls, url_hashes(urls), depths, hops, flags)
        if (is_self := sources == batch.hashes).any():
            sources, domains, batch = sources[~is_self], domains[~is_self], batch.where(~is_self)
        self._clock.enter("seen")
        is_news = self._are_news(batch)
        is_inside = self._are_inside(batch, is_news)
        is_followed = (batch.flags & self.unfollowed) == 0
        self._clock.enter("record")
        self._record_links(sources, domains, batch, is_inside)
        self._clock.enter("seen")
        self._distribute(_shortest_ways(batch.where(is_news & is_followed & is_inside)))
        self._clock.enter(stage_before)

    def receive(self, batches: Sequence[UrlBatch]) -> None:
        """Accept URLs that other ranks found and this one owns."""
        batch = joined(batches)
        if not len(batch):
            return
        new = _shortest_ways(batch.where(~self.seen.is_stale(batch.hashes, batch.depths, batch.hops)))
        self._meet_own(new.take(np.argsort(new.depths, kind="stable")), self._rank)

    def flush(self) -> None:
        """Deal with all that waits for a merge."""
        self.seen.flush()
        self._settle_refused()
        self.seen.flush()
        self._sent.flush()

    def outgoing(self) -> list[UrlBatch]:
        """For each rank what it is to be sent now, sorted by URL.  What is too much for now stays undelivered."""
        return self._outboxes.take()

    @property
    def wants_domains(self) -> bool:
        """Does somebody have to be told from which domain to which a link leads?"""
        return self._referrals is not None

    @property
    def undelivered(self) -> int:
        """URLs found that no rank has taken note of yet."""
        return len(self._found) + len(self._outboxes) + self.seen.pending + self._sent.pending

    def _are_news(self, batch: UrlBatch) -> Mask:
        """Which links lead to URLs that may be new here, or have not been found on so short a way."""
        most, least = sorted((self.seen, self._sent), key=len, reverse=True)
        is_news = ~most.is_stale(batch.hashes, batch.depths, batch.hops)
        if len(least):
            rest = np.flatnonzero(is_news)
            is_news[rest] = ~least.is_stale(batch.hashes[rest], batch.depths[rest], batch.hops[rest])
        return is_news

    def _are_inside(self, batch: UrlBatch, is_news: Mask) -> Mask:
        """Which links lead into the crawl's scope; what is known does."""
        is_inside = np.ones(len(batch), bool)
        if not self._scope.is_everything:
            positions = np.flatnonzero(is_news)
            is_inside[positions] = self._scope.contains([batch.urls[position] for position in positions.tolist()])
            self._counters.links_out_of_scope += len(batch) - int(is_inside.sum())
        return is_inside

    def _record_links(self, sources: Hashes, domains: Hashes, batch: UrlBatch, is_inside: Mask) -> None:
        is_nofollow = (batch.flags & self.unfollowed & NOFOLLOW) != 0
        self._counters.links_nofollow += int((is_nofollow & is_inside).sum())
        if not is_inside.all():
            sources, domains, batch = sources[is_inside], domains[is_inside], batch.where(is_inside)
        self._recorder.links(sources, batch.hashes, batch.flags)
        self._counters.links += len(batch)
        if self._referrals is not None:
            self._referrals(domains, batch.urls)

    def _distribute(self, batch: UrlBatch) -> None:
        """Have each URL dealt with, as this rank's own or another's, unless that was done before."""
        if not len(batch):
            return
        owners = self._assignment.owners(batch.hashes, batch.urls)
        is_mine = owners == self._rank
        if is_mine.all() or self._mode == CROSS_OVER:
            self._meet_own(batch, owners)
            return
        self._meet_own(batch.where(is_mine), self._rank)
        if self._mode == EXCHANGE:
            self._sent.meet(batch.where(~is_mine), owners[~is_mine])

    def _meet_own(self, batch: UrlBatch, owners: Owners | int) -> None:
        self.seen.meet(batch, owners)
        self._settle_refused()

    def _send(self, met: Met) -> None:
        """Put URLs into the outboxes of their owners."""
        self.resent += int((~met.is_new).sum())
        by_owner = np.argsort(met.owners, kind="stable")
        first = np.searchsorted(met.owners[by_owner], np.arange(self._assignment.ranks + 1))
        for owner in np.flatnonzero(np.diff(first)).tolist():
            self._outboxes.add(owner, met.batch.take(by_owner[first[owner] : first[owner + 1]]))

    def _take_in(self, met: Met) -> None:
        if self._is_restoring:
            self._requeue(met.where(met.is_new & (met.batch.flags & SETTLED == 0)))
        else:
            self._queue(met)

    def _requeue(self, met: Met) -> None:
        """Queue URLs of an earlier run that have not been visited, as far as limits and rules admit them now."""
        if not self._admission.is_everything:
            met = self._admitted(met)
        batch = met.batch
        is_near = self._limits.allow(batch.depths, batch.hops)
        self._ordering.add(batch.where(is_near))

    def _note_nearer(self, hashes: Hashes, depths: Depths, hops: Hops) -> None:
        if not self._is_restoring:
            self._recorder.nearer(hashes, depths, hops)

    def _queue(self, met: Met) -> None:
        """Queue URLs of this rank as far as limits and rules admit them."""
        if met.is_new.any():
            new = met.batch.where(met.is_new)
            self._recorder.urls(new.hashes, new.urls, new.depths, new.hops)
            self._counters.discovered += len(new)
        if not self._admission.is_everything:
            met = self._admitted(met)
        met = met.where(self._limits.allow(met.batch.depths, met.batch.hops))
        is_mine = met.owners == self._rank
        if is_mine.all():
            self._ordering.add(met.batch)
        else:
            self._ordering.add(met.batch.where(is_mine))
            self._later.add(met.batch.where(~is_mine))

    def _admitted(self, met: Met) -> Met:
        """The URLs that may be requested; what becomes of the others is settled, once."""
        codes = self._admission.codes(met.batch.hashes, met.batch.urls)
        is_refused = codes != ADMITTED
        if not is_refused.any():
            return met
        is_news = is_refused & met.is_new
        refused = met.batch.hashes[is_news]
        # A shorter path must not revive refused URLs, nor the depth limit count them twice.
        self._refused.append(refused)
        for url_hash, code in zip(refused.tolist(), codes[is_news].tolist(), strict=True):
            state, reason = self._admission.outcome(code)
            self._recorder.outcome(url_hash, state, reason)
            (self._counters.failed if state == FAILED else self._counters.filtered)[reason] += 1
        return met.where(~is_refused)

    def _settle_refused(self) -> None:
        refused, self._refused = self._refused, []
        for hashes in refused:
            self.seen.settle(hashes)


def _shortest_ways(batch: UrlBatch) -> UrlBatch:
    """Each URL of the batch once, at its first place, with the least depth and hops it stands there with."""
    ways = shortest_ways(batch.hashes, batch.depths, batch.hops)
    return batch if ways is None else replace(batch.take(ways.firsts), depths=ways.depths, hops=ways.hops)
