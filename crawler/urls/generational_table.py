"""A table of keys within a budget of memory: when that is used up, the older half is forgotten."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.urls.batch import Mask
from crawler.urls.hash_table import HashTable
from sessions.url import Hashes

_KEY_BYTES = 8
_PLACES = 4
"""Places for each key in a table that has just doubled."""


class GenerationalTable:
    """Distinct keys with values in two generations of `crawler.urls.hash_table.HashTable`, in at most ``budget`` bytes.

    Half of the budget is the young generation's; when it is full the old one is forgotten and the young one is the old
    one.  A batch that is larger than that is kept as a whole nevertheless.
    """

    def __init__(self, budget: int, columns: Mapping[str, npt.DTypeLike] | None = None) -> None:
        self._columns = dict(columns or {})
        place = _KEY_BYTES + sum(np.dtype(kind).itemsize for kind in self._columns.values())
        self._most = budget // 2 // (_PLACES * place)
        self.young = self._table()
        self.old = self._table()

    @property
    def nbytes(self) -> int:
        """Bytes of memory that both take."""
        return self.young.nbytes + self.old.nbytes

    def contains(self, keys: Hashes) -> Mask:
        """Which of the keys are known: bool[n] for uint64[n]."""
        return self.young.contains(keys) | self.old.contains(keys)

    def insert(self, keys: Hashes, values: Mapping[str, npt.NDArray[Any]] | None = None) -> HashTable | None:
        """Add keys to the young generation, distinct ones that are not in it yet, with a value for every column.

        Answers what was forgotten for that, None if nothing was.
        """
        forgotten = None
        if len(self.young) + len(keys) > self._most:
            forgotten, self.old, self.young = self.old, self.young, self._table()
        self.young.insert(keys, values)
        return forgotten

    def _table(self) -> HashTable:
        return HashTable(self._columns)
