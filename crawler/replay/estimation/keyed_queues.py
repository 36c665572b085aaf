"""The queues of all ranks of an estimate, ordered by a key of each URL."""

from heapq import heappop, heappush

import numpy as np

from crawler.frontier.slot_heap import Keys
from crawler.replay.course import Ranks
from crawler.replay.recording import Numbers


class KeyedQueues:
    """A queue of URLs for each of K ``ranks``: the least of ``keys`` first, uint64 by URL, equal ones as they came.

    As `crawler.replay.estimation.queues.Queues`, and some 150 bytes for each URL that waits.
    """

    def __init__(self, ranks: int, keys: Keys) -> None:
        self._keys = keys
        self._heaps: list[list[tuple[int, int, int]]] = [[] for _ in range(ranks)]
        self._added = 0

    @property
    def lengths(self) -> Numbers:
        """How many URLs wait in each queue, int64[K]."""
        return np.fromiter(map(len, self._heaps), np.int64, len(self._heaps))

    def add(self, ranks: Ranks, urls: Numbers) -> None:
        """Queue URLs int64[n] at these ranks, int32[n]."""
        for rank, key, url in zip(ranks.tolist(), self._keys[urls].tolist(), urls.tolist(), strict=True):
            heappush(self._heaps[rank], (key, self._added, url))
            self._added += 1

    def take(self, counts: Numbers) -> tuple[Ranks, Numbers]:
        """Remove from the front of each queue so many URLs, int64[K], which it has; whose they are, and the URLs."""
        urls = [
            heappop(heap)[2] for heap, count in zip(self._heaps, counts.tolist(), strict=True) for _ in range(count)
        ]
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts), np.array(urls, np.int64)
