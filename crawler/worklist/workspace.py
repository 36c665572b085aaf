"""Where a rank sorts and keeps records while a worklist is made."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.worklist.record_sorter import RecordSorter, together
from partition.communication.ranks import Ranks
from partition.map.spilled_batches import SpilledBatches

Owners = npt.NDArray[np.int64]
OwnersOf = Callable[[pa.RecordBatch], Owners]

_SORTERS = 22
"""So many times the memory of one sorter is held in all: of those that are read and the one that is filled, with what
sorting takes."""


class Workspace:
    """Sorters and files of this rank in a folder of all; they are gone when the ``stack`` is closed.

    ``memory`` is what one sorter may hold, in bytes.
    """

    def __init__(self, ranks: Ranks, folder: Path, stack: ExitStack, memory: int) -> None:
        self.ranks = ranks
        self.memory = memory // _SORTERS
        self._folder, self._stack = folder, stack

    def place(self, name: str) -> Path:
        """Where this rank has a file of that name."""
        return self._folder / f"{name}-{self.ranks.rank}"

    def sorter(self, name: str, schema: pa.Schema, keys: Sequence[str]) -> RecordSorter:
        """Return a sorter that is still empty."""
        return self._stack.enter_context(RecordSorter(self.place(name), schema, keys, self.memory))

    def kept(self, name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch] = ()) -> SpilledBatches:
        """Return a file with some batches, as group 0; more can follow."""
        file = self._stack.enter_context(SpilledBatches(self.place(name), schema))
        for batch in batches:
            file.put(batch.columns, 0)
        return file

    def gathered(
        self, name: str, batches: Iterable[pa.RecordBatch], schema: pa.Schema, keys: Sequence[str]
    ) -> RecordSorter:
        """Send records to the ranks that their first key names, and sort those that come; collective."""
        sorter = self.sorter(name, schema, keys)
        for batch in self.delivered(batches, schema, self.by_hash(keys[0])):
            sorter.add(batch)
        return sorter

    def by_hash(self, column: str = "hash") -> OwnersOf:
        """Return what names the rank that keeps each record's hash."""
        return lambda batch: (batch[column].to_numpy() % np.uint64(self.ranks.size)).astype(np.int64)

    def delivered(
        self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, owners: OwnersOf
    ) -> Iterator[pa.RecordBatch]:
        """Send the records of each batch to their owners, and yield those that came to this rank; collective.

        Columns are numbers without nulls, or texts (`pa.large_string`).
        """
        numbers = [field.name for field in schema if field.type != pa.large_string()]
        for batch in self.ranks.in_step(batches, together([], schema)):
            to = owners(batch)
            came, _ = self.ranks.sent(to, *(batch[name].to_numpy() for name in numbers))
            columns = dict(zip(numbers, map(pa.array, came), strict=True))
            for field in schema:
                if field.type == pa.large_string():
                    columns[field.name] = self.ranks.sent_texts(to, batch[field.name])
            yield pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
