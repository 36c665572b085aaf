"""The rows of a worklist that a rank owns, in the order of the list, on their way to the frontier.

First all are told to URL-seen, so that links to them are no news; then those that need a visit are queued.  Both read
the list again: it may be longer than memory is.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from crawler.discovery.discovery import Discovery
from crawler.discovery.scope import Scope
from crawler.frontier.listed_first import WHOLE
from crawler.rank.resuming.frontier import MOST_AT_ONCE, are_settled
from crawler.rank.resuming.rows import Rows
from crawler.urls.batch import Mask, UrlBatch
from crawler.urls.kinds import flag_of
from crawler.worklist.rows import KINDS, NEW, OLD
from crawler.worklist.worklist import Worklist
from partition.assignment.assignment import Assignment
from sessions.hash_arrays import are_among
from sessions.url import Hashes

_PORTION = 20


class ListedUrls:
    """What rank ``rank`` owns of a worklist by ``assignment``."""

    def __init__(self, worklist: Worklist, assignment: Assignment, rank: int) -> None:
        self._worklist = worklist
        self._assignment = assignment
        self._rank = rank

    def record(self, discovery: Discovery) -> Counter[str]:
        """Have all recorded as discovered; how many there are of each kind."""
        counts: Counter[str] = Counter()

        def counted() -> Iterator[UrlBatch]:
            for kind, batch in self._batches():
                counts[kind] += len(batch)
                yield batch

        discovery.expect(counted())
        return +counts

    def queue(self, discovery: Discovery, settled: Rows | None) -> None:
        """Queue those that need a visit, not those that an earlier run has ``settled``."""
        for _, batch in self._batches() if settled is None else self._unsettled(settled):
            discovery.requeue(batch)

    def among(self, hashes: Hashes) -> Mask:
        """Which URLs the list has, whoever owns them: bool[n]."""
        are_listed = np.zeros(len(hashes), bool)
        for kind in KINDS:
            for lot in self._hashes(kind):
                are_listed |= are_among(hashes, np.sort(lot))
        return are_listed

    def _hashes(self, kind: str) -> Iterator[Hashes]:
        """The hashes of all rows of a kind, in order, millions at a time."""
        return _in_lots(placed.batch["hash"].to_numpy() for placed in self._worklist.rows(kind))

    def _batches(self) -> Iterator[tuple[str, UrlBatch]]:
        for kind in KINDS:
            for _, _, rows in self._worklist.rows(kind):
                yield kind, self._own(_as_urls(rows, kind))

    def _unsettled(self, settled: Rows) -> Iterator[tuple[str, UrlBatch]]:
        """Millions of rows at a time are compared with what is settled, so as to read that as seldom."""
        for kind in KINDS:
            rows = self._worklist.rows(kind)
            for hashes in self._hashes(kind):
                is_left, start = ~are_settled(settled, hashes), 0
                while start < len(hashes):
                    batch = _as_urls(next(rows).batch, kind)
                    yield kind, self._own(batch.where(is_left[start : start + len(batch)]))
                    start += len(batch)

    def _own(self, batch: UrlBatch) -> UrlBatch:
        return batch.where(self._assignment.owners(batch.hashes, batch.urls) == self._rank)


def _as_urls(rows: pa.RecordBatch, kind: str) -> UrlBatch:
    """Rows of a worklist as URLs that were found at depth 0, as seeds are."""
    count = len(rows)
    return UrlBatch(
        rows["url"].to_pylist(),
        rows["hash"].to_numpy(),
        np.zeros(count, np.uint16),
        np.zeros(count, np.uint8),
        np.full(count, flag_of(kind), np.uint8),
    )


def with_listed(scope: Scope, worklist: Worklist) -> Scope:
    """The scope with all listed URLs in it, on every rank; 8 bytes of memory for each that is outside."""
    if scope.is_everything:
        return scope
    outside = [np.empty(0, np.uint64)]
    for kind in KINDS:
        for _, _, rows in worklist.rows(kind):
            outside.append(rows["hash"].to_numpy()[~scope.contains(rows["url"].to_pylist())])
    return scope.including(np.concatenate(outside))


def most_ahead(counts: Mapping[str, int], share: int) -> int:
    """How many URLs a rank may have on its workbench that keeps to a list with so many left of each kind.

    So few that of neither kind more than a twentieth of the rows is there: then what is fetched first stands first in
    the list.  ``share`` is that of new rows, in millionths.
    """
    shares = {NEW: share, OLD: WHOLE - share}
    return min(
        (rows * WHOLE // (_PORTION * (shares[kind] or WHOLE)) for kind, rows in counts.items() if rows),
        default=0,
    )


def _in_lots(hashes: Iterator[Hashes]) -> Iterator[Hashes]:
    """Batches as larger ones, of about `MOST_AT_ONCE` rows."""
    lot: list[Hashes] = []
    for batch in hashes:
        lot.append(batch)
        if sum(map(len, lot)) >= MOST_AT_ONCE:
            yield np.concatenate(lot)
            lot = []
    if lot:
        yield np.concatenate(lot)
