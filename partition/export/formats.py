"""The formats by name, and where each puts its files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from partition.export.edge_list import write_edges, write_vertices
from partition.export.gexf import write_gexf
from partition.export.graphml import write_graphml
from partition.export.metis_file import write_metis
from partition.export.output_files import Place
from partition.export.parquet import write_edge_table, write_vertex_table
from partition.export.vertex_edge_tables import Listing

Write = Callable[[Listing, Path], None]


def _write_metis(listing: Listing, path: Path) -> None:
    write_metis(listing.neighbours, path)


@dataclass(frozen=True)
class Format:
    """A format: who writes its files, by name.

    In the names, ``{out}`` stands for the name that the user gave and ``{what}`` for what the vertices are.  If no
    name has ``{out}`` in it, the user names a folder for them.  ``folds``: links both ways become one edge.
    """

    writers: dict[str, Write]
    folds: bool = False

    def place(self, out: Path, what: str) -> Place:
        """Where the files go if the user names ``out`` and the vertices are ``what``, in the plural."""
        is_folder = not any("{out}" in name for name in self.writers)
        names = tuple(name.format(out=out.name, what=what) for name in self.writers)
        return Place(out if is_folder else out.parent, names, is_folder)

    def write(self, listing: Listing, place: Place, *, replace: bool) -> None:
        """Write a graph to its place, whole or not at all.  Raises what `Place.filled` raises."""
        with place.filled(replace=replace) as paths:
            for path, write in zip(paths, self.writers.values(), strict=True):
                write(listing, path)

    def contents(self, listing: Listing) -> str:
        """How much of what is in the files of a graph."""
        is_directed = listing.is_directed and not self.folds
        edges = listing.neighbours.edges if self.folds else listing.edges.count
        return f"{listing.vertices.count:,} {listing.what}, {edges:,} {'links' if is_directed else 'edges'}"


FORMATS = {
    "metis": Format({"{out}": _write_metis, "{out}.{what}.tsv": write_vertices}, folds=True),
    "graphml": Format({"{out}": write_graphml}),
    "gexf": Format({"{out}": write_gexf}),
    "edges": Format({"{out}": write_edges, "{out}.{what}.tsv": write_vertices}),
    "parquet": Format({"vertices.parquet": write_vertex_table, "edges.parquet": write_edge_table}),
}
