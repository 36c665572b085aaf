"""A graph as two Parquet files."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from partition.export.vertex_edge_tables import Listing


def write_vertex_table(listing: Listing, path: Path) -> None:
    """Write the vertices, with their numbers in the column ``vertex``."""
    vertices = listing.vertices
    _write(vertices.add_column(0, "vertex", pa.array(np.arange(vertices.num_rows))), path)


def write_edge_table(listing: Listing, path: Path) -> None:
    """Write the edges; ``source`` and ``target`` are vertices' numbers."""
    _write(listing.edges, path)


def _write(table: pa.Table, path: Path) -> None:
    # Readers that know no large strings (Spark before 4) take plain ones; a row group never has 2 GiB of them.
    plain = pa.schema(
        [(field.name, pa.string() if field.type == pa.large_string() else field.type) for field in table.schema]
    )
    with pq.ParquetWriter(path, plain, compression="ZSTD", compression_level=1) as writer:
        for batch in table.to_batches(1 << 17):
            writer.write_batch(batch.cast(plain))
