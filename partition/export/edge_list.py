"""A graph as a list of edges, with the vertices in a list beside it; both are plain tables in text.

The pages' lists are what ``cutweb import edges FILE --urls FILE.pages.tsv`` reads.
"""

from pathlib import Path

from partition.export.fast_text import write_tsv
from partition.export.vertex_edge_tables import Listing


def write_edges(listing: Listing, path: Path) -> None:
    """Write a line of vertex numbers for each edge, counted from 0, with what is not known from the vertices."""
    columns = list(listing.tied_by)
    kind = "directed" if listing.is_directed else "undirected"
    counts = f"{listing.vertices.count} {listing.what}, {listing.edges.count} edges, {kind}"
    with open(path, "wb") as file:
        file.write(f"# {counts}; {listing.what} are numbered from 0\n".encode())
        file.write(f"# {chr(9).join(columns)}\n".encode())
        write_tsv(file, listing.edges.select(columns))


def write_vertices(listing: Listing, path: Path) -> None:
    """Write a heading and a line for each vertex in the order of their numbers: what it is called, and its weights."""
    columns = list(listing.named_by)
    with open(path, "wb") as file:
        file.write(f"{chr(9).join(columns)}\n".encode())
        write_tsv(file, listing.vertices.select(columns))
