"""Batches of columns on disk, in groups, each of which is read by itself."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa


class SpilledBatches:
    """A file of batches of one schema in groups; it is removed at the end of its ``with`` statement."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._schema = path, schema
        self._file = path.open("x+b")
        self._pieces: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)

    def put(self, columns: Sequence[Any], group: int) -> None:
        """Put a batch, as a column of each field, at the end of a group."""
        content = pa.record_batch([pa.array(column) for column in columns], self._schema).serialize()
        self._file.seek(self._end)
        self._file.write(content)
        self._pieces[group].append((self._end, len(content)))
        self._end += len(content)

    def forget(self, group: int) -> None:
        """Forget a group; its room in the file is not used again."""
        self._pieces.pop(group, None)

    def batches(self, group: int) -> Iterator[pa.RecordBatch]:
        """The batches of a group as they came."""
        for begin, size in self._pieces[group]:
            self._file.seek(begin)
            yield pa.ipc.read_record_batch(pa.py_buffer(self._file.read(size)), self._schema)
