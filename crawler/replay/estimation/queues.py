"""The queues of all ranks of an estimate, first in, first out."""

import numpy as np

from crawler.replay.course import Ranks
from crawler.replay.recording import Numbers
from sessions.hash_arrays import concatenated_ranges

_LEAST_ROOM = 16


class Queues:
    """A queue of URLs for each of K ``ranks``: a span of one array, with room for as many again as are queued."""

    def __init__(self, ranks: int) -> None:
        self._urls = np.empty(0, np.int64)
        self._begins = np.zeros(ranks, np.int64)
        self._ends = np.zeros(ranks, np.int64)
        self._limits = np.zeros(ranks, np.int64)

    @property
    def lengths(self) -> Numbers:
        """How many URLs wait in each queue, int64[K]."""
        return self._ends - self._begins

    def add(self, ranks: Ranks, urls: Numbers) -> None:
        """Queue URLs int64[n] at these ranks, int32[n] ascending, in their order."""
        added = np.bincount(ranks, minlength=len(self._ends))
        if np.any(self._ends + added > self._limits):
            self._make_room(added)
        self._urls[concatenated_ranges(self._ends, added)] = urls
        self._ends = self._ends + added

    def take(self, counts: Numbers) -> tuple[Ranks, Numbers]:
        """Remove from the front of each queue so many URLs, int64[K], which it has; whose they are, and the URLs."""
        taken = self._urls[concatenated_ranges(self._begins, counts)]
        self._begins = self._begins + counts
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts), taken

    def _make_room(self, added: Numbers) -> None:
        lengths = self.lengths
        room = 2 * (lengths + added) + _LEAST_ROOM
        limits = np.cumsum(room)
        urls = np.empty(int(limits[-1]), np.int64)
        urls[concatenated_ranges(limits - room, lengths)] = self._urls[concatenated_ranges(self._begins, lengths)]
        self._urls, self._begins, self._ends, self._limits = urls, limits - room, limits - room + lengths, limits
