"""The URLs that a rank owns: each is recorded once, and queued once unless a rule or a limit keeps it from that."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from crawler.discovery.admission import ADMITTED, Admission
from crawler.discovery.url_seen import Admitted, Seen
from crawler.frontier.ordering import Ordering
from crawler.monitoring.counters import Counters
from crawler.urls.batch import Mask, UrlBatch
from crawler.urls.kinds import KINDS, kind_numbers
from partition.assignment.assignment import Owners
from sessions.schema import FAILED, FILTERED
from sessions.url import Hashes
from sessions.writing.recorder import Recorder

SETTLED = 0x80
"""Flag of a URL that goes back into URL-seen and needs no visit: it has a page, or an outcome."""

_NONE = np.empty(0, np.uint64)


class OwnUrls:
    """What becomes of the URLs that rank ``rank`` owns, looked up in ``seen``.

    What may be requested goes to ``ordering``; in cross-over mode what others own goes to the ordering ``later``.
    """

    def __init__(
        self,
        rank: int,
        seen: Seen,
        admission: Admission,
        *,
        ordering: Ordering,
        later: Ordering | None,
        recorder: Recorder,
        counters: Counters,
    ) -> None:
        self.seen = seen
        self._rank = rank
        self._admission = admission
        self._ordering = ordering
        self._later = ordering if later is None else later
        self._recorder = recorder
        self._counters = counters

    def accept(self, batch: UrlBatch, owners: Owners | int) -> None:
        """Take distinct URLs that were found, with their ``owners``."""
        self._deal(self.seen.check_and_add(batch, owners), self._queue)

    def discover(self, batches: Iterable[UrlBatch]) -> None:
        """Record distinct URLs that are queued later, by `requeue`."""
        for batch in batches:
            self._deal(self.seen.check_and_add(batch, self._rank), self._record)
        self._deal(self.seen.merge(), self._record)

    def requeue(self, batch: UrlBatch) -> None:
        """Queue URLs that are recorded already and need a visit, in their order, as far as rules admit them."""
        owners = np.full(len(batch), self._rank, np.uint16)
        self._deal(iter([Admitted(batch, owners, np.ones(len(batch), bool))]), self._requeue)

    def restore(self, batches: Iterable[UrlBatch]) -> None:
        """Take back what an earlier run accepted, and queue what is not `SETTLED`; it is recorded already."""
        for batch in batches:
            self._deal(self.seen.check_and_add(batch, self._rank), self._requeue)
        self._deal(self.seen.merge(), self._requeue)

    def refuse(self, batch: UrlBatch, is_refused: Mask, reason: str) -> UrlBatch:
        """Record that some URLs, which have waited for a visit, are filtered; the others: ``is_refused`` is bool[n]."""
        refused = batch.where(is_refused)
        for url_hash, kind in zip(refused.hashes.tolist(), kind_numbers(refused.flags).tolist(), strict=True):
            self._settle(url_hash, kind, FILTERED, reason)
        return batch.where(~is_refused)

    def merge(self) -> None:
        """Deal with all that waits for a merge."""
        while self.seen.pending:
            self._deal(self.seen.merge(), self._queue)

    def begin_merge(self) -> None:
        """Begin to merge what waits, for `merge_on`."""
        self._deal(self.seen.begin_merge(), self._queue)

    def merge_on(self) -> None:
        """Do a piece of the merge that was begun."""
        self._deal(self.seen.merge_on(), self._queue)

    def _deal(self, admitted: Iterator[Admitted], deal: Callable[[Admitted], Hashes]) -> None:
        """Deal with what is admitted.  To settle what was refused may merge, and so admit more."""
        while True:
            refused = [hashes for hashes in map(deal, admitted) if len(hashes)]
            if not refused:
                return
            # A shorter path must not revive refused URLs, nor the depth limit count them twice.
            admitted = self.seen.settle(np.concatenate(refused))

    def _queue(self, admitted: Admitted) -> Hashes:
        """Record URLs and queue them as far as limits and rules admit them; which of them rules refused."""
        self._record(admitted)
        allowed, refused = self._allowed(admitted)
        near = self._near(allowed)
        is_mine = near.owners == self._rank
        if np.count_nonzero(is_mine) == len(is_mine):
            self._ordering.add(near.batch)
        else:
            self._ordering.add(near.batch.where(is_mine))
            self._later.add(near.batch.where(~is_mine))
        return refused

    def _record(self, admitted: Admitted) -> Hashes:
        """Record URLs and the ways to them; no rule is asked."""
        if admitted.nearer is not None:
            self._recorder.nearer(*admitted.nearer)
        if np.count_nonzero(admitted.is_new):
            new = admitted.batch.where(admitted.is_new)
            self._recorder.urls(new.hashes, new.urls, new.depths, new.hops)
            self._counters.discovered += len(new)
        return _NONE

    def _requeue(self, admitted: Admitted) -> Hashes:
        """Queue URLs of an earlier run that have not been visited; which of them rules refuse now."""
        allowed, refused = self._allowed(admitted.where(admitted.is_new & (admitted.batch.flags & SETTLED == 0)))
        self._ordering.add(self._near(allowed).batch)
        return refused

    def _near(self, admitted: Admitted) -> Admitted:
        return admitted.where(self.seen.limits.allow(admitted.batch.depths, admitted.batch.hops))

    def _allowed(self, admitted: Admitted) -> tuple[Admitted, Hashes]:
        """The URLs that may be requested, and those that are refused for the first time, whose outcome is recorded."""
        if self._admission.is_everything:
            return admitted, _NONE
        codes = self._admission.codes(admitted.batch.hashes, admitted.batch.urls)
        is_refused = codes != ADMITTED
        if not np.count_nonzero(is_refused):
            return admitted, _NONE
        is_news = is_refused & admitted.is_new
        refused, kinds = admitted.batch.hashes[is_news], kind_numbers(admitted.batch.flags[is_news])
        for url_hash, code, kind in zip(refused.tolist(), codes[is_news].tolist(), kinds.tolist(), strict=True):
            self._settle(url_hash, kind, *self._admission.outcome(code))
        return admitted.where(~is_refused), refused

    def _settle(self, url_hash: int, kind: int, state: str, reason: str) -> None:
        """Record what became of a URL that is not requested; ``kind`` is a number of `crawler.urls.kinds`."""
        counters = self._counters
        self._recorder.outcome(url_hash, state, reason)
        (counters.failed if state == FAILED else counters.filtered)[reason] += 1
        if kind:
            (counters.listed_failed if state == FAILED else counters.listed_filtered)[KINDS[kind]] += 1
