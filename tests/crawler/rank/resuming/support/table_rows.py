"""Rows of tables, as they are read from a session's files: in batches."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from crawler.rank.resuming.rows import Rows
from sessions.schema import TABLES


def batches_of(
    table: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], size: int = 3
) -> Iterator[pa.RecordBatch]:
    """Some columns of rows, ``size`` rows at a time, with an empty batch in front."""
    kept = pa.schema([TABLES[table].field(name) for name in columns])
    for start in (-size, *range(0, len(rows), size)):
        piece = rows[max(start, 0) : start + size]
        yield pa.RecordBatch.from_pylist([{name: row.get(name) for name in columns} for row in piece], schema=kept)


class FakeRows(Rows):
    """Rows of tables that are in no session, all of them of one rank: what a test gives by table."""

    def __init__(self, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self._tables = tables

    def read_by_folder(self, table: str, columns: Sequence[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
        for batch in batches_of(table, self._tables.get(table, []), columns):
            yield 0, batch
