"""The link exchange: what the ranks say to each other at the end of a superstep.

A rank that has come to the end of its superstep says so in a non-blocking barrier and goes on fetching; when all have
come, URLs and states move.  Sizes and states it waits for asleep; payloads, whose senders are all there by then, move
in blocking collectives (a large non-blocking one that is polled takes seconds).
"""

from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.exchange.verdict import (
    STATUS_NUMBERS,
    EndConditions,
    Status,
    Verdict,
    as_row,
    judge,
    statuses_from,
)
from crawler.exchange.wire_format import Counts, Weights, Wire
from crawler.process.attendance import Attendance
from crawler.process.mpi_wait import sleeping_wait
from crawler.process.usage import cpu_milliseconds, resident_bytes
from crawler.urls.batch import UrlBatch
from crawler.urls.outgoing import Outgoing

if TYPE_CHECKING:
    from mpi4py import MPI

ROUND_BYTES = 256 << 20
"""At most so much is sent or received by a rank in one collective, so that no MPI meets a count beyond 31 bits."""


class Sending(NamedTuple):
    """What a rank sent at the end of a superstep, one item for each rank that it sent something to.

    ``receivers`` uint16[m]; of each int64[m]: ``urls``, those of them that went as ``numbers``, the ``bytes`` of all
    their strings, and the ``wire_bytes`` that travelled.
    """

    receivers: npt.NDArray[np.uint16]
    urls: Counts
    numbers: Counts
    bytes: Counts
    wire_bytes: Counts

    def between(self, start: int, stop: int) -> "Sending":
        """What was sent to the receivers from place ``start`` up to ``stop``, that one not included."""
        return Sending._make(column[start:stop] for column in self)


NOTHING_SENT = Sending(np.empty(0, np.uint16), *(np.empty(0, np.int64) for _ in range(4)))


