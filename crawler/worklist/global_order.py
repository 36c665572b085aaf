"""The rows of all ranks in one order: each rank gets a stretch of it, as in sample sort.

Source: Frazer and McKellar, "Samplesort" (JACM 1970).  The order is by three numbers of 64 bits, of which the last is a
hash, so no two rows are equal, and where stretches end changes nothing in what is written.
"""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from partition.communication.ranks import Ranks
from sessions.url import Hashes

ORDER_KEYS = ("by_priority", "by_age", "hash")
_MOST_SAMPLES = 4096


def descending(numbers: npt.NDArray[np.float64]) -> Hashes:
    """Return whole numbers that ascend where these, none negative, descend: uint64[n]."""
    bits: Hashes = (numbers + 0.0).view(np.uint64)
    return ~bits


class KeySamples:
    """A sample of the keys of rows that pass by: each ``stride``-th, as many as 4,096 at most."""

    def __init__(self) -> None:
        self._kept = np.empty((0, len(ORDER_KEYS)), np.uint64)
        self._stride = 1
        self._passed = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Look at the rows of a batch."""
        first = -self._passed % self._stride
        keys = np.stack([batch[key].to_numpy() for key in ORDER_KEYS], axis=1)
        self._kept = np.concatenate([self._kept, keys[first :: self._stride]])
        self._passed += batch.num_rows
        while len(self._kept) > _MOST_SAMPLES:
            self._kept, self._stride = self._kept[::2], self._stride * 2

    def owners(self, ranks: Ranks) -> Callable[[pa.RecordBatch], npt.NDArray[np.int64]]:
        """Return what names the rank in whose stretch each row lies; collective."""
        keys = ranks.gathered(self._kept)
        weights = ranks.gathered(np.full(len(self._kept), self._stride, np.int64))
        order = np.lexsort(keys.T[::-1])
        sums = np.cumsum(weights[order])
        wanted = [int(sums[-1]) * rank // ranks.size for rank in range(1, ranks.size)] if len(sums) else []
        splitters = keys[order][np.searchsorted(sums, wanted)] if wanted else keys[:0]
        return lambda batch: _stretches(batch, splitters)


def _stretches(batch: pa.RecordBatch, splitters: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """How many splitters each row is not before: int64[n]."""
    owners = np.zeros(batch.num_rows, np.int64)
    for splitter in splitters:
        is_behind, is_equal = np.zeros(batch.num_rows, np.bool_), np.ones(batch.num_rows, np.bool_)
        for key, value in zip(ORDER_KEYS, splitter, strict=True):
            column = batch[key].to_numpy()
            is_behind |= is_equal & (column > value)
            is_equal &= column == value
        owners += is_behind | is_equal
    return owners


def first_rows(batches: Iterator[pa.RecordBatch], count: int) -> Iterator[pa.RecordBatch]:
    """Yield the first ``count`` rows."""
    for batch in batches:
        if count <= 0:
            return
        yield batch.slice(0, count)
        count -= batch.num_rows
