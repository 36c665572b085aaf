"""How a hash table is probed, as in `crawler.urls.probing`, but compiled: most is gained in short batches."""

import numpy as np

from crawler.urls.probing import EMPTY, Probing, Slots
from sessions.compiled import compiled
from sessions.url import Hashes


@compiled
def find(table: Hashes, keys: Hashes, factor: np.uint64, shift: np.uint64, slot_of_zero: int, slots: Slots) -> None:
    """Set the slot in which each key stands, -1 if it does not; ``slot_of_zero`` is -1, too, if the key 0 does not."""
    last = len(table) - 2
    for place, key in enumerate(keys):
        if key == EMPTY:
            slots[place] = slot_of_zero
            continue
        slot = np.int64((key * factor) >> shift)
        while table[slot] != key and table[slot] != EMPTY:
            slot = (slot + 1) & last
        slots[place] = slot if table[slot] == key else -1


@compiled
def place(table: Hashes, keys: Hashes, factor: np.uint64, shift: np.uint64, slots: Slots) -> bool:
    """Put keys into free places, and set their slots; whether the key 0 was among them."""
    last = len(table) - 2
    has_zero = False
    for number, key in enumerate(keys):
        if key == EMPTY:
            slots[number] = last + 1
            has_zero = True
            continue
        slot = np.int64((key * factor) >> shift)
        while table[slot] != EMPTY:
            slot = (slot + 1) & last
        table[slot] = key
        slots[number] = slot
    return has_zero


COMPILED = Probing(find, place)


def load() -> Probing:
    """Have both loaded, or compiled if they never were, before they are needed."""
    table, keys, slots = np.zeros(3, np.uint64), np.ones(1, np.uint64), np.empty(1, np.int64)
    place(table, keys, np.uint64(1), np.uint64(63), slots)
    find(table, keys, np.uint64(1), np.uint64(63), -1, slots)
    return COMPILED
