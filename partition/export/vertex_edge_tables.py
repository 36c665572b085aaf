"""A graph as two tables, of vertices and of edges: what all formats but METIS's write as it stands."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from partition.export.group_edges import GroupEdges, group_edges
from partition.export.neighbours import Neighbours, page_neighbours
from partition.export.session_graph import SessionGraph
from partition.export.streamed_table import StreamedTable, reblocked, streamed
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import GraphError, Numbers
from partition.models.prefix import prefix_groups
from sessions.analysis.external_difference import site_pairs
from sessions.session import damage_told

MOST_PREFIXED = 10_000_000
"""Pages whose URLs are taken apart into prefixes, which needs all of them in memory."""
_COST = pa.schema([(name, pa.int64()) for name in ("source", "target", "cost")])


class Listing(Protocol):
    """A graph of v vertices, numbered from 0, that can be written in any format."""

    @property
    def what(self) -> str:
        """What the vertices are, in the plural: it stands in names of files."""

    @property
    def is_directed(self) -> bool:
        """Whether an edge leads from source to target, or joins the two (then source < target)."""

    @property
    def vertices(self) -> StreamedTable:
        """A row for each vertex in the order of their numbers: strings that name it, int64 bytes and requests."""

    @property
    def named_by(self) -> tuple[str, ...]:
        """The columns of ``vertices`` that go into a text file beside one that has only numbers."""

    @property
    def edges(self) -> StreamedTable:
        """A row for each edge, by source, then target: int64 source, target, cost, perhaps more."""

    @property
    def tied_by(self) -> tuple[str, ...]:
        """The columns of ``edges`` that a list of edges needs; the others follow from the vertices."""

    @property
    def neighbours(self) -> Neighbours:
        """The same as METIS takes it: undirected, whether ``edges`` are or not."""


@dataclass(frozen=True)
class ListedPages:
    """Pages and the directed links between them, each costing the length of its target's URL in bytes.

    ``folder`` is for what has to be sorted.
    """

    graph: SessionGraph
    folder: Path
    what = "pages"
    is_directed = True
    named_by = ("url", "bytes")  # what `cutweb import edges --urls` reads
    tied_by = ("source", "target")

    @property
    def vertices(self) -> StreamedTable:
        """Columns url, site, bytes, requests, status, depth."""
        return self.graph.page_rows

    @property
    def edges(self) -> StreamedTable:
        """Columns source, target, cost."""
        return StreamedTable(_COST, self.graph.links.count, lambda: reblocked(self._edge_batches()))

    def _edge_batches(self) -> Iterator[pa.RecordBatch]:
        for sources, targets in self.graph.ends():
            costs = self.graph.url_bytes[targets].astype(np.int64)
            yield pa.record_batch([pa.array(column) for column in (sources, targets, costs)], _COST)

    @cached_property
    def neighbours(self) -> Neighbours:
        """The page graph."""
        return page_neighbours(self.graph, self.folder)


@dataclass(frozen=True)
class ListedGroups:
    """Groups of pages, joined where there are links between their pages.

    Attributes:
        graph: the pages.
        groups: the group of each page, int[n], in 0..len(names) - 1.
        names: the groups' names.
        what: what the groups are, in the plural.
        column: what one of them is: the name of the column with the names.
    """

    graph: SessionGraph
    groups: npt.NDArray[np.integer[Any]]
    names: list[str]
    what: str
    column: str
    is_directed = False
    tied_by = ("source", "target", "cost", "links")

    @property
    def named_by(self) -> tuple[str, ...]:
        """All columns."""
        return (self.column, "bytes", "requests")

    @cached_property
    def vertices(self) -> StreamedTable:
        """A column with the names, and bytes, requests."""
        names = pa.array(self.names, pa.large_string())
        weights = self._weights
        return streamed(pa.table({self.column: names, "bytes": weights[:, 0], "requests": weights[:, 1]}))

    @cached_property
    def edges(self) -> StreamedTable:
        """Columns source, target, cost, links: how many links there are, both ways, and their costs' sum."""
        its = self._edges
        return streamed(pa.table({"source": its.sources, "target": its.targets, "cost": its.costs, "links": its.links}))

    @cached_property
    def neighbours(self) -> Neighbours:
        """The graph of the groups."""
        return self._edges.neighbours(self._weights)

    @cached_property
    def _weights(self) -> Numbers:
        return summed(self.graph.weights, self.groups, len(self.names))

    @cached_property
    def _edges(self) -> GroupEdges:
        return group_edges(self.graph, self.groups, len(self.names))


