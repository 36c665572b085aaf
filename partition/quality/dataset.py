"""What a report says about the session that it is on."""

from dataclasses import dataclass

import numpy as np

from partition.graphs.link_graph import LinkGraph
from sessions.analysis.completeness import incomplete
from sessions.session import Session


@dataclass(frozen=True)
class DataSet:
    """A session and its graph in numbers.

    Attributes:
        session: name of the session's folder.
        run, started, software: of the crawl or import that made it, as session.json has them.
        pages, links, bytes: downloaded pages, distinct links between them, and bytes of their bodies as received.
        has_urls: False if the pages were imported as bare numbers; then what follows, up to ``known_links``, is None.
        sites: sites of the pages.
        largest_site: share of the pages that the largest of them has.
        url_bytes: mean length of the pages' URLs in bytes.
        known_urls, known_links: URLs that pages link to and that were never downloaded, and the links to them.
        incomplete: how the crawl ended early, None if it is complete.
    """

    session: str
    run: str
    started: str
    software: str
    pages: int
    links: int
    bytes: int
    has_urls: bool
    sites: int | None
    largest_site: float | None
    url_bytes: float | None
    known_urls: int | None
    known_links: int | None
    incomplete: str | None = None


def data_set(session: Session, graph: LinkGraph) -> DataSet:
    """Describe a session whose graph this is."""
    header, has_urls, ended_early = session.header, graph.has_urls, incomplete(session)
    return DataSet(
        session=session.path.resolve().name,
        run=str(header.get("run", "")),
        started=str(header.get("started", "")),
        software=str(header.get("software", "")),
        pages=len(graph),
        links=graph.links.nnz,
        bytes=int(graph.bytes.sum()),
        has_urls=has_urls,
        sites=len(graph.site_names) if has_urls else None,
        largest_site=float(np.bincount(graph.sites).max() / len(graph)) if has_urls else None,
        url_bytes=float(graph.url_bytes.mean()) if has_urls else None,
        known_urls=len(graph.known_hashes) if has_urls else None,
        known_links=graph.known_links.nnz if has_urls else None,
        incomplete=None if ended_early is None else str(ended_early),
    )
