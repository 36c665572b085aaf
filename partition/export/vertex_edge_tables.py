"""A graph as two tables, of vertices and of edges: what all formats but METIS's write as it stands."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa
from scipy.sparse import triu

from partition.graphs.link_graph import GraphError, LinkGraph, Numbers
from partition.graphs.weighted_graph import WeightedGraph, group_graph, group_links, page_graph
from partition.models.prefix import by_prefix
from sessions.analysis.external_difference import site_pairs
from sessions.analysis.last_fetches import last_rows
from sessions.hash_arrays import places
from sessions.session import Session, damage_told


class Listing(Protocol):
    """A graph of v vertices, numbered from 0, that can be written in any format."""

    @property
    def what(self) -> str:
        """What the vertices are, in the plural: it stands in names of files."""

    @property
    def is_directed(self) -> bool:
        """Whether an edge leads from source to target, or joins the two (then source < target)."""

    @property
    def vertices(self) -> pa.Table:
        """A row for each vertex in the order of their numbers: strings that name it, int64 bytes and requests."""

    @property
    def named_by(self) -> tuple[str, ...]:
        """The columns of ``vertices`` that go into a text file beside one that has only numbers."""

    @property
    def edges(self) -> pa.Table:
        """A row for each edge, by source, then target: int64 source, target, cost, perhaps more."""

    @property
    def tied_by(self) -> tuple[str, ...]:
        """The columns of ``edges`` that a list of edges needs; the others follow from the vertices."""

    @property
    def weighted(self) -> WeightedGraph:
        """The same as METIS takes it: undirected, whether ``edges`` are or not."""


@dataclass(frozen=True)
class ListedPages:
    """Pages and the directed links between them, each costing the length of its target's URL in bytes.

    ``fetches`` has a row for each page: columns of what its last fetch told, as `fetches_of` reads them.
    """

    graph: LinkGraph
    fetches: pa.Table | None = None
    what = "pages"
    is_directed = True
    named_by = ("url", "bytes")  # what `cutweb import edges --urls` reads
    tied_by = ("source", "target")

    @cached_property
    def vertices(self) -> pa.Table:
        """Columns url, site, bytes, requests, and those of ``fetches``."""
        graph = self.graph
        names = pa.array(graph.site_names, pa.large_string())
        told = {} if self.fetches is None else dict(zip(self.fetches.column_names, self.fetches.columns, strict=True))
        return pa.table(
            {
                "url": graph.urls,
                "site": names.take(pa.array(graph.sites)),
                "bytes": graph.bytes,
                "requests": graph.weights[:, 1],
                **told,
            }
        )

    @cached_property
    def edges(self) -> pa.Table:
        """Columns source, target, cost."""
        links = self.graph.links
        return pa.table({"source": self.graph.sources, "target": links.indices, "cost": links.data})

    @cached_property
    def weighted(self) -> WeightedGraph:
        """The page graph."""
        return page_graph(self.graph)


@dataclass(frozen=True)
class ListedGroups:
    """Groups of pages, joined where there are links between their pages.

    Attributes:
        graph: the pages.
        groups: the group of each page, int64[n], in 0..len(names) - 1.
        names: the groups' names.
        what: what the groups are, in the plural.
        column: what one of them is: the name of the column with the names.
    """

    graph: LinkGraph
    groups: Numbers
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
    def vertices(self) -> pa.Table:
        """A column with the names, and bytes, requests."""
        weights = self.weighted.weights
        names = pa.array(self.names, pa.large_string())
        return pa.table({self.column: names, "bytes": weights[:, 0], "requests": weights[:, 1]})

    @cached_property
    def edges(self) -> pa.Table:
        """Columns source, target, cost, links: how many links there are, both ways, and their costs' sum."""
        costs = triu(self.weighted.edges, k=1, format="csr")
        links = triu(group_links(self.graph, self.groups, len(self.names)), k=1, format="csr")
        sources = np.repeat(np.arange(len(self.names), dtype=np.int64), np.diff(costs.indptr))
        targets = costs.indices.astype(np.int64)
        return pa.table({"source": sources, "target": targets, "cost": costs.data, "links": links.data})

    @cached_property
    def weighted(self) -> WeightedGraph:
        """The graph of the groups."""
        return group_graph(self.graph, self.groups, len(self.names))


