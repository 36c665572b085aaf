"""URLs in memory, each in a slot of its own, from which it can be taken in any order."""

import numpy as np
import numpy.typing as npt

from crawler.frontier.url_queue import BYTES_BESIDE_TEXT
from crawler.urls.batch import Depths, Flags, Hops, UrlBatch
from sessions.url import Hashes

Slots = npt.NDArray[np.int64]

_LEAST = 64


class UrlSlots:
    """A URL is put into a free slot, and the slot is free again once the URL is taken.

    ``bytes`` is the memory that the URLs take, as `crawler.frontier.url_queue` reckons it; ``capacity`` is how many
    slots there are, which doubles when they are full.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self.capacity = _LEAST
        self.hashes: Hashes = np.zeros(_LEAST, np.uint64)
        self._urls: list[str] = [""] * _LEAST
        self._depths: Depths = np.zeros(_LEAST, np.uint16)
        self._hops: Hops = np.zeros(_LEAST, np.uint8)
        self._flags: Flags = np.zeros(_LEAST, np.uint8)
        self._free: Slots = np.arange(_LEAST, dtype=np.int64)[::-1].copy()
        self._free_count = _LEAST

    def __len__(self) -> int:
        """How many URLs there are."""
        return self.capacity - self._free_count

    def put(self, batch: UrlBatch) -> Slots:
        """Put n URLs into free slots, and return these: int64[n]."""
        count = len(batch)
        while self._free_count < count:
            self._grow()
        slots = self._free[self._free_count - count : self._free_count][::-1].copy()
        self._free_count -= count
        urls = self._urls
        for slot, url in zip(slots.tolist(), batch.urls, strict=True):
            urls[slot] = url
        self.hashes[slots], self._depths[slots] = batch.hashes, batch.depths
        self._hops[slots], self._flags[slots] = batch.hops, batch.flags
        self.bytes += BYTES_BESIDE_TEXT * count + sum(map(len, batch.urls))
        return slots

    def take(self, slots: Slots) -> UrlBatch:
        """Remove and return the URLs in these slots, in this order."""
        urls = []
        for slot in slots.tolist():
            urls.append(self._urls[slot])
            self._urls[slot] = ""
        columns = (self.hashes[slots], self._depths[slots], self._hops[slots], self._flags[slots])
        self._free[self._free_count : self._free_count + len(slots)] = slots[::-1]
        self._free_count += len(slots)
        self.bytes -= BYTES_BESIDE_TEXT * len(urls) + sum(map(len, urls))
        return UrlBatch(urls, *columns)

    def _grow(self) -> None:
        before, self.capacity = self.capacity, 2 * self.capacity
        self.hashes, self._depths, self._hops, self._flags = (
            np.concatenate([column, np.zeros_like(column)])
            for column in (self.hashes, self._depths, self._hops, self._flags)
        )
        self._urls += [""] * before
        free = np.arange(self.capacity - 1, before - 1, -1, dtype=np.int64)
        room = np.empty(self.capacity, np.int64)
        room[:before] = free
        room[before : before + self._free_count] = self._free[: self._free_count]
        self._free, self._free_count = room, self._free_count + before
