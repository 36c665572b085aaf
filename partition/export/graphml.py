"""GraphML (graphml.graphdrawing.org), which networkx, Gephi, igraph and yEd read."""

from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from partition.export.fast_text import write_joined
from partition.export.streamed_table import StreamedTable
from partition.export.vertex_edge_tables import Listing

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
_LABEL = "label"
"""What viewers write beside a node."""
_NO_XML = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x{FFFE}\x{FFFF}]"
"""What XML 1.0 has no way to write.  No canonical URL has it, but a session's columns may be another program's."""
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_ENDS = ("source", "target")


def write_graphml(listing: Listing, path: Path) -> None:
    """Write a graph whose nodes have the vertices' numbers as ids, with all columns as attributes, and a label.

    The label is the first column: the page's URL, or the name of the site or prefix.
    """
    vertices, edges = listing.vertices, listing.edges
    label = pa.field(_LABEL, vertices.schema.field(0).type)
    with open(path, "wb") as file:
        file.write(_HEAD.encode())
        for columns, element in (([*vertices.schema, label], "node"), (costs_of(edges.schema), "edge")):
            for column in columns:
                kind = "long" if pa.types.is_integer(column.type) else "string"
                key = f'<key id="{column.name}" for="{element}" attr.name="{column.name}" attr.type="{kind}"/>\n'
                file.write(key.encode())
        direction = "directed" if listing.is_directed else "undirected"
        file.write(f'<graph id="{listing.what}" edgedefault="{direction}">\n'.encode())
        _write_nodes(file, vertices)
        _write_links(file, edges)
        file.write(b"</graph>\n</graphml>\n")


def costs_of(edges: pa.Schema) -> list[pa.Field]:
    """The columns of edges that do not say what they join."""
    return [column for column in edges if column.name not in _ENDS]


def _write_nodes(file: BinaryIO, vertices: StreamedTable) -> None:
    for numbers, block in vertices.numbered():
        named = block.append_column(_LABEL, block.column(0))
        write_joined(file, ['<node id="', numbers, '">', *_data(named), "</node>\n"])


def _write_links(file: BinaryIO, edges: StreamedTable) -> None:
    for block in edges.blocks():
        ends = ['<edge source="', block["source"], '" target="', block["target"], '">']
        write_joined(file, [*ends, *_data(block.drop_columns(list(_ENDS))), "</edge>\n"])


def _data(block: pa.RecordBatch) -> list[pa.Array | str]:
    pieces: list[pa.Array | str] = []
    for name, column in zip(block.schema.names, block.columns, strict=True):
        pieces += told_if_known(f'<data key="{name}">', column, "</data>")
    return pieces


def told_if_known(before: str, column: pa.Array, after: str) -> list[pa.Array | str]:
    """The cells of a column as XML's text between two texts; nothing of these in a row where it is null."""
    shown = escaped(column)
    if not column.null_count:
        return [before, shown, after]
    text = pa.large_string()
    parts = (pa.scalar(before, text), shown.cast(text), pa.scalar(after, text), pa.scalar("", text))
    return [pc.fill_null(pc.binary_join_element_wise(*parts), "")]


def escaped(column: pa.Array) -> pa.Array:
    """Numbers as they are, strings as XML's text and attributes have them."""
    if pa.types.is_integer(column.type):
        return column
    for character, escape in _ESCAPES.items():
        column = pc.replace_substring(column, character, escape)
    return pc.replace_substring_regex(column, _NO_XML, "\N{REPLACEMENT CHARACTER}")
