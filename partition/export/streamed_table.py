"""Tables that are gone through a block of rows at a time, so that none needs to be in memory as a whole."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

ROWS_PER_BLOCK = 1 << 17
"""Few enough that their text, of some hundred bytes a row, is no burden on memory."""


@dataclass(frozen=True)
class StreamedTable:
    """A table of ``count`` rows.

    ``blocks`` gives them in order, `ROWS_PER_BLOCK` at a time, whenever it is called; what it raises, going through the
    blocks raises.
    """

    schema: pa.Schema
    count: int
    blocks: Callable[[], Iterator[pa.RecordBatch]]

    def select(self, names: Sequence[str]) -> "StreamedTable":
        """Some of the columns."""
        schema = pa.schema([self.schema.field(name) for name in names])
        return StreamedTable(schema, self.count, lambda: (block.select(list(names)) for block in self.blocks()))

    def numbered(self) -> Iterator[tuple[pa.Array, pa.RecordBatch]]:
        """Yield the blocks, each with the numbers of its rows, int64."""
        first = 0
        for block in self.blocks():
            yield pa.array(np.arange(first, first + block.num_rows)), block
            first += block.num_rows


def streamed(table: pa.Table) -> StreamedTable:
    """The rows of a table in memory."""
    return StreamedTable(table.schema, table.num_rows, lambda: reblocked(table.to_batches()))


def reblocked(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of batches of any sizes, `ROWS_PER_BLOCK` at a time."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= ROWS_PER_BLOCK:
            table, whole = pa.Table.from_batches(waiting).combine_chunks(), count - count % ROWS_PER_BLOCK
            yield from table.slice(0, whole).to_batches(ROWS_PER_BLOCK)
            waiting, count = table.slice(whole).to_batches(), count - whole
    if count:
        yield pa.Table.from_batches(waiting).combine_chunks().to_batches()[0]
