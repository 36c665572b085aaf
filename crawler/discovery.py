"""From found links to the frontier: hashed, filtered by scope, owned, seen, admitted.

A page's links wait in `Discovery` until there are enough of them for a batch; then each step is done once for all.
A URL that this rank owns and has never seen goes to the ordering, unless a rule refuses it; another rank's goes to
that rank's outbox, once.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from crawler.admission import ADMITTED, Admission
from crawler.counters import Counters
from crawler.modes import CROSS_OVER, EXCHANGE
from crawler.ordering import Ordering
from crawler.scope import Scope
from crawler.seen import Seen
from crawler.sent import Sent
from crawler.stages import StageClock
from crawler.urlbatch import Mask, UrlBatch, joined
from partition.assignment import Assignment, Owners
from sessions.recorder import Recorder
from sessions.schema import FAILED, NOFOLLOW, UNFOLLOWED
from sessions.url import Hashes, url_hashes

LINKS_PER_BATCH = 4096
_SHARE_FROM_AFAR = 8
_DEEPEST = 0xFFFF
_MOST_HOPS = 0xFF


class Limits:
    """How far from the seeds a URL may lie: link ``depth`` (None for no limit) and redirect ``hops``."""

    def __init__(self, depth: int | None, hops: int) -> None:
        self.depth = _DEEPEST if depth is None else min(depth, _DEEPEST)
        self.hops = min(hops, _MOST_HOPS - 1)

    def allow(self, depths: npt.NDArray[np.uint16], hops: npt.NDArray[np.uint8]) -> Mask:
        """Which of these are near enough: bool[n]."""
        return (depths <= self.depth) & (hops <= self.hops)


class Discovery:
    """What becomes of the URLs that a rank finds, and of those that others hand to it.

    Links flagged as unfollowed are recorded and go no further; with ``honours_nofollow``, those that say nofollow too.
    Links are settled when there are ``links_per_batch`` of them, if not earlier.  ``mode`` is one of `crawler.modes`;
    in cross-over, what others own goes to the ordering ``later``.
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
        sent_budget: int,
        counters: Counters,
        clock: StageClock,
        honours_nofollow: bool = False,
        links_per_batch: int = LINKS_PER_BATCH,
        mode: str = EXCHANGE,
        later: Ordering | None = None,
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
        self._unfollowed = np.uint8(UNFOLLOWED | (NOFOLLOW if honours_nofollow else 0))
        self._found = _FoundLinks()
        self._outboxes: list[list[UrlBatch]] = [[] for _ in range(assignment.ranks)]
        self.seen = Seen()
        self._sent = Sent(sent_budget - sent_budget // _SHARE_FROM_AFAR)
        self._sent_from_afar = Sent(sent_budget // _SHARE_FROM_AFAR)

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
        self._accept(batch.where(owners == self._rank))

    def replicate(self, urls: Sequence[str], assignment: Assignment | None = None) -> None:
        """Take URLs that every rank knows from the start: accept own ones, as seeds, and never send the others."""
        hashes = url_hashes(urls)
        owners = (assignment or self._assignment).owners(hashes, urls)
        is_new = self.seen.find(hashes) < 0
        self.seed([url for url, new in zip(urls, is_new.tolist(), strict=True) if new], assignment)
        self._sent.add(hashes[owners != self._rank])

    def links_of(self, source: int, depth: int, urls: list[str], flags: list[int], *, hops: int = 0) -> None:
        """Take a page's distinct links; ``depth`` and ``hops`` are those of the targets."""
        self._found.add(source, min(depth, _DEEPEST), min(hops, _MOST_HOPS), urls, flags)
        if len(self._found) >= self._links_per_batch:
            self.settle()

    def settle(self) -> None:
        """Decide on every link that waits: record it, and queue or send its target."""
        if not len(self._found):
            return
        stage_before = self._clock.enter("links")
        sources, batch = self._found.take()
        if (is_self := sources == batch.hashes).any():
            sources, batch = sources[~is_self], batch.where(~is_self)
        self._clock.enter("seen")
        slots = self.seen.find(batch.hashes)
        is_own = slots >= 0
        is_new = ~is_own
        is_new[is_new] = ~self._was_sent(batch.where(is_new))
        is_followed = (batch.flags & self._unfollowed) == 0
        self._found_again(batch, slots, is_own & is_followed)
        is_outside = self._drop_out_of_scope(batch, is_new)
        is_nofollow = (batch.flags & self._unfollowed & NOFOLLOW) != 0
        self._counters.links_nofollow += int((is_nofollow & ~is_outside).sum())
        self._clock.enter("record")
        self._record_links(sources, batch, ~is_outside)
        self._clock.enter("seen")
        self._distribute(_shortest_ways(batch.where(is_new & is_followed & ~is_outside)))
        self._clock.enter(stage_before)

    def receive(self, batches: Sequence[UrlBatch]) -> None:
        """Accept URLs that other ranks found and this one owns."""
        batch = joined(batches)
        if not len(batch):
            return
        slots = self.seen.find(batch.hashes)
        is_own = slots >= 0
        self._found_again(batch, slots, is_own)
        new = _shortest_ways(batch.where(~is_own))
        self._accept(new.take(np.argsort(new.depths, kind="stable")))

    def outgoing(self) -> list[UrlBatch]:
        """Empty the outboxes: for each rank what it is to be sent, sorted by URL."""
        outgoing = []
        for outbox in self._outboxes:
            batch = joined(outbox)
            outbox.clear()
            order = sorted(range(len(batch)), key=batch.urls.__getitem__)
            outgoing.append(batch.take(np.array(order, np.intp)))
        return outgoing

    @property
    def undelivered(self) -> int:
        """URLs found that no rank has taken note of yet."""
        return len(self._found) + sum(len(batch) for outbox in self._outboxes for batch in outbox)

    @property
    def resent(self) -> int:
        """URLs that were sent once more because that they were sent had been forgotten."""
        return self._sent.resent + self._sent_from_afar.resent

    def _was_sent(self, batch: UrlBatch) -> Mask:
        """Which URLs their owner needs not be told of: sent before, and not from beyond the limits only."""
        was_sent = self._sent.contains(batch.hashes)
        is_far = ~self._limits.allow(batch.depths, batch.hops)
        if is_far.any():
            was_sent[is_far] |= self._sent_from_afar.contains(batch.hashes[is_far])
        return was_sent

    def _found_again(self, batch: UrlBatch, slots: npt.NDArray[np.int64], is_own: Mask) -> None:
        """Known URLs may turn out to be nearer than they were; one that was beyond the limits is then queued."""
        before, after = self.seen.shorten(slots[is_own], batch.depths[is_own], batch.hops[is_own])
        is_revived = ~self._limits.allow(*before) & self._limits.allow(*after)
        if is_revived.any():
            positions = np.flatnonzero(is_own)[is_revived]
            _, first = np.unique(batch.hashes[positions], return_index=True)
            self._ordering.add(batch.take(positions[np.sort(first)]))

    def _drop_out_of_scope(self, batch: UrlBatch, is_new: Mask) -> Mask:
        is_outside = np.zeros(len(batch), bool)
        if not self._scope.is_everything:
            positions = np.flatnonzero(is_new)
            is_outside[positions] = ~self._scope.contains([batch.urls[position] for position in positions.tolist()])
            self._counters.links_out_of_scope += int(is_outside.sum())
        return is_outside

    def _record_links(self, sources: Hashes, batch: UrlBatch, is_inside: Mask) -> None:
        self._recorder.links(sources[is_inside], batch.hashes[is_inside], batch.flags[is_inside])
        self._counters.links += int(is_inside.sum())

    def _distribute(self, batch: UrlBatch) -> None:
        """Give each URL, met for the first time, to its owner."""
        if not len(batch):
            return
        owners = self._assignment.owners(batch.hashes, batch.urls)
        is_mine = owners == self._rank
        if is_mine.all():
            self._accept(batch)
            return
        self._accept(batch.where(is_mine))
        foreign = batch.where(~is_mine)
        if self._mode == CROSS_OVER:
            self._accept(foreign, self._later)
        elif self._mode == EXCHANGE:
            self._send(foreign, owners[~is_mine])

    def _send(self, batch: UrlBatch, owners: Owners) -> None:
        """Put URLs into the outboxes of their owners."""
        is_near = self._limits.allow(batch.depths, batch.hops)
        self._sent.add(batch.hashes[is_near])
        self._sent_from_afar.add(batch.hashes[~is_near])
        by_owner = np.argsort(owners, kind="stable")
        first = np.searchsorted(owners[by_owner], np.arange(self._assignment.ranks + 1))
        for owner in np.flatnonzero(np.diff(first)).tolist():
            self._outboxes[owner].append(batch.take(by_owner[first[owner] : first[owner + 1]]))

    def _accept(self, batch: UrlBatch, ordering: Ordering | None = None) -> None:
        """Queue URLs that this rank has not seen, distinct ones, as far as the rules admit them."""
        if not len(batch):
            return
        self._recorder.urls(batch.hashes, batch.urls)
        self._counters.discovered += len(batch)
        if not self._admission.is_everything:
            batch = self._admitted(batch)
        self.seen.add(batch)
        is_near = self._limits.allow(batch.depths, batch.hops)
        queue = self._ordering if ordering is None else ordering
        queue.add(batch if is_near.all() else batch.where(is_near))

    def _admitted(self, batch: UrlBatch) -> UrlBatch:
        """The URLs that may be requested; what becomes of the others is settled."""
        codes = self._admission.codes(batch.hashes, batch.urls)
        is_refused = codes != ADMITTED
        if not is_refused.any():
            return batch
        refused = batch.where(is_refused)
        # At no distance they lie within the limits for good: no shorter way revives them, no limit counts them again.
        self.seen.add(replace(refused, depths=np.zeros_like(refused.depths), hops=np.zeros_like(refused.hops)))
        for url_hash, code in zip(refused.hashes.tolist(), codes[is_refused].tolist(), strict=True):
            state, reason = self._admission.outcome(code)
            self._recorder.outcome(url_hash, state, reason)
            (self._counters.failed if state == FAILED else self._counters.filtered)[reason] += 1
        return batch.where(~is_refused)


class _FoundLinks:
    """Links that wait to be settled: one list of URLs, and once per page what its links have in common."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._urls: list[str] = []
        self._flags: list[int] = []
        self._pages: list[tuple[int, int, int, int]] = []

    def __len__(self) -> int:
        return len(self._urls)

    def add(self, source: int, depth: int, hops: int, urls: list[str], flags: list[int]) -> None:
        self._urls += urls
        self._flags += flags
        self._pages.append((source, depth, hops, len(urls)))

    def take(self) -> tuple[Hashes, UrlBatch]:
        """The source of each link, and the links' targets as a batch."""
        urls, flags, (sources, depths, hops, counts) = self._urls, self._flags, zip(*self._pages, strict=True)
        self._clear()
        batch = UrlBatch(
            urls,
            url_hashes(urls),
            np.repeat(np.array(depths, np.uint16), counts),
            np.repeat(np.array(hops, np.uint8), counts),
            np.array(flags, np.uint8),
        )
        return np.repeat(np.array(sources, np.uint64), counts), batch


def _shortest_ways(batch: UrlBatch) -> UrlBatch:
    """Each URL of the batch once, at its first place, with the least depth and hops it stands there with."""
    if len(batch) < 2:
        return batch
    order = np.argsort(batch.hashes, kind="stable")
    in_order = batch.hashes[order]
    is_first = np.concatenate(([True], in_order[1:] != in_order[:-1]))
    if is_first.all():
        return batch
    starts = np.flatnonzero(is_first)
    depths = np.minimum.reduceat(batch.depths[order], starts)
    hops = np.minimum.reduceat(batch.hops[order], starts)
    firsts = order[starts]
    in_place = np.argsort(firsts)
    urls = batch.urls
    return UrlBatch(
        [urls[position] for position in firsts[in_place].tolist()],
        in_order[starts][in_place],
        depths[in_place],
        hops[in_place],
        batch.flags[firsts[in_place]],
    )
