"""A table of 64-bit keys in memory, with columns of values, asked and filled a batch at a time.

An open-addressing hash table (linear probing, `crawler.urls.probing`).  The leading bits of a multiple of the key are
the place to look.  The keys are hashes, but neither end of them will do: an assignment that goes by the trailing bits
leaves a rank only some of those, and keys that come sorted, a stretch at a time, would all crowd in one part of the
table.  The factor is another one for each size, or else keys would crowd that come in the order of another table.  At
most half of the places are taken.  It holds 8 bytes a key at full load, 16 to 32 in practice, beside its columns.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.urls.probing import EMPTY, IN_NUMPY, Slots
from sessions.hash_arrays import SPREADING
from sessions.url import Hashes

_KEY_BITS = 64
_ALL_BITS = (1 << _KEY_BITS) - 1

_probing = IN_NUMPY


def load_compiled() -> None:
    """From now on all tables of this process are probed by compiled code, which is slow to load."""
    global _probing
    from crawler.urls.compiled_probing import load

    _probing = load()


class HashTable:
    """Distinct keys with values.

    ``columns`` names the value columns and their dtypes.  A place in the table (a *slot*) is good until the next
    `insert`.  The key 0 marks an empty place, so it has a slot of its own behind all others.
    """

    def __init__(self, columns: Mapping[str, npt.DTypeLike] | None = None, *, bits: int = 12) -> None:
        self._columns = dict(columns or {})
        self._count = 0
        self._has_zero = False
        self._allocate(bits)

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the table takes."""
        return int(self._keys.nbytes) + sum(int(column.nbytes) for column in self.values.values())

    @property
    def places(self) -> int:
        """How many keys there are places for, of which at most half are taken."""
        return self._slot_of_zero + 1

    def find(self, keys: Hashes) -> Slots:
        """Where each key stands, -1 if it does not: int64[n] for uint64[n]."""
        if not self._count:
            return np.full(len(keys), -1, np.int64)
        slots: Slots = np.empty(len(keys), np.int64)
        _probing.find(
            self._keys,
            np.ascontiguousarray(keys),
            self._factor,
            self._shift,
            self._slot_of_zero if self._has_zero else -1,
            slots,
        )
        return slots

    def slot_of(self, key: int) -> int:
        """`find` for a single key."""
        if key == 0:
            return self._slot_of_zero if self._has_zero else -1
        slot = (key * self._odd & _ALL_BITS) >> (_KEY_BITS - self._bits)
        while (present := self._keys.item(slot)) != key:
            if present == 0:
                return -1
            slot = (slot + 1) & self._last
        return slot

    def contains(self, keys: Hashes) -> npt.NDArray[np.bool_]:
        """Which of the keys are in the table: bool[n] for uint64[n]."""
        return self.find(keys) >= 0

    def insert(self, keys: Hashes, values: Mapping[str, npt.NDArray[Any]] | None = None) -> None:
        """Add keys that are distinct and not yet in the table, with a value for every column."""
        while 2 * (self._count + len(keys)) > self._slot_of_zero:
            self._grow()
        slots = self._place(keys)
        for name, column in (values or {}).items():
            self.values[name][slots] = column
        self._count += len(keys)

    def occupied(self) -> Slots:
        """The slots of all keys, in no particular order."""
        slots = np.flatnonzero(self._keys != EMPTY)
        return np.append(slots, self._slot_of_zero) if self._has_zero else slots

    def keys(self, slots: Slots) -> Hashes:
        """The keys at these slots."""
        return self._keys[slots]

    def _allocate(self, bits: int) -> None:
        self._bits = bits
        self._shift = np.uint64(_KEY_BITS - bits)
        self._odd = pow(int(SPREADING), bits, 1 << _KEY_BITS)
        self._factor = np.uint64(self._odd)
        self._last = (1 << bits) - 1
        self._slot_of_zero = 1 << bits
        self._keys: Hashes = np.zeros(self._slot_of_zero + 1, np.uint64)
        self.values = {name: np.zeros(self._slot_of_zero + 1, dtype) for name, dtype in self._columns.items()}

    def _place(self, keys: Hashes) -> Slots:
        slots: Slots = np.empty(len(keys), np.int64)
        self._has_zero |= _probing.place(self._keys, np.ascontiguousarray(keys), self._factor, self._shift, slots)
        return slots

    def _grow(self) -> None:
        slots = self.occupied()
        keys, values = self._keys[slots], {name: column[slots] for name, column in self.values.items()}
        self._allocate(self._bits + 1)
        new_slots = self._place(keys)
        for name, column in values.items():
            self.values[name][new_slots] = column