@dataclass(frozen=True)
class ListedOutside:
    """Sites and the links that lead out of a crawl's scope, from the site of the page to that of the target.

    Attributes:
        vertices: columns site, bytes, requests; the latter two are 0 of sites that have no pages.
        edges: columns source, target, cost, links; a link costs 1.
    """

    vertices: StreamedTable
    edges: StreamedTable
    what = "sites"
    is_directed = True
    named_by = ("site", "bytes", "requests")
    tied_by = ("source", "target", "links")

    @property
    def neighbours(self) -> Neighbours:
        """Raises GraphError: it is nothing to cut."""
        raise GraphError("links out of scope are no graph to cut; choose another format than metis")


def _outside(graph: SessionGraph, _parts: int, _folder: Path) -> Listing:
    with damage_told(graph.session.path):
        pairs = site_pairs(graph.session)
    if not pairs:
        raise GraphError("the session has no links out of scope, or does not keep them (cutweb crawl --external)")
    sites = {site: number for number, site in enumerate(graph.site_names)}
    for site in (site for pair in sorted(pairs) for site in pair):
        sites.setdefault(site, len(sites))
    weights = summed(graph.weights, graph.sites, len(sites))
    rows = sorted((sites[source], sites[target], links) for (source, target), links in pairs.items())
    sources, targets, counts = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    names = pa.array(list(sites), pa.large_string())
    return ListedOutside(
        streamed(pa.table({"site": names, "bytes": weights[:, 0], "requests": weights[:, 1]})),
        streamed(pa.table({"source": sources, "target": targets, "cost": counts, "links": counts})),
    )


def _pages(graph: SessionGraph, _parts: int, folder: Path) -> Listing:
    return ListedPages(graph, folder)


def _sites(graph: SessionGraph, _parts: int, _folder: Path) -> Listing:
    _check_urls(graph)
    return ListedGroups(graph, graph.sites, graph.site_names, "sites", "site")


def _prefixes(graph: SessionGraph, parts: int, _folder: Path) -> Listing:
    _check_urls(graph)
    if len(graph) > MOST_PREFIXED:
        raise GraphError(
            f"{len(graph):,} pages are too many: prefixes need all URLs in memory; {MOST_PREFIXED:,} can be exported"
        )
    urls = [url for batch in graph.urls() for url in batch.to_pylist()]
    grouping = prefix_groups(urls, graph.weights, parts)
    peopled, groups = np.unique(grouping.groups, return_inverse=True)
    names = [grouping.prefixes[group] for group in peopled.tolist()]
    return ListedGroups(graph, groups.astype(np.int64), names, "prefixes", "prefix")


def _check_urls(graph: SessionGraph) -> None:
    if not graph.has_urls:
        raise GraphError("the pages were imported without URLs, so they have no sites; there is only a page graph")


LISTINGS: dict[str, Callable[[SessionGraph, int, Path], Listing]] = {
    "page": _pages,
    "site": _sites,
    "prefix": _prefixes,
    "external": _outside,
}
"""Graphs by the name of what a vertex is, as a partition into so many parts cuts them.

Only prefixes depend on the number of parts: the more parts, the finer they are.  What has to be sorted is put into the
folder.  Making one raises GraphError if the session has no such graph.
"""
