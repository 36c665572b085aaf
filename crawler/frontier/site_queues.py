"""A queue of URLs for each site, first in, first out, in bounded memory: millions of sites, or one with all URLs.

URLs that came last are in memory, those of a site chained by their slots; when memory is full the longest chains are
written to disk, as blocks of one site each, which are chained as well.  So the URLs of any site are had at the cost of
reading them, whatever else waits.  P. Boldi, A. Marino, M. Santini, S. Vigna, "BUbiNG: Massive Crawling for the
Masses", ACM TWEB 2018, section 4.3 (the workbench virtualizer), keep the queues of hosts in such a way.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.frontier.block_files import BlockFiles
from crawler.frontier.url_files import FileTraffic
from crawler.frontier.url_slots import Slots, UrlSlots
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.batch_columns import BatchColumns
from crawler.urls.front_coding import decode, encode, encode_all
from crawler.urls.hash_table import HashTable
from sessions.compiled import compiled
from sessions.hash_arrays import concatenated_ranges, distinct
from sessions.session import SessionError
from sessions.url import Hashes

Counts = npt.NDArray[np.int64]

_NONE = -1
_BYTES_BESIDE_SLOT = 16
"""What a URL takes in memory for its place in a chain."""
_MOST_IN_BLOCK = 2048
_LEAST_ROWS = 64
_DEAD_ROWS = 4096


class SiteQueues:
    """URLs by the hash of their site, of which about ``memory`` bytes are in memory and the rest in ``folder``.

    Beside them up to 200 bytes are kept for each site that has URLs, and 24 to 48 bytes for each block on disk.
    """

    def __init__(self, folder: Path, memory: int) -> None:
        self._memory = memory
        self._slots = UrlSlots()
        self._next: Slots = np.full(self._slots.capacity, _NONE, np.int64)
        self._blocks = BlockFiles(folder, "sites")
        self._next_block: Slots = np.full(_LEAST_ROWS, _NONE, np.int64)
        self._open: tuple[int, UrlBatch] | None = None
        self._length = 0
        self._rows_made = 0
        self._begin_rows(_LEAST_ROWS)

    def __len__(self) -> int:
        return self._length

    @property
    def traffic(self) -> FileTraffic:
        """What was read from disk and written to it so far."""
        return self._blocks.traffic

    def add(self, batch: UrlBatch, sites: Hashes) -> None:
        """Append URLs at the ends of the queues of their sites, uint64[n]."""
        if not len(batch):
            return
        rows = self._rows_of(sites)
        slots = self._slots.put(batch)
        if self._slots.capacity > len(self._next):
            more = self._slots.capacity - len(self._next)
            self._next = np.concatenate([self._next, np.full(more, _NONE, np.int64)])
        _link(self._first, self._last, self._in_memory, self._next, rows, slots)
        np.add.at(self._waiting, rows, 1)
        self._length += len(batch)
        if self._slots.bytes + _BYTES_BESIDE_SLOT * len(self._slots) > self._memory:
            self._spill()

    def take(self, site: int, count: int) -> UrlBatch:
        """Remove and return the first URLs of a site, up to ``count``.

        Raises SessionError, which names the file, for one that is damaged.
        """
        row = self._row(site)
        taken: list[UrlBatch] = []
        missing = min(count, int(self._waiting[row])) if row != _NONE else 0
        while missing:
            batch = self._take_from_disk(row, missing)
            if batch is None:
                batch = self._take_from_memory(row, missing)
            taken.append(batch)
            missing -= len(batch)
            self._waiting[row] -= len(batch)
            self._length -= len(batch)
        return joined(taken)

    def sites(self) -> Hashes:
        """The sites that have URLs, in no particular order: uint64[m]."""
        rows = np.flatnonzero(self._waiting[: self._rows_made] > 0)
        if self._rows_made - len(rows) > max(len(rows), _DEAD_ROWS):
            self._forget_empty(rows)
            rows = np.arange(len(rows))
        return self._sites[rows].copy()

    def waiting(self, sites: Hashes) -> Counts:
        """How many URLs wait of each site: int64[n] for uint64[n]."""
        found = self._table.find(sites)
        rows = self._table.values["row"][found].astype(np.int64)
        return np.where(found >= 0, self._waiting[rows], 0)

    def drain(self) -> Iterator[UrlBatch]:
        """Remove and return all URLs, a batch at a time, site by site."""
        for site in self.sites().tolist():
            while len(batch := self.take(site, _MOST_IN_BLOCK)):
                yield batch

    def _take_from_memory(self, row: int, count: int) -> UrlBatch:
        slots = np.empty(min(count, int(self._in_memory[row])), np.int64)
        _unlink(self._first, self._last, self._in_memory, self._next, row, slots)
        return self._slots.take(slots)

    def _take_from_disk(self, row: int, count: int) -> UrlBatch | None:
        """The first URLs of a site's first block, up to ``count``; None if it has none on disk."""
        batch = self._opened(row)
        if batch is None:
            return None
        taken, rest = batch.between(0, count), batch.between(min(count, len(batch)), len(batch))
        self._open = (row, rest) if len(rest) else None
        return taken

    def _opened(self, row: int) -> UrlBatch | None:
        """A site's first block, out of its chain; what is left of another site's goes back to where it was."""
        if self._open is not None and self._open[0] == row:
            return self._open[1]
        if self._first_block[row] == _NONE:
            return None
        self._close_open()
        number = int(self._first_block[row])
        self._first_block[row] = self._next_block[number]
        if self._first_block[row] == _NONE:
            self._last_block[row] = _NONE
        try:
            return decode(self._blocks.take(number))
        except ValueError as error:
            raise SessionError(f"URLs that wait on disk are damaged: {error}") from error

    def _close_open(self) -> None:
        if self._open is None:
            return
        row, rest = self._open
        self._open = None
        (number,) = self._written([encode(rest)])
        self._next_block[number] = self._first_block[row]
        self._first_block[row] = number
        if self._last_block[row] == _NONE:
            self._last_block[row] = number

    def _spill(self) -> None:
        """Write the longest chains to disk, until half of the URLs in memory are there."""
        rows = np.flatnonzero(self._in_memory[: self._rows_made] > 0)
        rows = rows[np.argsort(-self._in_memory[rows], kind="stable")]
        before = np.cumsum(self._in_memory[rows]) - self._in_memory[rows]
        rows = rows[before < -(-len(self._slots) // 2)]
        lengths = self._in_memory[rows].copy()
        slots = np.empty(int(lengths.sum()), np.int64)
        _unlink_all(self._first, self._last, self._in_memory, self._next, rows, slots)
        batch = self._slots.take(slots)
        blocks = -(-lengths // _MOST_IN_BLOCK)
        within = concatenated_ranges(np.zeros(len(rows), np.int64), blocks)
        begins = np.repeat(np.cumsum(lengths) - lengths, blocks) + _MOST_IN_BLOCK * within
        encoded = encode_all(BatchColumns.of(batch, np.append(begins, len(slots))))
        for row, number in zip(np.repeat(rows, blocks).tolist(), self._written(encoded), strict=True):
            self._append_block(row, number)

    def _append_block(self, row: int, number: int) -> None:
        """Have a block at the end of a site's chain."""
        self._next_block[number] = _NONE
        if self._last_block[row] == _NONE:
            self._first_block[row] = number
        else:
            self._next_block[self._last_block[row]] = number
        self._last_block[row] = number

    def _written(self, blocks: Sequence[bytes]) -> list[int]:
        """Write blocks, for which there is room in the chains then; their numbers."""
        numbers = self._blocks.append(blocks)
        while max(numbers) >= len(self._next_block):
            self._next_block = np.concatenate([self._next_block, np.full_like(self._next_block, _NONE)])
        return numbers

    def _row(self, site: int) -> int:
        slot = self._table.slot_of(site)
        return int(self._table.values["row"][slot]) if slot >= 0 else _NONE

    def _rows_of(self, sites: Hashes) -> Slots:
        """The rows of sites, made for those that have none yet: int64[n]."""
        found = self._table.find(sites)
        if (found < 0).any():
            new = distinct(sites[found < 0])
            self._make_rows(new)
            found = self._table.find(sites)
        return self._table.values["row"][found].astype(np.int64)

    def _make_rows(self, sites: Hashes) -> None:
        until = self._rows_made + len(sites)
        while until > len(self._sites):
            self._grow_rows()
        rows = np.arange(self._rows_made, until)
        self._sites[rows] = sites
        self._table.insert(sites, {"row": rows.astype(np.uint32)})
        self._rows_made = until

    def _begin_rows(self, capacity: int) -> None:
        self._table = HashTable({"row": np.uint32})
        self._rows_made = 0
        self._sites: Hashes = np.zeros(capacity, np.uint64)
        self._waiting: Counts = np.zeros(capacity, np.int64)
        self._in_memory: Counts = np.zeros(capacity, np.int64)
        self._first, self._last, self._first_block, self._last_block = (
            np.full(capacity, _NONE, np.int64) for _ in range(4)
        )

    def _grow_rows(self) -> None:
        none = np.full(len(self._sites), _NONE, np.int64)
        self._sites, self._waiting, self._in_memory = (
            np.concatenate([column, np.zeros_like(column)]) for column in (self._sites, self._waiting, self._in_memory)
        )
        self._first, self._last, self._first_block, self._last_block = (
            np.concatenate([column, none]) for column in (self._first, self._last, self._first_block, self._last_block)
        )

    def _forget_empty(self, rows: Slots) -> None:
        """Keep these rows alone."""
        self._close_open()
        columns = (self._waiting, self._in_memory, self._first, self._last, self._first_block, self._last_block)
        kept, sites = [column[rows] for column in columns], self._sites[rows]
        self._begin_rows(max(_LEAST_ROWS, 2 * len(rows)))
        self._make_rows(sites)
        new = (self._waiting, self._in_memory, self._first, self._last, self._first_block, self._last_block)
        for column, values in zip(new, kept, strict=True):
            column[: len(rows)] = values


@compiled
def _link(first: Slots, last: Slots, in_memory: Counts, following: Slots, rows: Slots, slots: Slots) -> None:
    """Put URLs at the ends of the chains of their rows."""
    for number in range(len(rows)):
        row, slot = rows[number], slots[number]
        if last[row] < 0:
            first[row] = slot
        else:
            following[last[row]] = slot
        last[row] = slot
        following[slot] = -1
        in_memory[row] += 1


@compiled
def _unlink(first: Slots, last: Slots, in_memory: Counts, following: Slots, row: int, slots: Slots) -> None:
    """Take as many URLs from the begin of a chain as there are ``slots``, which are filled with theirs."""
    for number in range(len(slots)):
        slots[number] = first[row]
        first[row] = following[first[row]]
    if first[row] < 0:
        last[row] = -1
    in_memory[row] -= len(slots)


@compiled
def _unlink_all(first: Slots, last: Slots, in_memory: Counts, following: Slots, rows: Slots, slots: Slots) -> None:
    """Take all URLs of the chains of these rows, chain by chain; there are as many as ``slots``, which are filled."""
    number = 0
    for row in rows:
        slot = first[row]
        while slot >= 0:
            slots[number] = slot
            number += 1
            slot = following[slot]
        first[row] = -1
        last[row] = -1
        in_memory[row] = 0
