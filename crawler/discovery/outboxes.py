"""What a rank hands to the owners of URLs at the end of the superstep, in bounded memory.

When URLs that were sent are known on disk, a merge decides on very many at once.  Those that are too many for one
exchange wait on disk for the next.
"""

from pathlib import Path

import numpy as np

from crawler.frontier.url_queue import UrlQueue
from crawler.urls.batch import UrlBatch, empty_batch, joined

MOST_URLS = 1 << 19
"""So many URLs go in one exchange at most: some 80 MB in memory."""
_QUEUES_MEMORY = 16 << 20


class Outboxes:
    """URLs on their way to each of ``ranks``; files are made in ``folder`` when they are needed."""

    def __init__(self, ranks: int, folder: Path, most: int = MOST_URLS) -> None:
        self._next: list[list[UrlBatch]] = [[] for _ in range(ranks)]
        self._room = most
        self._most = most
        self._later: list[UrlQueue | None] = [None] * ranks
        self._folder = folder
        self._length = 0

    def __len__(self) -> int:
        """How many URLs wait to be sent."""
        return self._length

    def add(self, owner: int, batch: UrlBatch) -> None:
        """Have URLs sent to their owner."""
        self._length += len(batch)
        if self._later[owner] is None and len(batch) <= self._room:
            self._room -= len(batch)
            self._next[owner].append(batch)
        else:
            self._queue(owner).add(batch)

    def take(self) -> list[UrlBatch]:
        """What each rank is to be sent now, sorted by URL; the rest follows in the next exchange."""
        if not self._length:
            return [empty_batch()] * len(self._next)
        for owner, queue in enumerate(self._later):
            if queue is not None and self._room:
                self._recall(owner, queue)
        taken = [_by_url(joined(batches)) if batches else empty_batch() for batches in self._next]
        self._next = [[] for _ in taken]
        self._length -= self._most - self._room
        self._room = self._most
        return taken

    def _recall(self, owner: int, queue: UrlQueue) -> None:
        """Bring into memory what waits on disk, as far as there is room."""
        batch = queue.take(self._room)
        self._room -= len(batch)
        self._next[owner].append(batch)
        if not len(queue):
            self._later[owner] = None

    def _queue(self, owner: int) -> UrlQueue:
        queue = self._later[owner]
        if queue is None:
            queue = self._later[owner] = UrlQueue(
                self._folder, f"outbox-{owner:04d}", _QUEUES_MEMORY // len(self._later)
            )
        return queue


def _by_url(batch: UrlBatch) -> UrlBatch:
    order = sorted(range(len(batch)), key=batch.urls.__getitem__)
    return batch.take(np.array(order, np.intp))
