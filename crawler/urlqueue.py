"""A first-in-first-out queue of URLs: its two ends in memory, what lies between on disk."""

from collections import deque
from pathlib import Path

from crawler.frontcoding import decode, encode
from crawler.urlbatch import UrlBatch, joined

_SEGMENTS_IN_MEMORY = 4


class UrlQueue:
    """URLs in order of arrival.  At most about ``memory`` URLs are in memory; the rest waits in segment files.

    The files are made in ``folder`` when they are needed, read once, and removed.
    """

    def __init__(self, folder: Path, name: str, memory: int) -> None:
        self._folder = folder
        self._name = name
        self._segment = max(1, memory // _SEGMENTS_IN_MEMORY)
        self._head: deque[UrlBatch] = deque()
        self._files: deque[Path] = deque()
        self._tail: list[UrlBatch] = []
        self._in_tail = 0
        self._length = 0
        self._files_made = 0

    def __len__(self) -> int:
        return self._length

    def add(self, batch: UrlBatch) -> None:
        """Append URLs at the end."""
        self._tail.append(batch)
        self._in_tail += len(batch)
        self._length += len(batch)
        if self._in_tail >= self._segment:
            self._close_segment()

    def take(self, count: int) -> UrlBatch:
        """Remove and return up to ``count`` URLs from the front; fewer only when the queue holds fewer."""
        taken: list[UrlBatch] = []
        missing = min(count, self._length)
        self._length -= missing
        while missing:
            batch = self._next_batch()
            if len(batch) > missing:
                batch, rest = batch.split(missing)
                self._head.appendleft(rest)
            taken.append(batch)
            missing -= len(batch)
        return joined(taken)

    def _close_segment(self) -> None:
        segment = joined(self._tail)
        self._tail, self._in_tail = [], 0
        if not self._files and len(self._head) < _SEGMENTS_IN_MEMORY - 1:
            self._head.append(segment)
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._name}-{self._files_made:06d}.urls"
        path.write_bytes(encode(segment))
        self._files.append(path)
        self._files_made += 1

    def _next_batch(self) -> UrlBatch:
        if self._head:
            return self._head.popleft()
        if self._files:
            path = self._files.popleft()
            segment = decode(path.read_bytes())
            path.unlink()
            return segment
        segment = joined(self._tail)
        self._tail, self._in_tail = [], 0
        return segment
