"""Sorted record batches, one after the other: cut where a group ends, summed by key, looked up by hash."""

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.worklist.record_sorter import together
from sessions.hash_arrays import are_first, places
from sessions.url import Hashes

Starts = npt.NDArray[np.int64]


def whole_groups(batches: Iterable[pa.RecordBatch], *keys: str) -> Iterator[pa.RecordBatch]:
    """Yield the records of sorted batches so that those whose ``keys`` are equal are in one batch."""
    held: pa.RecordBatch | None = None
    for batch in batches:
        whole = batch if held is None else together([held, batch], batch.schema)
        last = int(group_starts(whole, *keys)[-1]) if whole.num_rows else 0
        if last:
            yield whole.slice(0, last)
        held = whole.slice(last)
    if held is not None and held.num_rows:
        yield held


def group_starts(batch: pa.RecordBatch | pa.Table, *keys: str) -> Starts:
    """Return where other keys begin in sorted records: int64[number of groups]."""
    is_first = np.zeros(batch.num_rows, np.bool_)
    for key in keys:
        is_first |= are_first(batch[key].to_numpy())
    return np.flatnonzero(is_first).astype(np.int64, copy=False)


def firsts_of_groups(batches: Iterable[pa.RecordBatch], key: str = "hash") -> Iterator[pa.RecordBatch]:
    """Yield one record of each key of sorted batches."""
    for batch in whole_groups(batches, key):
        yield batch.take(pa.array(group_starts(batch, key)))


def sums_of_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the records of sorted batches with those of equal ``hash`` added up; all other columns are int64."""
    for batch in whole_groups(batches, "hash"):
        yield summed(batch)


def summed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Add up the records of one sorted batch that have the same ``hash``; all other columns are int64."""
    starts = group_starts(batch, "hash")
    columns = [batch["hash"].to_numpy()[starts]]
    columns += [np.add.reduceat(batch[name].to_numpy(), starts) for name in batch.schema.names if name != "hash"]
    return pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=batch.schema)


class SortedLookup:
    """Records in ascending order of their distinct ``hash``, looked up in ascending order.

    It holds the records between the least and the greatest hash that is looked up at once.
    """

    def __init__(self, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> None:
        self._batches = batches
        self._window = together([], schema)
        self.found = 0

    def rows(self, wanted: Hashes) -> tuple[npt.NDArray[np.bool_], pa.RecordBatch]:
        """Return which of the wanted hashes have a record, bool[n], and records for all n, all of zeros where not.

        The hashes ascend, from one call to the next, too; they may repeat.
        """
        if not len(wanted):
            return np.zeros(0, np.bool_), self._window.slice(0, 0)
        self._look_up_to(wanted[0], wanted[-1])
        at = places(wanted, self._window["hash"].to_numpy())
        has_record = at >= 0
        return has_record, _zero_where_missing(self._window.take(pa.array(at, mask=~has_record)))

    def _look_up_to(self, least: np.uint64, greatest: np.uint64) -> None:
        """Make the window reach from the least wanted hash to the greatest."""
        window = [self._window]
        while not window[-1].num_rows or window[-1]["hash"].to_numpy()[-1] < greatest:
            batch = next(self._batches, None)
            if batch is None:
                break
            window.append(batch)
        joined = together(window, self._window.schema)
        self._window = joined.slice(int(np.searchsorted(joined["hash"].to_numpy(), least)))


def _zero_where_missing(rows: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([column.fill_null(0) for column in rows.columns], names=rows.schema.names)
