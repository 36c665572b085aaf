"""Ranks that work on one thing together, each holding a share of it: columns of numbers and texts that they exchange.

A row has an owner; `Ranks.sent` brings rows to their owners, `Ranks.answered` brings answers back.  What is exchanged
travels in rounds of bounded size, so that no count comes near 2^31, which is as far as most MPIs count, and what MPI
holds besides the arrays is bounded.

Every method is collective, and what it returns depends on nothing but what was handed in: no rank waits for whoever
comes first.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.hash_arrays import grouped

ROUND_BYTES = 64 << 20
"""The most that a rank sends, or receives, in one round."""

Column = npt.NDArray[Any]
Columns = tuple[Column, ...]
Item = TypeVar("Item")


class Ranks:
    """The ranks of an MPI communicator; with none, one process alone, which imports no MPI.

    Attributes:
        rank, size: this rank's number, from 0, and how many there are.
        bytes_sent: what this rank has sent to others in columns, texts and gathered rows.
    """

    def __init__(self, comm: Any = None, *, round_bytes: int = ROUND_BYTES) -> None:
        self._comm: Any = comm if comm is not None and comm.size > 1 else None
        self._round_bytes = round_bytes
        self.rank: int = comm.rank if comm is not None else 0
        self.size: int = comm.size if comm is not None else 1
        self.bytes_sent = 0

    def sent(self, owners: npt.NDArray[np.integer[Any]], *columns: Column) -> tuple[Columns, npt.NDArray[np.int64]]:
        """Send n rows to their owners, int[n] in [0, size); the rows that came, and how many from each rank.

        A row has an entry of each of the ``columns``, of n rows and any width each.  What came is in the order of the
        ranks that sent it, and of each rank's rows in the order in which they were.
        """
        if self._comm is None:
            return columns, np.array([len(owners)], np.int64)
        order, counts, came = self._routes(owners)
        return tuple(self._swapped(column[order], counts, came) for column in columns), came

    def sent_texts(self, owners: npt.NDArray[np.integer[Any]], texts: pa.Array) -> pa.Array:
        """Send n texts (`pa.large_string`) to their owners; those that came are in the order of `sent`."""
        if self._comm is None:
            return texts
        order, counts, came = self._routes(owners)
        in_order = texts.take(pa.array(order))
        lengths, content = _taken_apart(in_order)
        got = self._swapped(lengths, counts, came)
        sizes = _sums(lengths, counts)
        return _put_together(got, self._swapped(content, sizes, _sums(got, came)))

    def answered(
        self,
        owners: npt.NDArray[np.integer[Any]],
        answer: Callable[..., Columns],
        *questions: Column,
    ) -> Columns:
        """Ask the owners, int[n] in [0, size), of n rows; their answers, in the order of the questions.

        ``answer`` is called once on each rank, with the columns of all questions that came to it, and gives columns of
        as many rows; it may be collective itself.
        """
        if self._comm is None:
            return answer(*questions)
        order, counts, came = self._routes(owners)
        answers = answer(*(self._swapped(question[order], counts, came) for question in questions))
        found = []
        for column in answers:
            back = self._swapped(column, came, counts)
            in_order = np.empty_like(back)
            in_order[order] = back
            found.append(in_order)
        return tuple(found)

    def gathered(self, column: Column) -> Column:
        """The rows of all ranks, on every rank, in the order of the ranks."""
        if self._comm is None:
            return column
        counts = np.array(self.together(len(column)), np.int64)
        rows, content = _as_bytes(column)
        ends = np.cumsum(counts)
        found = np.empty((int(ends[-1]), rows), np.uint8)
        most = max(1, self._round_bytes // (self.size * max(1, rows)))
        for first in range(0, int(counts.max()), most):
            share = np.clip(counts - first, 0, most)
            piece = content[first : first + most]
            got = np.empty((int(share.sum()), rows), np.uint8)
            self._comm.Allgatherv(piece, [got, share * rows])
            _put_into(found, ends - counts + first, share, got)
            self.bytes_sent += piece.nbytes * (self.size - 1)
        return _from_bytes(found, column)

    def gathered_texts(self, texts: pa.Array) -> pa.Array:
        """The texts (`pa.large_string`) of all ranks, on every rank, in the order of the ranks."""
        if self._comm is None:
            return texts
        lengths, content = _taken_apart(texts)
        return _put_together(self.gathered(lengths), self.gathered(content))

    def summed(self, numbers: Column) -> Column:
        """The sum over ranks of arrays of one shape."""
        if self._comm is None:
            return numbers.copy()
        sums = np.empty_like(numbers)
        self._comm.Allreduce(np.ascontiguousarray(numbers), sums)
        return sums

    def total(self, number: int) -> int:
        """The sum over ranks of a number."""
        return int(self.summed(np.array([number], np.int64))[0])

    def together(self, thing: Item) -> list[Item]:
        """The small things of all ranks, on every rank, in the order of the ranks."""
        return [thing] if self._comm is None else self._comm.allgather(thing)

    def told(self, thing: Item, teller: int = 0) -> Item:
        """The small thing of one rank, on every rank."""
        return thing if self._comm is None else self._comm.bcast(thing, teller)

    def offsets(self, count: int) -> npt.NDArray[np.int64]:
        """Where each rank's numbers begin if ``count`` of this rank's things get the next numbers: int64[size + 1]."""
        return np.concatenate(([0], np.cumsum(self.together(count)))).astype(np.int64)

    def each(self, make: Callable[[], Item]) -> Item:
        """Return what ``make`` gives on this rank.  If it raises on any rank, all raise the lowest rank's error.

        ``make`` is not collective.
        """
        made, error = _tried(make)
        self._raise_first(error)
        assert made is not None
        return made[0]

    def first(self, make: Callable[[], Item]) -> Item:
        """Return on every rank the small thing that ``make`` gives on rank 0; what it raises there is raised on all."""
        made, error = _tried(make) if self.rank == 0 else (None, None)
        self._raise_first(error)
        told: tuple[Item] = self.told(made)  # type: ignore[assignment]  # rank 0 has made it
        return told[0]

    def in_step(self, batches: Iterable[Item], empty: Item) -> Iterator[Item]:
        """Yield this rank's batches, and ``empty`` as long as others have more: between them ranks can talk.

        An error that reading a batch raises on one rank is raised on all of them.
        """
        source = iter(batches)
        while True:
            batch, error = _tried(lambda: next(source, None))
            self._raise_first(error)
            has_more = batch is not None and batch[0] is not None
            if not any(self.together(has_more)):
                return
            yield batch[0] if batch is not None and batch[0] is not None else empty

    def _raise_first(self, error: Exception | None) -> None:
        for raised in self.together(error):
            if raised is not None:
                raise raised

    def _routes(
        self, owners: npt.NDArray[np.integer[Any]]
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The order that brings rows together by owner, how many go to each rank, and how many come from each."""
        order, begins = grouped(owners, self.size)
        starts = np.array(begins, np.int64)
        counts, came = starts[1:] - starts[:-1], np.empty(self.size, np.int64)
        self._comm.Alltoall(counts, came)
        return order, counts, came

    def _swapped(self, column: Column, counts: npt.NDArray[np.int64], came: npt.NDArray[np.int64]) -> Column:
        """Send the first ``counts[0]`` rows to rank 0, the next to rank 1, and so on; those that came so."""
        width, content = _as_bytes(column)
        found = np.empty((int(came.sum()), width), np.uint8)
        most = max(1, self._round_bytes // (self.size * max(1, width)))
        largest = max(self.together(int(max(counts.max(), came.max()))))
        starts, places = np.cumsum(counts) - counts, np.cumsum(came) - came
        for first in range(0, largest, most):
            give, take = np.clip(counts - first, 0, most), np.clip(came - first, 0, most)
            outgoing = np.concatenate(
                [content[start : start + count] for start, count in zip(starts + first, give, strict=True)]
            )
            incoming = np.empty((int(take.sum()), width), np.uint8)
            self._comm.Alltoallv([outgoing, give * width], [incoming, take * width])
            _put_into(found, places + first, take, incoming)
            self.bytes_sent += int(give.sum() - give[self.rank]) * width
        return _from_bytes(found, column)


def owners_by_range(numbers: npt.NDArray[np.integer[Any]], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """The rank of each number, int32[n], where rank r has those from ``offsets[r]`` up to ``offsets[r + 1]``."""
    owners: npt.NDArray[np.int32] = (np.searchsorted(offsets, numbers, side="right") - 1).astype(np.int32)
    return owners


def _put_into(
    rows: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    new: npt.NDArray[np.uint8],
) -> None:
    """Put what came into its places: the first ``counts[0]`` of the new rows from ``starts[0]`` on, and so on."""
    taken = 0
    for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
        rows[start : start + count] = new[taken : taken + count]
        taken += count


def _tried(make: Callable[[], Item]) -> tuple[tuple[Item] | None, Exception | None]:
    try:
        return (make(),), None
    except Exception as error:
        return None, error


def _as_bytes(column: Column) -> tuple[int, npt.NDArray[np.uint8]]:
    """How many bytes a row has, and the rows as bytes: uint8[n, bytes]."""
    contiguous = np.ascontiguousarray(column)
    width = contiguous.itemsize * int(np.prod(contiguous.shape[1:]))
    return width, contiguous.view(np.uint8).reshape(len(column), width) if contiguous.size else np.empty(
        (len(column), width), np.uint8
    )


def _from_bytes(rows: npt.NDArray[np.uint8], like: Column) -> Column:
    return rows.reshape(-1).view(like.dtype).reshape(len(rows), *like.shape[1:])


def _sums(lengths: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The sum of the first ``counts[0]`` lengths, of the next, and so on."""
    ends = np.concatenate(([0], np.cumsum(lengths)))
    bounds = np.concatenate(([0], np.cumsum(counts)))
    return np.diff(ends[bounds]).astype(np.int64)


def _taken_apart(texts: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """The lengths in bytes of n texts, int64[n], and their bytes one after the other."""
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1] if len(texts) else [0, 0]
    characters = np.frombuffer(content, np.uint8) if content is not None else np.empty(0, np.uint8)
    return np.diff(bounds) if len(texts) else np.empty(0, np.int64), characters[bounds[0] : bounds[-1]]


def _put_together(lengths: npt.NDArray[np.int64], content: npt.NDArray[np.uint8]) -> pa.Array:
    bounds = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(bounds), pa.py_buffer(content))
