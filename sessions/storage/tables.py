"""Parquet tables of a session: one file per table, rank and epoch, written once, never edited.

A file appears under its name only when it is whole (written under a temporary name, synced, renamed), so a reader
never meets half a table, whatever instant the writer died.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from xxhash import xxh3_64

from sessions.schema import TABLES
from sessions.storage.os_errors import naming

if TYPE_CHECKING:
    from pyarrow import parquet

ROWS_PER_GROUP = 1 << 17
_BYTES_PER_GROUP = 2 << 20
"""Of rows in memory: what a minute brings of pages, or robots.txt files, may take far more."""
_HASH_COLUMNS = {"hash", "target", "content_digest", "payload_digest", "simhash"}


def table_name(table: str, first: int, last: int, run: str, rewritten: int | None = None) -> str:
    """The name of the file with a table's rows of the epochs from ``first`` to ``last``.

    Where its rows were ``rewritten``, the number of the commit record since which they are so.
    """
    epochs = f"{last:06d}" if first == last else f"{first:06d}-{last:06d}"
    return f"{table}-{epochs}-{run}.parquet" if rewritten is None else f"{table}-{epochs}-{run}-{rewritten:06d}.parquet"


class TableFile(NamedTuple):
    """A finished file: its name, length in bytes, number of rows, and the xxh3 of its content in hex."""

    name: str
    bytes: int
    rows: int
    xxh3: str


class TableWriter:
    """Writes one of a rank's tables, an epoch's file at a time.

    ``name`` is one of `sessions.schema.TABLES`; ``run`` stands in every file's name, so that a process left over from
    an earlier run cannot write over this one's files.  Memory is bounded by one row group.
    """

    def __init__(self, folder: Path, name: str, run: str) -> None:
        self.name = name
        self._folder = folder
        self._run = run
        self._schema: pa.Schema = TABLES[name]
        self._partial = folder / f".{name}-{run}.partial"
        self._batches: list[pa.RecordBatch] = []
        self._waiting = self._bytes = 0
        self._rows = 0
        self._sink: _HashingFile | None = None
        self._parquet: parquet.ParquetWriter | None = None

    def append(self, columns: Sequence[Any]) -> None:
        """Append rows, given as the table's columns in order: numpy arrays, Arrow arrays or sequences."""
        arrays = [
            column if isinstance(column, pa.Array) else pa.array(column, type=field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        self._batches.append(batch)
        self._waiting += batch.num_rows
        self._bytes += batch.nbytes
        if self._waiting >= ROWS_PER_GROUP or self._bytes >= _BYTES_PER_GROUP:
            self._write_group()

    def close_epoch(self, epoch: int, first: int | None = None, rewritten: int | None = None) -> TableFile | None:
        """Finish the file of this epoch, or of all from ``first`` on; None, and no file, if it has no rows.

        ``rewritten`` is for its name, as in `table_name`.
        """
        self._write_group()
        if self._parquet is None or self._sink is None:
            return None
        self._parquet.close()
        length, digest = self._sink.sync_and_close()
        file_name = table_name(self.name, first or epoch, epoch, self._run, rewritten)
        self._partial.rename(self._folder / file_name)
        finished = TableFile(file_name, length, self._rows, digest)
        self._parquet = self._sink = None
        self._rows = 0
        return finished

    def close(self) -> None:
        """Let go of what no epoch has closed over; nothing can be appended afterwards."""
        if self._parquet is not None:
            self._parquet.is_open = False  # or it would write the end of its file when it is collected
        self._parquet = self._sink = None

    def _write_group(self) -> None:
        if not self._waiting:
            return
        if self._parquet is None:
            self._sink = _HashingFile(self._partial)
            self._parquet = _parquet_writer(self._sink, self._schema)
        self._parquet.write_table(pa.Table.from_batches(self._batches), row_group_size=ROWS_PER_GROUP)
        self._rows += self._waiting
        self._batches.clear()
        self._waiting = self._bytes = 0
        release_memory()


def release_memory() -> None:
    """Give the system back what Arrow keeps of the memory in which rows were written."""
    pa.default_memory_pool().release_unused()


class _HashingFile:
    """A binary file that knows the xxh3 of what was written to it."""

    closed = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = open(path, "wb")  # noqa: SIM115 - closed by sync_and_close
        self._digest = xxh3_64()
        self._length = 0

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self._digest.update(view)
        self._length += view.nbytes
        with naming(self._path):
            return self._file.write(view)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        """Arrow closes what it wrote to; the file stays open until it has been synced."""

    def sync_and_close(self) -> tuple[int, str]:
        with naming(self._path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        return self._length, self._digest.hexdigest()


def _parquet_writer(sink: _HashingFile, schema: pa.Schema) -> "parquet.ParquetWriter":
    repetitive = [field.name for field in schema if field.name not in _HASH_COLUMNS and field.name != "url"]
    from pyarrow.parquet import ParquetWriter

    return ParquetWriter(
        pa.PythonFile(sink, mode="w"),
        schema,
        compression={field.name: "NONE" if field.name in _HASH_COLUMNS else "ZSTD" for field in schema},
        compression_level={field.name: 1 for field in schema if field.name not in _HASH_COLUMNS},
        use_dictionary=repetitive,
        write_statistics=False,
    )


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with naming(folder):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_table(name: str, paths: Sequence[Path], columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of several files of one table, in the order given; missing columns are null."""
    wanted = _wanted(name, columns)
    return pa.concat_tables([wanted.empty_table(), *(_read_file(path, wanted) for path in paths)])


def read_batches(
    name: str, paths: Sequence[Path], columns: Sequence[str] | None = None, rows: int = 1 << 16
) -> Iterator[pa.RecordBatch]:
    """Yield the rows that `read_table` gives in batches of at most ``rows``, holding little more than one in memory."""
    wanted = _wanted(name, columns)
    for path in paths:
        with _opened(path) as file:
            present = set(file.schema_arrow.names)
            names = [field.name for field in wanted if field.name in present]
            for group in range(file.metadata.num_row_groups):  # asked for all of them, Arrow keeps those it has read
                for batch in file.iter_batches(rows, row_groups=[group], columns=names):
                    yield pa.RecordBatch.from_arrays(_columns_of(batch, wanted, present), schema=wanted)


def read_row_groups(
    name: str, paths: Sequence[Path], columns: Sequence[str], share: int, shares: int
) -> Iterator[tuple[int, pa.Table]]:
    """Yield every ``shares``-th row group of a table, from number ``share`` on, and the number of its first row.

    Row groups and rows are counted through all files.  Missing columns are null.
    """
    wanted = _wanted(name, columns)
    group, row = 0, 0
    for path in paths:
        with _opened(path) as file:
            present = set(file.schema_arrow.names)
            names = [field.name for field in wanted if field.name in present]
            for number in range(file.metadata.num_row_groups):
                if group % shares == share:
                    rows = file.read_row_group(number, columns=names)
                    yield row, pa.Table.from_arrays(_columns_of(rows, wanted, present), schema=wanted)
                group, row = group + 1, row + file.metadata.row_group(number).num_rows


def _opened(path: Path) -> "parquet.ParquetFile":
    from pyarrow.parquet import ParquetFile  # a rank's first request need not wait for that

    return ParquetFile(path)


def _wanted(name: str, columns: Sequence[str] | None) -> pa.Schema:
    schema: pa.Schema = TABLES[name]
    return pa.schema([schema.field(column) for column in columns]) if columns is not None else schema


def _read_file(path: Path, wanted: pa.Schema) -> pa.Table:
    file = _opened(path)
    present = set(file.schema_arrow.names)
    table = file.read(columns=[field.name for field in wanted if field.name in present])
    return pa.Table.from_arrays(_columns_of(table, wanted, present), schema=wanted)


def _columns_of(rows: pa.Table | pa.RecordBatch, wanted: pa.Schema, present: set[str]) -> list[Any]:
    """The wanted columns; those that an older session lacks are null."""
    return [
        rows[field.name].cast(field.type) if field.name in present else pa.nulls(rows.num_rows, field.type)
        for field in wanted
    ]