class LinkExchange:
    """One rank's end of the exchange over a communicator; it counts what it sends to all others together.

    ``wire`` says how batches are written; ``attendance`` is told where this rank waits for the others.  ``sent_urls``
    counts all URLs sent, ``sent_numbers`` those of them that went as numbers; ``sent_bytes`` are the bytes of all their
    strings, ``wire_bytes`` what really travelled.  What went to whom in the last exchange is ``last_sent``.
    """

    def __init__(
        self,
        comm: "MPI.Intracomm",
        wire: Wire | None = None,
        *,
        round_bytes: int = ROUND_BYTES,
        attendance: Attendance | None = None,
    ) -> None:
        self._comm = comm
        self._attendance = attendance or Attendance()
        self._wire = wire or Wire()
        self._round_bytes = round_bytes
        self._arrival: MPI.Request | None = None
        self.rank = comm.rank
        self.ranks = comm.size
        self.sent_urls = self.sent_numbers = self.sent_bytes = self.wire_bytes = self.messages = 0
        self.received_urls = 0
        self.last_sent = NOTHING_SENT

    def usage(self) -> tuple[int, int]:
        """CPU milliseconds that this rank has taken so far, and bytes of memory that it holds."""
        return cpu_milliseconds(), resident_bytes()

    def arrive(self) -> None:
        """Say that this rank has come to the end of its superstep."""
        self._attendance.arrive()
        self._arrival = self._comm.Ibarrier()

    def all_have_arrived(self) -> bool:
        """Have all ranks come to the end of this superstep?  Never blocks; False before `arrive`."""
        if self._arrival is None or not self._arrival.Test():
            return False
        self._arrival = None
        self._attendance.leave()
        return True

    def states(self, mine: Status) -> list[Status]:
        """The states of all ranks, by rank.  Blocks until all have given theirs."""
        rows = np.empty((self.ranks, STATUS_NUMBERS), np.int64)
        with self._attendance.meeting():
            sleeping_wait(self._comm.Iallgather(as_row(mine), rows))
        return statuses_from(rows)

    def agree(self, mine: Status, conditions: EndConditions) -> tuple[list[Status], Verdict]:
        """The states of all ranks, by rank, and the verdict over them.  Blocks until all have given theirs."""
        states = self.states(mine)
        return states, judge(states, conditions)

    def swap(self, outgoing: Outgoing) -> list[UrlBatch]:
        """Send each rank its URLs, and return what came, by sender.  Blocks until all ranks have called it."""
        self.last_sent, received = self._carry(outgoing)
        if len(outgoing):
            self._count(self.last_sent)
        self.received_urls += sum(map(len, received))
        return received

    def ask(self, questions: list[bytes], answer: Callable[[list[memoryview]], list[bytes]]) -> list[memoryview] | None:
        """Send each rank its questions, have ``answer`` deal with those that come, and return the answers.

        All by rank.  None if no rank had a question.  Blocks until all ranks have called it.
        """
        asked, largest = self._all_to_all(questions)
        return self._all_to_all(answer(asked))[0] if largest else None

    def gather(self, report: Any) -> list[Any] | None:
        """Bring every rank's ``report`` to rank 0; None on the others."""
        with self._attendance.meeting():
            return self._comm.gather(report, root=0)

    def tell_all(self, words: Any) -> Any:
        """What rank 0 says; the ``words`` of others are not heard."""
        with self._attendance.meeting():
            return self._comm.bcast(words, root=0)

    def sums(self, mine: Counts) -> tuple[Counts, Counts]:
        """The sums of an array over all ranks, and over those before this one.  Blocks until all have called it."""
        over_all, before = mine.copy(), np.zeros_like(mine)
        if self.ranks > 1:
            sleeping_wait(self._comm.Iallreduce(mine, over_all))
            sleeping_wait(self._comm.Iexscan(mine, before))
            if self.rank == 0:
                before.fill(0)  # MPI leaves open what is there
        return over_all, before

    def union(self, mine: Counts) -> Counts:
        """The distinct numbers that any rank has, in ascending order.  Blocks until all ranks have called it."""
        if self.ranks == 1:
            return np.unique(mine)
        counts = np.empty(self.ranks, np.int64)
        sleeping_wait(self._comm.Iallgather(np.array([len(mine)], np.int64), counts))
        found = np.empty(int(counts.sum()), np.int64)
        if len(found):
            sleeping_wait(self._comm.Iallgatherv(mine, (found, counts.tolist())))
        return np.unique(found)

    def _carry(self, outgoing: Outgoing) -> tuple[Sending, list[UrlBatch]]:
        """Send URLs to their receivers: what travels to each, and the batches that came, by sender."""
        encoded = self._wire.encode_all(outgoing.batch, outgoing.bounds)
        payloads = [b""] * self.ranks
        for rank, (payload, _) in zip(outgoing.receivers, encoded, strict=True):
            payloads[rank] = payload
        coming = self._all_to_all(payloads)[0]
        sent = sending_of(outgoing, Weights.of(encoded)) if len(outgoing) else NOTHING_SENT
        return sent, [self._wire.decode(payload) for payload in coming if len(payload)]

    def _count(self, sent: Sending) -> None:
        self.sent_urls += int(sent.urls.sum())
        self.sent_numbers += int(sent.numbers.sum())
        self.sent_bytes += int(sent.bytes.sum())
        self.wire_bytes += int(sent.wire_bytes.sum())
        self.messages += len(sent.receivers)

    def _all_to_all(self, payloads: list[bytes]) -> tuple[list[memoryview], int]:
        """What each rank has for this one, and how large the largest payload is that any has for any."""
        if self.ranks == 1:
            return [memoryview(payload) for payload in payloads], max(map(len, payloads))
        # A pair's share of a round is fixed, so every rank knows how many rounds there are from the largest payload,
        # which goes with the sizes, since each collective is another wait for all ranks.
        share = max(1, self._round_bytes // self.ranks)
        sizes = np.empty((self.ranks, 2), np.int64)
        sizes[:, 0] = np.fromiter(map(len, payloads), np.int64, self.ranks)
        sizes[:, 1] = sizes[:, 0].max()
        told = np.empty_like(sizes)
        with self._attendance.meeting():
            sleeping_wait(self._comm.Ialltoall(sizes, told))
        coming, largest = told[:, 0].tolist(), int(told[:, 1].max())
        received = [bytearray(size) for size in coming]
        for start in range(0, largest, share):
            with self._attendance.meeting():
                self._round(payloads, received, start, share)
        return [memoryview(payload) for payload in received], largest

    def _round(self, payloads: list[bytes], received: list[bytearray], start: int, share: int) -> None:
        from mpi4py import MPI  # a rank that is alone comes here never, and needs none

        pieces = [payload[start : start + share] for payload in payloads]
        counts = [len(piece) for piece in pieces]
        coming = [min(share, max(0, len(payload) - start)) for payload in received]
        buffer = np.empty(sum(coming), np.uint8)
        self._comm.Alltoallv(
            [np.frombuffer(b"".join(pieces), np.uint8), counts, _starts(counts), MPI.BYTE],
            [buffer, coming, _starts(coming), MPI.BYTE],
        )
        for payload, count, offset in zip(received, coming, _starts(coming), strict=True):
            payload[start : start + count] = buffer[offset : offset + count].data


def sending_of(outgoing: Outgoing, weights: Weights) -> Sending:
    """What is sent where something is, and ``weights`` are those of the messages."""
    urls, bounds = outgoing.batch.urls, outgoing.bounds
    sizes = np.fromiter(map(len, urls), np.int64, len(urls))
    return Sending(
        np.array(outgoing.receivers, np.uint16),
        np.diff(bounds),
        weights.numbers,
        np.add.reduceat(sizes, bounds[:-1]),
        weights.bytes,
    )


def _starts(counts: list[int]) -> list[int]:
    return [0, *accumulate(counts[:-1])]
