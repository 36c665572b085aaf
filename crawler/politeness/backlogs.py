"""Any number of first-in-first-out queues of URLs that share one memory; what has no room there is on disk.

They are many and mostly short, so each takes little: a list in memory, and files only once it has to give memory up.
The longest give it up first, in blocks of some kilobytes, larger ones if they are very long.  Each URL is written at
most once and read at most once by the queue that it is in.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import numpy as np

from crawler.frontier.url_files import FileTraffic, UrlFiles
from crawler.politeness.entry import Entry, entry_columns
from crawler.urls.batch import UrlBatch

BYTES_BESIDE_TEXT = 266
"""Memory that a URL takes here beside its text: a row of seven, its hash, head and rounding of a string."""
_LONG = 1 << 12
_BLOCK, _BLOCK_OF_LONG = 64, 512
"""URLs written, or read, at once."""
_PARTS = 64
"""Of a queue that is in memory so much, or a block, is taken at once; only the rest counts as memory to be shared."""
_DRAINED_AT_ONCE = 4096
_MOST_TRIES = 0x1F
"""More of a URL whose site has moved meanwhile are forgotten."""
_VERIFIED, _KIND_SHIFT = 0x20, 6


class Backlog:
    """One queue.  ``bytes`` is the memory that its URLs take that came last."""

    __slots__ = ("_files", "_head", "_length", "_pool", "_tail", "bytes")

    def __init__(self, pool: "Backlogs") -> None:
        self._pool = pool
        self._head: list[Entry] = []  # the first is last
        self._tail: list[Entry] = []
        self._files: UrlFiles | None = None
        self._length = 0
        self.bytes = 0

    def __len__(self) -> int:
        return self._length

    def push(self, entry: Entry) -> None:
        """Append a URL."""
        if not self._length:
            self._pool.opened(self)
        self._tail.append(entry)
        self._length += 1
        taken = _size(entry)
        self.bytes += taken
        self._pool.grew(1, taken)

    def first(self) -> Entry:
        """The first URL, which stays.  The queue must not be empty."""
        if not self._head:
            self._fill_head()
        return self._head[-1]

    def pop(self) -> Entry:
        """Remove and return the first URL.  The queue must not be empty.

        Raises SessionError, which names the file, for one that is damaged.
        """
        if not self._head:
            self._fill_head()
        entry = self._head.pop()
        self._length -= 1
        self._pool.grew(-1, 0)
        if not self._length:
            self._head, self._files = [], None
            self._pool.closed(self)
        return entry

    def spill(self) -> None:
        """Write to disk what came last and is in memory only."""
        if self._tail and self._files is None:
            self._files = self._pool.new_files()
        if self._files is not None:
            block = _BLOCK if self._length < _LONG else _BLOCK_OF_LONG
            before = self._files.traffic
            for start in range(0, len(self._tail), block):
                self._files.append(_batch(self._tail[start : start + block]))
            self._pool.moved(before, self._files.traffic)
            self._empty_tail()

    def _fill_head(self) -> None:
        if self._files:
            before = self._files.traffic
            batch = self._files.take()
            self._pool.moved(before, self._files.traffic)
            self._head = _entries(batch)
        else:
            count = max(_BLOCK, len(self._tail) // _PARTS)
            self._head, self._tail = self._tail[:count], self._tail[count:]
            taken = sum(map(_size, self._head))
            self.bytes -= taken
            self._pool.grew(0, -taken)
        self._head.reverse()

    def _empty_tail(self) -> None:
        self._pool.grew(0, -self.bytes)
        self._tail, self.bytes = [], 0


class Backlogs:
    """The queues, and the memory that they share: what came last to each takes about ``memory`` bytes together.

    Files are made in ``folder`` when they are needed, and removed when they have been read.  ``len`` is the number of
    URLs in all queues, ``queues`` that of the queues that are not empty.  ``traffic`` is what was read and written.
    """

    def __init__(self, folder: Path, memory: int) -> None:
        self._folder = folder
        self._memory = memory
        self._bytes = 0
        self._length = 0
        self._open: dict[Backlog, None] = {}
        self._numbers = count()
        self.traffic = FileTraffic()

    def __len__(self) -> int:
        return self._length

    @property
    def queues(self) -> int:
        """How many queues have URLs."""
        return len(self._open)

    def drain(self) -> Iterator[Sequence[Entry]]:
        """Remove and return all URLs, queue by queue, some thousands at a time."""
        while self._open:
            queue = next(iter(self._open))
            yield [queue.pop() for _ in range(min(len(queue), _DRAINED_AT_ONCE))]

    def relieve(self) -> None:
        """Keep within the memory: call it when URLs were added.  The longest are written to disk, to half of it.

        To half, so that it is done seldom and each block is large.
        """
        if self._bytes <= self._memory:
            return
        for queue in sorted(self._open, key=lambda queue: queue.bytes, reverse=True):
            queue.spill()
            if self._bytes <= self._memory // 2:
                return

    def opened(self, queue: Backlog) -> None:
        """A queue has URLs now."""
        self._open[queue] = None

    def closed(self, queue: Backlog) -> None:
        """A queue has no URLs any more."""
        del self._open[queue]

    def grew(self, urls: int, taken: int) -> None:
        """A queue has so many more URLs, and takes so many more bytes of what is shared."""
        self._length += urls
        self._bytes += taken

    def moved(self, before: FileTraffic, after: FileTraffic) -> None:
        """The files of a queue had this traffic before, and have it now."""
        self.traffic = FileTraffic(*(sum(one) for one in zip(self.traffic, after, (-x for x in before), strict=True)))

    def new_files(self) -> UrlFiles:
        """Files that no other queue has."""
        return UrlFiles(self._folder, f"parked-{next(self._numbers):06d}")


def _size(entry: Entry) -> int:
    return BYTES_BESIDE_TEXT + len(entry.url)


def _batch(entries: Sequence[Entry]) -> UrlBatch:
    """The URLs as a batch, in whose flags stand kinds and what was tried: a site may move between two requests."""
    flags = [
        min(entry.tries, _MOST_TRIES) | _VERIFIED * entry.is_verified | entry.kind << _KIND_SHIFT for entry in entries
    ]
    return UrlBatch([entry.url for entry in entries], *entry_columns(entries), np.array(flags, np.uint8))


def _entries(batch: UrlBatch) -> list[Entry]:
    """The URLs of a batch that `_batch` made."""
    flags = batch.flags
    of_requests = (flags & _MOST_TRIES, (flags & _VERIFIED) != 0, flags >> _KIND_SHIFT)
    columns = (batch.hashes, batch.depths, batch.hops, *of_requests)
    return list(map(Entry, batch.urls, *(column.tolist() for column in columns)))
