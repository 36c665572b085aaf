"""The rows of a worklist: their columns, their order, and the Parquet files that hold them.

New and old URLs stand apart, each kind in files whose rows, in the order of the files' names, go from the highest
priority down; equal ones from the longest age down, then by ascending hash.  How many files there are depends on the
ranks that wrote them; their rows do not.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from xxhash import xxh3_64

NEW, OLD = "new", "old"
KINDS = (NEW, OLD)
"""The kinds of URLs: discovered and never answered, and visited."""

SCHEMA = pa.schema(
    [
        pa.field("url", pa.string(), nullable=False),
        pa.field("hash", pa.uint64(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("in_degree", pa.int64(), nullable=False),
        pa.field("out_degree", pa.int64()),
        pa.field("change", pa.float64()),
        pa.field("age", pa.float64()),
        pa.field("visits", pa.int64(), nullable=False),
        pa.field("last", pa.timestamp("us", tz="UTC")),
        pa.field("priority", pa.float64(), nullable=False),
        pa.field("part", pa.uint16()),
    ]
)
OF_OLD = ("out_degree", "change", "age", "last")
"""The columns that are null for new URLs and for no others."""
ROWS_PER_GROUP = 1 << 15
_REPETITIVE = ["kind", "in_degree", "out_degree", "visits", "part"]
_CHUNK = 1 << 20
_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_NULL = np.uint64(0x6E756C6C)

Bits = npt.NDArray[np.uint64]


class RowsFile(NamedTuple):
    """A file of rows of one kind: its name, rows, bytes, and the xxh3 of its content in hex."""

    file: str
    kind: str
    rows: int
    bytes: int
    xxh3: str


class WrittenRows(NamedTuple):
    """A file that was written, and the `digest_of` its rows."""

    file: RowsFile
    digest: int


def write_rows(folder: Path, kind: str, number: int, batches: Iterable[pa.RecordBatch]) -> WrittenRows | None:
    """Write batches of `SCHEMA`, of one kind and in order, as file ``number`` of it; None, and no file, if empty.

    One row group is in memory at a time.
    """
    from pyarrow.parquet import ParquetWriter  # ranks import this module, and need none of that

    path = folder / f"{kind}-{number:05d}.parquet"
    rows, digest = 0, 0
    writer: ParquetWriter | None = None
    try:
        for group in _groups(batches):
            if writer is None:
                writer = ParquetWriter(
                    path, SCHEMA, compression="ZSTD", compression_level=1, use_dictionary=_REPETITIVE
                )
            writer.write_table(group)
            rows += group.num_rows
            digest = (digest + digest_of(group)) % 2**64
    finally:
        if writer is not None:
            writer.close()
    return WrittenRows(RowsFile(path.name, kind, rows, *length_and_xxh3(path)), digest) if rows else None


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= ROWS_PER_GROUP:
            yield pa.Table.from_batches(waiting, SCHEMA)
            waiting, count = [], 0
    if count:
        yield pa.Table.from_batches(waiting, SCHEMA)


def digest_of(rows: pa.Table | pa.RecordBatch) -> int:
    """Return a number of 64 bits that another set of rows is most unlikely to have.

    It is the sum over rows of a hash of all columns but the URL, for which its own hash stands, modulo 2^64; so it does
    not depend on how rows are spread over files and batches.
    """
    mixed = np.zeros(rows.num_rows, np.uint64)
    for field in SCHEMA:
        if field.name not in ("url", "kind"):
            mixed = (mixed ^ _bits(rows[field.name])) * _ODD
            mixed ^= mixed >> _HALF
    return int(mixed.sum(dtype=np.uint64))


def _bits(column: Any) -> Bits:
    """The bits of each value; what is null has its own."""
    values = pa.chunked_array(column) if isinstance(column, pa.Array) else column
    is_null = values.is_null().to_numpy()
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.int64())
    known = values.fill_null(0).to_numpy()
    bits: Bits = known.view(np.uint64) if known.itemsize == 8 else known.astype(np.uint64)
    return np.where(is_null, _NULL, bits)


def length_and_xxh3(path: Path) -> tuple[int, str]:
    """Return a file's length in bytes and its xxh3 in hex, reading it once.  Raises OSError."""
    digest, length = xxh3_64(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            length += len(chunk)
    return length, digest.hexdigest()
