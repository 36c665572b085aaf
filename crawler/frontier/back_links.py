"""What ranks tell each other of back-links: those that each found go to the rank that counts them.

A back-link is a distinct pair of a source page and a target.  Its source is fetched by one rank, once, and a page's
links are distinct; so the rank that records the link counts it, and nobody has to compare pairs.  Links within a
superstep are added up before they travel, as 12 bytes each: the hash of a URL or a site, and how many are new.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from crawler.frontier.back_link_counts import Counts, added_up
from crawler.frontier.budgets.star import Exchange
from crawler.urls.batch import UrlBatch
from partition.assignment.assignment import Assignment
from sessions.hash_arrays import grouped
from sessions.url import Hashes

Ranks = npt.NDArray[np.integer[Any]]

_TOLD = np.dtype([("unit", "<u8"), ("links", "<u4")])
_UNIT = np.dtype("<u8")
_COUNT = np.dtype("<u4")
_LINKS_AT_ONCE = 1 << 16


class CountedOrdering(Protocol):
    """An ordering that goes by back-links, of each URL or of each *unit* that several have in common.

    Of each unit one rank counts the back-links: the owner of the URLs, or one by hash.
    """

    is_counted_by_owner: bool
    """Does a URL's owner count its back-links?  If not, the rank at the unit's hash modulo K does."""

    def units(self, batch: UrlBatch) -> Hashes:
        """What a link to each of these URLs counts for: uint64[n]."""
        ...

    def count(self, units: Hashes, more: Counts) -> None:
        """Count new back-links of units that this rank counts: distinct uint64[n], uint32[n]."""
        ...

    def counted(self, units: Hashes) -> Counts:
        """How many back-links this rank has counted of each: uint32[n] for uint64[n]."""
        ...

    def end_superstep(self) -> bool:
        """Note that a superstep has ended; are counts to be asked for at its end?  All ranks have the same answer."""
        ...

    def wanted(self) -> Hashes:
        """The units whose counts over all ranks are wanted: distinct, uint64[n]."""
        ...

    def rank(self, units: Hashes, counts: Counts) -> None:
        """Order URLs anew by the counts of these units: uint64[n], uint32[n]."""
        ...


class BackLinks:
    """One rank's end of the counting for ``ordering``, of ``ranks`` ranks; ``owners`` says who owns URLs.

    It keeps 16 to 32 bytes for each unit that is linked to in a superstep.  ``wire_bytes`` counts what this rank sent
    to others.
    """

    def __init__(self, ordering: CountedOrdering, ranks: int, owners: Callable[[UrlBatch], Ranks]) -> None:
        self._ordering = ordering
        self._ranks = ranks
        self._owners = owners
        self._found: list[tuple[Hashes, Counts, Ranks]] = []
        self._waiting = 0
        self.wire_bytes = 0

    @property
    def is_of_urls(self) -> bool:
        """Are links counted for the URLs themselves, and not for what several have in common?"""
        return self._ordering.is_counted_by_owner

    def links(self, batch: UrlBatch) -> None:
        """Note links to these URLs, one each, of pages that this rank has fetched."""
        self.note(batch, np.ones(len(batch), np.uint32))

    def note(self, batch: UrlBatch, links: Counts) -> None:
        """Note back-links of URLs, so many of each: uint32[n]."""
        units = self._ordering.units(batch)
        self._found.append((units, links, self._counters_of(units, batch)))
        self._waiting += len(units)
        if self._waiting >= max(_LINKS_AT_ONCE, len(self._found[0][0])):
            self._add_up()

    def settle(self, exchange: Exchange) -> None:
        """Tell new back-links to those that count them, and ask for counts when it is time.  All ranks call it."""
        self.tell(exchange)
        if self._ordering.end_superstep():
            self._ask(exchange)

    def tell(self, exchange: Exchange) -> bool:
        """Tell new back-links to those that count them; was there any, of any rank?  All ranks call it."""
        told = [its.tobytes() for its in self._take()]
        self._sent(exchange, told)
        return exchange.ask(told, self._count) is not None

    def close(self) -> None:
        """The crawl has ended."""
        self._found = []

    def _ask(self, exchange: Exchange) -> None:
        units = self._ordering.wanted()
        order, bounds = grouped(units % np.uint64(exchange.ranks), exchange.ranks)
        units = units[order]
        questions = [units[start:stop].astype(_UNIT).tobytes() for start, stop in pairwise(bounds)]
        self._sent(exchange, questions)
        answers = exchange.ask(questions, lambda asked: self._answer(exchange, asked)) or []
        counts = [np.frombuffer(answer, _COUNT) for answer in answers]
        self._ordering.rank(units, np.concatenate([np.empty(0, np.uint32), *counts]).astype(np.uint32))

    def _answer(self, exchange: Exchange, asked: Sequence[memoryview]) -> list[bytes]:
        units = [np.frombuffer(question, _UNIT).astype(np.uint64) for question in asked]
        answers = [self._ordering.counted(its).astype(_COUNT).tobytes() for its in units]
        self._sent(exchange, answers)
        return answers

    def _count(self, told: Sequence[memoryview]) -> list[bytes]:
        rows = np.concatenate([np.frombuffer(payload, _TOLD) for payload in told])
        self._ordering.count(*added_up(rows["unit"].astype(np.uint64), rows["links"].astype(np.uint32)))
        return [b""] * len(told)

    def _counters_of(self, units: Hashes, batch: UrlBatch) -> Ranks:
        """The rank that counts each unit."""
        if self._ordering.is_counted_by_owner:
            return self._owners(batch)
        return (units % np.uint64(self._ranks)).astype(np.int32)

    def _add_up(self) -> None:
        """Have each unit once in what was found."""
        units, links, ranks = (np.concatenate(columns) for columns in zip(*self._found, strict=True))
        distinct, sums = added_up(units, links)
        of_distinct = np.empty(len(distinct), ranks.dtype)
        of_distinct[np.searchsorted(distinct, units)] = ranks
        self._found, self._waiting = [(distinct, sums, of_distinct)], 0

    def _take(self) -> list[npt.NDArray[np.void]]:
        """Remove and return what was found, as it is told to each rank."""
        if not self._found:
            return [np.empty(0, _TOLD)] * self._ranks
        self._add_up()
        ((units, links, ranks),) = self._found
        self._found = []
        order, bounds = grouped(ranks, self._ranks)
        rows = np.empty(len(units), _TOLD)
        rows["unit"], rows["links"] = units[order], links[order]
        return [rows[start:stop] for start, stop in pairwise(bounds)]

    def _sent(self, exchange: Exchange, payloads: Sequence[bytes]) -> None:
        self.wire_bytes += sum(len(payload) for rank, payload in enumerate(payloads) if rank != exchange.rank)


def back_links_for(ordering: CountedOrdering | None, assignment: Assignment) -> BackLinks | None:
    """Return what counts back-links for an ordering that goes by them, where an assignment says who owns a URL."""
    if ordering is None:
        return None
    return BackLinks(ordering, assignment.ranks, lambda batch: assignment.owners(batch.hashes, batch.urls))