@dataclass(frozen=True)
class ListedOutside:
    """Sites and the links that lead out of a crawl's scope, from the site of the page to that of the target.

    Attributes:
        vertices: columns site, bytes, requests; the latter two are 0 of sites that have no pages.
        edges: columns source, target, cost, links; a link costs 1.
    """

    vertices: pa.Table
    edges: pa.Table
    what = "sites"
    is_directed = True
    named_by = ("site", "bytes", "requests")
    tied_by = ("source", "target", "links")

    @property
    def weighted(self) -> WeightedGraph:
        """Raises GraphError: it is nothing to cut."""
        raise GraphError("links out of scope are no graph to cut; choose another format than metis")


def outside_of(session: Session, graph: LinkGraph) -> ListedOutside:
    """Return the links out of scope that a session keeps, by sites.  Raises GraphError if it keeps none."""
    with damage_told(session.path):
        pairs = site_pairs(session)
    if not pairs:
        raise GraphError("the session has no links out of scope, or does not keep them (cutweb crawl --external)")
    sites = {site: number for number, site in enumerate(graph.site_names)}
    for site in (site for pair in sorted(pairs) for site in pair):
        sites.setdefault(site, len(sites))
    weights = np.zeros((2, len(sites)), np.int64)
    np.add.at(weights[0], graph.sites, graph.bytes)
    np.add.at(weights[1], graph.sites, 1)
    rows = sorted((sites[source], sites[target], links) for (source, target), links in pairs.items())
    sources, targets, counts = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    names = pa.array(list(sites), pa.large_string())
    return ListedOutside(
        pa.table({"site": names, "bytes": weights[0], "requests": weights[1]}),
        pa.table({"source": sources, "target": targets, "cost": counts, "links": counts}),
    )


def fetches_of(session: Session, graph: LinkGraph) -> pa.Table:
    """What the last fetch of each page of a session's graph told: int64 ``status`` and ``depth``, null if not known.

    Raises SessionError if files of the session are damaged.
    """
    with damage_told(session.path):
        pages = session.read("pages", ["hash", "status", "depth"])
        hashes = pages["hash"].to_numpy()
    last = last_rows(hashes)
    rows = pa.array(last[places(graph.hashes, hashes[last], np.argsort(hashes[last]))])
    return pa.table({name: pages[name].take(rows).cast(pa.int64()) for name in ("status", "depth")})


def _pages(graph: LinkGraph, _parts: int) -> Listing:
    return ListedPages(graph)


def _sites(graph: LinkGraph, _parts: int) -> Listing:
    _check_urls(graph)
    return ListedGroups(graph, graph.sites, graph.site_names, "sites", "site")


def _prefixes(graph: LinkGraph, parts: int) -> Listing:
    _check_urls(graph)
    grouping = by_prefix(graph, parts)
    peopled, groups = np.unique(grouping.groups, return_inverse=True)
    names = [grouping.prefixes[group] for group in peopled.tolist()]
    return ListedGroups(graph, groups.astype(np.int64), names, "prefixes", "prefix")


def _check_urls(graph: LinkGraph) -> None:
    if not graph.has_urls:
        raise GraphError("the pages were imported without URLs, so they have no sites; there is only a page graph")


LISTINGS: dict[str, Callable[[LinkGraph, int], Listing]] = {"page": _pages, "site": _sites, "prefix": _prefixes}
"""Graphs by the name of what a vertex is, as a partition into so many parts cuts them.

Only prefixes depend on the number of parts: the more parts, the finer they are.  Making one raises GraphError if the
session has no such graph.
"""
