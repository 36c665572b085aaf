"""A graph as two Parquet files."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from partition.export.vertex_edge_tables import Listing


def write_vertex_table(listing: Listing, path: Path) -> None:
    """Write the vertices, with their numbers in the column ``vertex``."""
    schema = listing.vertices.schema.insert(0, pa.field("vertex", pa.int64()))
    blocks = (pa.record_batch([numbers, *block.columns], schema) for numbers, block in listing.vertices.numbered())
    _write(blocks, schema, path)


def write_edge_table(listing: Listing, path: Path) -> None:
    """Write the edges; ``source`` and ``target`` are vertices' numbers."""
    _write(listing.edges.blocks(), listing.edges.schema, path)


def _write(blocks: Iterable[pa.RecordBatch], schema: pa.Schema, path: Path) -> None:
    # Readers that know no large strings (Spark before 4) take plain ones; a row group never has 2 GiB of them.
    plain = pa.schema(
        [(field.name, pa.string() if field.type == pa.large_string() else field.type) for field in schema]
    )
    with pq.ParquetWriter(path, plain, compression="ZSTD", compression_level=1) as writer:
        for block in blocks:
            writer.write_batch(block.cast(plain))
