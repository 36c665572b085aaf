"""A first-in-first-out queue of URLs: its two ends in memory, what lies between on disk."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crawler.frontier.url_files import FileTraffic, UrlFiles
from crawler.urls.batch import UrlBatch, empty_batch, joined

BYTES_BESIDE_TEXT = 80
"""Memory that a waiting URL takes beside its text: head and rounding of a string, its place in a list, its columns."""

_DRAINED_AT_ONCE = 4096
_LEAST_BLOCK, _MOST_BLOCK = 4 << 10, 512 << 10
"""What is written or read at once, in bytes of the URLs in memory; meanwhile each takes some kilobytes more."""


class UrlQueue:
    """URLs in order of arrival.  Those in memory take at most ``memory`` bytes; the rest waits in block files.

    The files are made in ``folder`` when they are needed, read once, and removed.  Three eighths of the memory are for
    the URLs that came last, as much for them when they are the first, and the rest for blocks: a queue that stays so
    short touches no disk.
    """

    def __init__(self, folder: Path, name: str, memory: int) -> None:
        self._files = UrlFiles(folder, name)
        self._most_in_tail = 3 * memory // 8
        self._block_bytes = min(max(memory // 16, _LEAST_BLOCK), _MOST_BLOCK)
        self._head = empty_batch()
        self._next = 0
        self._tail = _Tail()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def tail_bytes(self) -> int:
        """Memory, in bytes, that the URLs take that came last and are not on disk."""
        return self._tail.bytes

    @property
    def traffic(self) -> FileTraffic:
        """What was read from disk and written to it so far."""
        return self._files.traffic

    def add(self, batch: UrlBatch) -> None:
        """Append URLs at the end."""
        self._tail.add(batch)
        self._length += len(batch)
        if self._tail.bytes > self._most_in_tail:
            self.spill()

    def take(self, count: int) -> UrlBatch:
        """Remove and return up to ``count`` URLs from the front; fewer only when the queue holds fewer.

        Raises SessionError, which names the file, for one that is damaged.
        """
        taken: list[UrlBatch] = []
        missing = min(count, self._length)
        while missing:
            if self._next == len(self._head):
                self._head, self._next = self._following(), 0
            until = min(self._next + missing, len(self._head))
            taken.append(self._head.between(self._next, until))
            missing -= until - self._next
            self._length -= until - self._next
            self._next = until
        if self._next == len(self._head):
            self._head, self._next = empty_batch(), 0
        return joined(taken)

    def drain(self) -> Iterator[UrlBatch]:
        """Remove and return all URLs from the front, a batch at a time."""
        while self._length:
            yield self.take(_DRAINED_AT_ONCE)

    def spill(self) -> None:
        """Write to disk what came last and is in memory only."""
        batch = self._tail.emptied()
        for start, stop in _cuts(batch, self._block_bytes):
            self._files.append(batch.between(start, stop))

    def _following(self) -> UrlBatch:
        return self._files.take() if self._files else self._tail.emptied()


class _Tail:
    """A batch that grows: its columns as bytes, because a small batch's arrays take more than what is in them."""

    def __init__(self) -> None:
        self._clear()

    def add(self, batch: UrlBatch) -> None:
        self._urls += batch.urls
        self._hashes += batch.hashes.tobytes()
        self._depths += batch.depths.tobytes()
        self._hops += batch.hops.tobytes()
        self._flags += batch.flags.tobytes()
        self.bytes += BYTES_BESIDE_TEXT * len(batch) + sum(map(len, batch.urls))

    def emptied(self) -> UrlBatch:
        """All of it, which is not here any more."""
        batch = UrlBatch(
            self._urls,
            np.frombuffer(self._hashes, np.uint64),
            np.frombuffer(self._depths, np.uint16),
            np.frombuffer(self._hops, np.uint8),
            np.frombuffer(self._flags, np.uint8),
        )
        self._clear()
        return batch

    def _clear(self) -> None:
        self._urls: list[str] = []
        self._hashes, self._depths, self._hops, self._flags = (bytearray() for _ in range(4))
        self.bytes = 0


def _cuts(batch: UrlBatch, block_bytes: int) -> Iterator[tuple[int, int]]:
    """Where to cut a batch into blocks of at most about so much memory each."""
    lengths = np.fromiter(map(len, batch.urls), np.int64, len(batch))
    block_of_each = np.cumsum(lengths + BYTES_BESIDE_TEXT) // block_bytes
    starts = np.flatnonzero(np.diff(block_of_each, prepend=-1)).tolist()
    yield from zip(starts, [*starts[1:], len(batch)], strict=True)
