"""GEXF 1.3 (gexf.net), Gephi's own format."""

from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from partition.export.fast_text import write_joined
from partition.export.graphml import costs_of, escaped, told_if_known
from partition.export.streamed_table import StreamedTable
from partition.export.vertex_edge_tables import Listing

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3">
"""
_ENDS = ("source", "target")


def write_gexf(listing: Listing, path: Path) -> None:
    """Write a graph whose nodes have the vertices' numbers as ids, their names as labels, and all columns as values.

    The label is the first column: the page's URL, or the name of the site or prefix.  An edge's weight is its cost.
    """
    vertices, edges = listing.vertices, listing.edges
    direction = "directed" if listing.is_directed else "undirected"
    with open(path, "wb") as file:
        file.write(f'{_HEAD}<graph defaultedgetype="{direction}">\n'.encode())
        for columns, element in ((vertices.schema, "node"), (costs_of(edges.schema), "edge")):
            file.write(f'<attributes class="{element}">\n'.encode())
            for column in columns:
                kind = "long" if pa.types.is_integer(column.type) else "string"
                file.write(f'<attribute id="{column.name}" title="{column.name}" type="{kind}"/>\n'.encode())
            file.write(b"</attributes>\n")
        _write_nodes(file, vertices)
        _write_edges(file, edges)
        file.write(b"</graph>\n</gexf>\n")


def _write_nodes(file: BinaryIO, vertices: StreamedTable) -> None:
    file.write(b"<nodes>\n")
    for numbers, block in vertices.numbered():
        named = ['<node id="', numbers, '" label="', escaped(block.column(0)), '"><attvalues>']
        write_joined(file, [*named, *_values(block), "</attvalues></node>\n"])
    file.write(b"</nodes>\n")


def _write_edges(file: BinaryIO, edges: StreamedTable) -> None:
    file.write(b"<edges>\n")
    for numbers, block in edges.numbered():
        ends = ['<edge id="', numbers, '" source="', block["source"], '" target="', block["target"]]
        values = _values(block.drop_columns(list(_ENDS)))
        write_joined(file, [*ends, '" weight="', block["cost"], '"><attvalues>', *values, "</attvalues></edge>\n"])
    file.write(b"</edges>\n")


def _values(block: pa.RecordBatch) -> list[pa.Array | str]:
    pieces: list[pa.Array | str] = []
    for name, column in zip(block.schema.names, block.columns, strict=True):
        pieces += told_if_known(f'<attvalue for="{name}" value="', column, '"/>')
    return pieces
