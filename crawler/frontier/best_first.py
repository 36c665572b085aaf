"""URLs by a key, the least first, in bounded memory: the best in a heap, the others on disk in ranges of keys.

What has no room in memory is the worse half by key.  It goes to a queue on disk, as the range of keys from the first of
them on, and from then on every URL whose key lies in that range goes there at once.  When the heap is empty the first
range is read, its worse half going to a further queue if it is too large for memory, and so on.  That is incremental
quicksort (G. Navarro, R. Paredes, "On Sorting, Heaps, and Minimum Spanning Trees", Algorithmica 2010, section 5, the
external quickheap): the order is exact, and of n URLs in memory for m each is written and read O(log(n / m)) times.
A range of equal keys is not sorted, but read bit by bit: a queue keeps them in the order in which they came.

Keys are not written, they are asked for again when a range is read.  If they have become less meanwhile, URLs on disk
are late: they stand where they were put.  `look_again_if_due` has all of them looked at again, once as many URLs have
come or gone since the last time as are there: that is one reading and writing more for each.  Of a URL whose key was
forgotten it is known that it was no more than the greatest of its range.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crawler.frontier.budgets.queue_pool import QueuePool
from crawler.frontier.slot_heap import Keys, SlotHeap
from crawler.frontier.url_files import FileTraffic
from crawler.frontier.url_queue import UrlQueue
from crawler.frontier.url_slots import Slots, UrlSlots
from crawler.urls.batch import Mask, UrlBatch, joined
from crawler.urls.hash_table import HashTable
from sessions.hash_arrays import firsts
from sessions.url import Hashes

LAST_KEY = (1 << 64) - 2
"""The greatest key."""
_BEYOND_ALL = LAST_KEY + 1
_HEAP_SHARE = 2
"""The heap has half of the memory, the ends of the queues have the other half."""
_BYTES_IN_HEAP = 80
"""What a URL takes in the heap and its index beside what it takes in its slot."""
_USUAL_URL = 220
_MOST_AT_ONCE = 4096
_STALE_ENTRIES = 1024


@dataclass(slots=True)
class _Range:
    """The URLs on disk whose keys were at least ``least``, and less than that of the next range.

    ``lowest`` and ``highest`` are the extreme keys among them as they were put.
    """

    least: int
    queue: UrlQueue
    lowest: int = _BEYOND_ALL
    highest: int = 0

    def add(self, batch: UrlBatch, keys: Keys) -> None:
        self.queue.add(batch)
        self.lowest, self.highest = min(self.lowest, int(keys.min())), max(self.highest, int(keys.max()))


class BestFirst:
    """URLs by ``key_of`` their hashes, uint64[n] of at most `LAST_KEY`: the least first, equal ones as they came.

    In about ``memory`` bytes and files in ``folder``.  If keys become less, which `lift` is told of,
    ``spilled`` is told of URLs that go to disk, with the keys that they have by then.
    """

    def __init__(
        self,
        folder: Path,
        memory: int,
        key_of: Callable[[Hashes], Keys],
        spilled: Callable[[Hashes, Keys], None] | None = None,
    ) -> None:
        self._key_of = key_of
        self._spilled = spilled
        self._most_in_heap = memory // _HEAP_SHARE
        self._at_once = min(max(self._most_in_heap // _USUAL_URL // 4, 1), _MOST_AT_ONCE)
        self._pool = QueuePool(folder, memory - self._most_in_heap)
        self._slots = UrlSlots()
        self._heap = SlotHeap(self._slots.capacity)
        self._index = HashTable({"slot": np.int64}) if spilled is not None else None
        self._ranges: list[_Range] = []
        self._ranges_made = 0
        self._on_disk = 0
        self._moved = 0

    def __len__(self) -> int:
        return len(self._heap) + self._on_disk

    @property
    def on_disk(self) -> int:
        """URLs that are not in the heap."""
        return self._on_disk

    @property
    def traffic(self) -> FileTraffic:
        """What was read from disk and written to it so far."""
        return self._pool.traffic

    def add(self, batch: UrlBatch) -> None:
        """Put in URLs."""
        self._moved += len(batch)
        for start in range(0, len(batch), _MOST_AT_ONCE):
            some = batch.between(start, min(start + _MOST_AT_ONCE, len(batch)))
            self._place(some, self._key_of(some.hashes), self._ranges)

    def take(self, count: int) -> UrlBatch:
        """Remove and return the first URLs, up to ``count``."""
        taken = []
        missing = min(count, len(self))
        self._moved += missing
        while missing:
            if not len(self._heap):
                self._refill()
            batch = self._slots.take(self._heap.pop(missing))
            taken.append(batch)
            missing -= len(batch)
        return joined(taken)

    def lift(self, hashes: Hashes, less: Keys) -> Mask:
        """Have the keys of distinct URLs become so much less, uint64[n], as far as they are in memory; which are?

        For the others ``key_of`` has to know.
        """
        slots, is_here = self._places_of(hashes)
        if is_here.any():
            self._heap.lift(slots[is_here], self._heap.keys[slots[is_here]] - less[is_here])
        return is_here

    def look_again_if_due(self) -> None:
        """Have all URLs on disk in the places that their present keys say, if that costs each URL a bounded amount."""
        if 0 < self._on_disk <= self._moved:
            ranges, self._ranges = self._ranges, []
            self._replace(ranges)
            self._moved = 0

    def drain(self) -> Iterator[UrlBatch]:
        """Remove and return all URLs, a batch at a time, in no particular order."""
        while len(self._heap):
            yield self._slots.take(self._heap.pop(_MOST_AT_ONCE))
        for each in self._ranges:
            self._on_disk -= len(each.queue)
            yield from each.queue.drain()
        self._ranges.clear()

    def _place(self, batch: UrlBatch, keys: Keys, ranges: list[_Range]) -> None:
        """Have URLs in one of these ranges, the first ones there are, or in memory, by their keys."""
        is_near = keys < np.uint64(ranges[0].least if ranges else _BEYOND_ALL)
        if not is_near.all():
            self._put_far(batch.where(~is_near), keys[~is_near], ranges)
            batch, keys = batch.where(is_near), keys[is_near]
        self._put_near(batch, keys)
        while self._bytes_in_heap > self._most_in_heap and len(self._heap) > 1:
            self._spill()

    @property
    def _bytes_in_heap(self) -> int:
        return self._slots.bytes + _BYTES_IN_HEAP * len(self._slots)

    def _put_near(self, batch: UrlBatch, keys: Keys) -> None:
        slots = self._slots.put(batch)
        self._heap.push(slots, keys, self._slots.capacity)
        if self._index is not None:
            self._note(batch.hashes, slots)

    def _put_far(self, batch: UrlBatch, keys: Keys, ranges: list[_Range]) -> None:
        """Add URLs to the ranges of their keys, in order of arrival; of ranges that begin alike to the last."""
        begins = np.array([each.least for each in ranges], np.uint64)
        numbers = np.searchsorted(begins, keys, side="right") - 1
        for number in np.unique(numbers).tolist():
            is_its = numbers == number
            ranges[number].add(batch.where(is_its), keys[is_its])
        self._on_disk += len(batch)
        self._pool.relieve()

    def _spill(self) -> None:
        """Write the worse half of the heap to disk, as a range before the others."""
        slots = self._heap.cut(len(self._heap) // 2)
        keys = self._heap.keys[slots]
        self._ranges_made += 1
        made = _Range(int(keys[0]), self._pool.open(f"range-{self._ranges_made:06d}"))
        self._ranges.insert(0, made)
        batch = self._slots.take(slots)
        if self._spilled is not None:
            self._spilled(batch.hashes, keys)
        made.add(batch, keys)
        self._on_disk += len(slots)
        self._pool.relieve()

    def _refill(self) -> None:
        """The heap is empty: bring the first range into memory, or as much of it as there is room for."""
        first = self._ranges[0]
        if first.lowest == first.highest:
            batch = first.queue.take(self._at_once)
            self._on_disk -= len(batch)
            if not len(first.queue):
                self._close(self._ranges.pop(0))
            self._put_near(batch, self._keys_now(first, batch))
        else:
            self._replace([self._ranges.pop(0)])

    def _replace(self, ranges: list[_Range]) -> None:
        others = len(self._ranges)
        for each in ranges:
            while len(each.queue):
                batch = each.queue.take(_MOST_AT_ONCE)
                self._on_disk -= len(batch)
                # What has the key that the next range begins with came before what is there: it must not go there.
                self._place(batch, self._keys_now(each, batch), self._ranges[: len(self._ranges) - others])
            self._close(each)

    def _keys_now(self, its: _Range, batch: UrlBatch) -> Keys:
        """The keys of URLs that stood in a range."""
        return np.minimum(self._key_of(batch.hashes), np.uint64(its.highest))

    def _close(self, emptied: _Range) -> None:
        self._pool.close(emptied.queue)

    def _note(self, hashes: Hashes, slots: Slots) -> None:
        """Know in which slots these URLs are; entries of URLs that are gone are forgotten by and by."""
        assert self._index is not None
        if len(self._index) > 2 * len(self._slots) + _STALE_ENTRIES:
            # Once a URL has left, its entry is of no use, and a hash table forgets none.
            self._index = HashTable({"slot": np.int64})
            held = self._heap.all()
            hashes, slots = self._slots.hashes[held], held
        last = len(hashes) - 1 - firsts(hashes[::-1])
        hashes, slots = hashes[last], slots[last]
        entries = self._index.find(hashes)
        is_known = entries >= 0
        self._index.values["slot"][entries[is_known]] = slots[is_known]
        self._index.insert(hashes[~is_known], {"slot": slots[~is_known]})

    def _places_of(self, hashes: Hashes) -> tuple[Slots, Mask]:
        """The slots of URLs, int64[n], and which of them are really in the heap, bool[n]."""
        assert self._index is not None
        entries = self._index.find(hashes)
        slots = np.where(entries >= 0, self._index.values["slot"][entries], 0)
        is_here = (entries >= 0) & self._heap.holds(slots) & (self._slots.hashes[slots] == hashes)
        return slots, is_here
