"""A binary heap of slots whose keys may become less, compiled.

J. W. J. Williams, "Algorithm 232: Heapsort", CACM 1964; the place of each slot is kept, so that it can be found when
its key changes.
"""

import numpy as np
import numpy.typing as npt

from crawler.frontier.url_slots import Slots
from sessions.compiled import compiled

Keys = npt.NDArray[np.uint64]


class SlotHeap:
    """Slots by ascending key, of equal ones that first which was pushed first.

    ``keys`` uint64 by slot is what they go by.  It takes 32 bytes a slot.
    """

    def __init__(self, capacity: int) -> None:
        self._heap: Slots = np.zeros(capacity, np.int64)
        self._place: Slots = np.full(capacity, -1, np.int64)
        self._turns: Slots = np.zeros(capacity, np.int64)
        self.keys: Keys = np.zeros(capacity, np.uint64)
        self._count = 0
        self._pushed = 0

    def __len__(self) -> int:
        return self._count

    def push(self, slots: Slots, keys: Keys, capacity: int) -> None:
        """Put in slots, int64[n] below ``capacity``, with their keys uint64[n]."""
        self._make_room(capacity)
        self.keys[slots] = keys
        self._turns[slots] = np.arange(self._pushed, self._pushed + len(slots))
        self._pushed += len(slots)
        self._count = _push(self._heap, self._place, self.keys, self._turns, self._count, slots)

    def pop(self, count: int) -> Slots:
        """Remove and return the first slots, as many as there are up to ``count``."""
        taken = np.empty(min(count, self._count), np.int64)
        self._count = _pop(self._heap, self._place, self.keys, self._turns, self._count, taken)
        return taken

    def lift(self, slots: Slots, keys: Keys) -> None:
        """Give slots that are in it keys that are no more than before."""
        _lift(self._heap, self._place, self.keys, self._turns, slots, keys)

    def holds(self, slots: Slots) -> npt.NDArray[np.bool_]:
        """Which of these slots are in it."""
        is_held: npt.NDArray[np.bool_] = self._place[slots] >= 0
        return is_held

    def all(self) -> Slots:
        """All slots in it, in no particular order."""
        return self._heap[: self._count].copy()

    def cut(self, count: int) -> Slots:
        """Remove and return all but the first ``count`` slots, in order."""
        slots = self._heap[: self._count]
        in_order = slots[np.lexsort((self._turns[slots], self.keys[slots]))]
        # What is sorted is a heap.
        kept = in_order[:count]
        self._heap[: len(kept)], self._count = kept, len(kept)
        self._place[in_order] = -1
        self._place[kept] = np.arange(len(kept))
        return in_order[count:]

    def _make_room(self, capacity: int) -> None:
        more = capacity - len(self._heap)
        if more <= 0:
            return
        self._heap, self._turns, self.keys = (
            np.concatenate([column, np.zeros(more, column.dtype)]) for column in (self._heap, self._turns, self.keys)
        )
        self._place = np.concatenate([self._place, np.full(more, -1, np.int64)])


@compiled
def _is_before(keys: Keys, turns: Slots, one: int, other: int) -> bool:
    if keys[one] != keys[other]:
        return bool(keys[one] < keys[other])
    return bool(turns[one] < turns[other])


@compiled
def _rise(heap: Slots, place: Slots, keys: Keys, turns: Slots, at: int) -> None:
    slot = heap[at]
    while at > 0:
        above = (at - 1) // 2
        if not _is_before(keys, turns, slot, heap[above]):
            break
        heap[at] = heap[above]
        place[heap[at]] = at
        at = above
    heap[at] = slot
    place[slot] = at


@compiled
def _sink(heap: Slots, place: Slots, keys: Keys, turns: Slots, count: int) -> None:
    at = 0
    slot = heap[0]
    while 2 * at + 1 < count:
        below = 2 * at + 1
        if below + 1 < count and _is_before(keys, turns, heap[below + 1], heap[below]):
            below += 1
        if not _is_before(keys, turns, heap[below], slot):
            break
        heap[at] = heap[below]
        place[heap[at]] = at
        at = below
    heap[at] = slot
    place[slot] = at


@compiled
def _push(heap: Slots, place: Slots, keys: Keys, turns: Slots, count: int, slots: Slots) -> int:
    for slot in slots:
        heap[count] = slot
        _rise(heap, place, keys, turns, count)
        count += 1
    return count


@compiled
def _pop(heap: Slots, place: Slots, keys: Keys, turns: Slots, count: int, taken: Slots) -> int:
    for number in range(len(taken)):
        taken[number] = heap[0]
        place[heap[0]] = -1
        count -= 1
        if count > 0:
            heap[0] = heap[count]
            _sink(heap, place, keys, turns, count)
    return count


@compiled
def _lift(heap: Slots, place: Slots, keys: Keys, turns: Slots, slots: Slots, new_keys: Keys) -> None:
    for number in range(len(slots)):
        slot = slots[number]
        keys[slot] = new_keys[number]
        _rise(heap, place, keys, turns, place[slot])
