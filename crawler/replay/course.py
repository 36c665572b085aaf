"""The course of a crawl: who fetched what in which superstep, and what the ranks sent each other at its end.

A replay under MPI leaves its course in its session, as every crawl does; the estimate computes one.  All measures
start from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.replay.recording import Numbers, Recording
from sessions.hash_arrays import are_first
from sessions.records import Report
from sessions.schema import EXCHANGES
from sessions.session import Session

Ranks = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Fetches:
    """F fetches of pages in the order in which they count as made.

    That is by superstep; within one, first what each rank fetched first, by rank, then what each fetched second, and
    so on.  ``superstep`` int32[F] counts from 0; ``rank`` int32[F]; ``page`` int64[F] is its number in the recording.
    """

    superstep: Ranks
    rank: Ranks
    page: Numbers

    def __len__(self) -> int:
        return len(self.page)


@dataclass(frozen=True)
class Messages:
    """M batches of URLs that one rank handed to another at the end of a superstep, sorted by superstep, from, to.

    ``superstep``, ``sender`` and ``receiver`` int32[M]; ``urls`` int64[M] counts URLs, ``numbers`` those of them that
    travelled as numbers; ``bytes`` are those of all their strings, ``wire_bytes`` what travelled.
    """

    superstep: Ranks
    sender: Ranks
    receiver: Ranks
    urls: Numbers
    numbers: Numbers
    bytes: Numbers
    wire_bytes: Numbers

    def __len__(self) -> int:
        return len(self.urls)

    def by_sender(self, ranks: int, column: Numbers) -> Numbers:
        """The sum of a column by sender: int64[K]."""
        return _sums(ranks, self.sender, column)

    def by_receiver(self, ranks: int, column: Numbers) -> Numbers:
        """The sum of a column by receiver: int64[K]."""
        return _sums(ranks, self.receiver, column)

    def most_of_a_pair(self, column: Numbers) -> int:
        """The largest sum of a column over what one rank sent another, 0 if nothing was sent."""
        pairs, place = np.unique(self.sender.astype(np.int64) << 32 | self.receiver, return_inverse=True)
        return int(_sums(len(pairs), place, column).max(initial=0))

    def by_pair(self, ranks: int, column: Numbers) -> Numbers:
        """The sum of a column by sender and receiver, int64[K, K]: for few ranks only."""
        sums = np.zeros((ranks, ranks), np.int64)
        np.add.at(sums, (self.sender, self.receiver), column)
        return sums


def joined_messages(some: Sequence[Messages]) -> Messages:
    """Several messages as one, in order."""
    shortest, longest = np.empty(0, np.int32), np.empty(0, np.int64)
    every = [Messages(shortest, shortest, shortest, longest, longest, longest, longest), *some]
    return Messages(*(np.concatenate([getattr(its, field.name) for its in every]) for field in fields(Messages)))


def _sums(groups: int, group: npt.NDArray[np.integer], column: Numbers) -> Numbers:
    """The sum of a column by group: bincount would add in float64, which is not exact beyond 2^53."""
    sums = np.zeros(groups, np.int64)
    np.add.at(sums, group, column)
    return sums


@dataclass(frozen=True)
class Course:
    """A crawl by K ``ranks`` in so many ``supersteps``; ``discovered`` int64[K] are the URLs that each accepted."""

    ranks: int
    supersteps: int
    fetches: Fetches
    messages: Messages
    discovered: Numbers


def in_turn(superstep: Ranks, rank: Ranks, page: Numbers) -> Fetches:
    """Fetches in the order in which they count as made; given are those of each rank in its own order."""
    by_rank = np.lexsort((rank, superstep))  # stable: a rank's own order stays
    pairs = superstep[by_rank].astype(np.int64) << 32 | rank[by_rank]
    firsts = np.flatnonzero(are_first(pairs))
    turn = np.arange(len(pairs)) - np.repeat(firsts, np.diff(np.append(firsts, len(pairs))))
    order = by_rank[np.lexsort((rank[by_rank], turn, superstep[by_rank]))]
    return Fetches(superstep[order], rank[order], page[order])


def course_of(session: Session, recording: Recording) -> Course:
    """The course of a finished session, whose pages are numbered as in ``recording``; others are left out."""
    pages = session.read("pages", ["hash", "rank", "superstep"])
    sent = session.read("exchanges")
    return course_from(
        recording,
        session.ranks,
        session.rank_reports(),
        tuple(pages[name].to_numpy() for name in ("hash", "rank", "superstep")),
        [sent[name].to_numpy() for name in EXCHANGES.names],
    )


def course_from(
    recording: Recording,
    ranks: int,
    reports: Sequence[Report],
    fetches: Sequence[npt.NDArray[Any]],
    sent: Sequence[npt.NDArray[Any]],
) -> Course:
    """The course that so many ranks have written down in their reports and in columns.

    ``fetches`` are hash, rank and superstep of each, in the order of its rank; ``sent`` is as
    `sessions.schema.EXCHANGES` has it.
    """
    hashes, rank, superstep = fetches
    numbers = recording.numbers_of(hashes)
    known = np.flatnonzero((numbers >= 0) & (numbers < recording.page_count))
    columns = dict(zip(EXCHANGES.names, sent, strict=True))
    order = np.lexsort((columns["receiver"], columns["rank"], columns["superstep"]))
    messages = Messages(
        *(columns[name][order].astype(np.int32) for name in ("superstep", "rank", "receiver")),
        *(columns[name][order].astype(np.int64) for name in ("urls", "numbers", "bytes", "wire_bytes")),
    )
    return Course(
        ranks,
        max((report["supersteps"] for report in reports), default=0),
        in_turn(superstep[known].astype(np.int32), rank[known].astype(np.int32), numbers[known]),
        messages,
        np.array([report["discovered"] for report in reports], np.int64),
    )
