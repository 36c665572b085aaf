"""Records in ascending order of one or more keys, sorted on disk, so that they may be many more than memory holds.

This is external merge sort (Knuth, "The Art of Computer Programming", volume 3, section 5.4), as
`sessions.storage.sorted_keys` does it with keys alone: full buffers are sorted and written as runs, and runs are
merged, a piece of each in memory.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.worklist.pair_order import pair_order
from partition.map.spilled_batches import SpilledBatches
from sessions.url import Hashes

_FAN_IN = 48
_FEWEST_ROWS = 64


class RecordSorter:
    """Takes record batches of one schema in any order, and gives them back sorted, as often as they are wanted.

    ``keys`` are names of columns of uint64 without nulls; records whose keys are equal come in no order that counts.
    Some three times ``memory`` bytes are held while records come, and as much while they are given back.  The file
    ``path`` is removed at the end of the ``with`` statement.
    """

    def __init__(self, path: Path, schema: pa.Schema, keys: Sequence[str], memory: int) -> None:
        self.schema = schema
        self.rows = 0
        self._keys = tuple(keys)
        self._memory = memory
        self._runs = SpilledBatches(path, schema)
        self._numbers = count()
        self._standing: list[int] = []
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._runs.__exit__()

    def add(self, batch: pa.RecordBatch) -> None:
        """Take records.  Raises OSError if they cannot be written."""
        if not batch.num_rows:
            return
        self.rows += batch.num_rows
        self._waiting.append(batch)
        self._waiting_bytes += batch.get_total_buffer_size()
        if self._waiting_bytes >= self._memory:
            self._write_run()

    def sorted(self) -> Iterator[pa.RecordBatch]:
        """Yield all records that were added in ascending order of the keys, one after the other; none can follow."""
        self._write_run()
        while len(self._standing) > _FAN_IN:
            merged, self._standing = self._standing[:_FAN_IN], self._standing[_FAN_IN:]
            self._put(self._merged(merged))
            for run in merged:
                self._runs.forget(run)
        yield from self._merged(self._standing)

    def _write_run(self) -> None:
        if not self._waiting:
            return
        batch = together(self._waiting, self.schema)
        self._waiting, self._waiting_bytes = [], 0
        self._put(iter([batch.take(pa.array(order_by(batch, self._keys)))]))

    def _put(self, batches: Iterator[pa.RecordBatch]) -> None:
        """Write sorted batches as a run, in pieces of which so many fit in memory as are merged at once."""
        run = next(self._numbers)
        for batch in batches:
            size = max(_FEWEST_ROWS, self._memory * batch.num_rows // (_FAN_IN * max(1, batch.nbytes)))
            for begin in range(0, batch.num_rows, size):
                self._runs.put(batch.slice(begin, size).columns, run)
        self._standing.append(run)

    def _merged(self, runs: Sequence[int]) -> Iterator[pa.RecordBatch]:
        if len(runs) == 1:
            yield from self._runs.batches(runs[0])
            return
        rests = [self._runs.batches(run) for run in runs]
        heads = [next(rest) for rest in rests]
        while heads:
            # Up to the least of the pieces' last records, all records of all runs are in memory.
            limit = min(tuple(int(head[key][-1].as_py()) for key in self._keys) for head in heads)
            cuts = [_rows_up_to(head, self._keys, limit) for head in heads]
            batch = together([head.slice(0, cut) for head, cut in zip(heads, cuts, strict=True) if cut], self.schema)
            yield batch.take(pa.array(order_by(batch, self._keys)))
            left = [
                (head.slice(cut), rest) if cut < head.num_rows else (next(rest, None), rest)
                for head, cut, rest in zip(heads, cuts, rests, strict=True)
            ]
            heads = [head for head, _ in left if head is not None]
            rests = [rest for head, rest in left if head is not None]


def together(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    """Return the rows of several batches as one; it may be none."""
    if len(batches) == 1:
        return batches[0]
    columns = [
        pa.concat_arrays([batch.column(number) for batch in batches]) if batches else pa.array([], field.type)
        for number, field in enumerate(schema)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def order_by(batch: pa.RecordBatch, keys: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return what puts rows into ascending order of columns of uint64 without nulls: int64[n]."""
    columns: list[Hashes] = [batch[key].to_numpy() for key in keys]
    if len(columns) == 2:
        return pair_order(*columns)
    if len(columns) == 1:
        return np.argsort(columns[0])
    return np.lexsort(columns[::-1])


def _rows_up_to(batch: pa.RecordBatch, keys: Sequence[str], limit: tuple[int, ...]) -> int:
    """How many rows of a sorted batch are not behind the keys in ``limit``."""
    begin, end = 0, int(batch.num_rows)
    for key, value in zip(keys, limit, strict=True):
        column: Hashes = batch[key].to_numpy()[begin:end]
        wanted = np.uint64(value)
        first = int(column.searchsorted(wanted))
        if first == len(column) or column[first] != wanted:
            return begin + first
        begin, end = begin + first, begin + int(column.searchsorted(wanted, "right"))
    return end
