"""How a hash table is probed (linear probing): in numpy, as every crawl begins, since compiled code loads slowly.

A table has 2^bits places for keys and one for the key 0 behind them; ``factor`` and ``shift`` make a key's first place.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sessions.url import Hashes

Slots = npt.NDArray[np.int64]

EMPTY = np.uint64(0)
"""What stands in a place that is free."""


class Probing(NamedTuple):
    """Find keys, and place keys, each in one batch."""

    find: Callable[[Hashes, Hashes, np.uint64, np.uint64, int, Slots], None]
    place: Callable[[Hashes, Hashes, np.uint64, np.uint64, Slots], bool]


def find(table: Hashes, keys: Hashes, factor: np.uint64, shift: np.uint64, slot_of_zero: int, slots: Slots) -> None:
    """Set the slot in which each key stands, -1 if it does not; ``slot_of_zero`` is -1, too, if the key 0 does not."""
    # Most keys are found, or not, in the first place that is looked at.
    last = len(table) - 2
    places = ((keys * factor) >> shift).astype(np.int64)
    present = table[places]
    is_taken = present != EMPTY
    is_hit = (present == keys) & is_taken
    slots[:] = np.where(is_hit, places, -1)
    slots[keys == EMPTY] = slot_of_zero
    pending = np.flatnonzero(is_taken & ~is_hit & (keys != EMPTY))
    while pending.size:
        places[pending] = (places[pending] + 1) & last
        present = table[places[pending]]
        is_taken = present != EMPTY
        is_hit = (present == keys[pending]) & is_taken
        slots[pending[is_hit]] = places[pending[is_hit]]
        pending = pending[is_taken & ~is_hit]


def place(table: Hashes, keys: Hashes, factor: np.uint64, shift: np.uint64, slots: Slots) -> bool:
    """Put keys into free places, and set their slots; whether the key 0 was among them."""
    last = len(table) - 2
    slots[:] = ((keys * factor) >> shift).astype(np.int64)
    is_zero = keys == EMPTY
    slots[is_zero] = last + 1
    pending = np.flatnonzero(~is_zero)
    while pending.size:
        free = pending[table[slots[pending]] == EMPTY]
        # Of several keys that want one free place the last to be written has it.
        table[slots[free]] = keys[free]
        pending = pending[table[slots[pending]] != keys[pending]]
        slots[pending] = (slots[pending] + 1) & last
    return bool(is_zero.any())


IN_NUMPY = Probing(find, place)
