"""A session from a list of links, with or without the pages' URLs and sizes."""

from pathlib import Path

import numpy as np

from sessions.importing.edge_list import Numbers, read_edges
from sessions.importing.graph import Graph, GraphSession, make_session
from sessions.importing.page_list import UNKNOWN, invented_url, read_pages
from sessions.importing.source import Progress, quiet
from sessions.session import check_claimable

_SPARSE = 8


def import_edges(
    edges: Path, out: Path, *, urls: Path | None = None, sizes: Path | None = None, progress: Progress = quiet
) -> GraphSession:
    """Make the session ``out`` from a list of links.

    Without ``urls`` and ``sizes``, the pages are the numbers that occur; with either, line i of it, from 0, is page i.
    Raises SourceError for what is wrong in a file, and what `sessions.importing.graph.make_session` raises.
    """
    check_claimable(out)  # before the work, not after it
    pages = read_pages(urls, sizes)
    sources, targets = read_edges(edges, len(pages.urls) if pages is not None else None, progress)
    graph = Graph(pages.urls, pages.sizes, sources, targets) if pages is not None else _as_numbered(sources, targets)
    named = {"edges": str(edges), "urls": str(urls) if urls else None, "bytes": str(sizes) if sizes else None}
    return make_session(graph, out, "edges", named, progress)


def _as_numbered(sources: Numbers, targets: Numbers) -> Graph:
    """The graph of the numbers that occur, each a page."""
    largest = int(max(sources.max(initial=-1), targets.max(initial=-1)))
    if largest < _SPARSE * (len(sources) + 1):
        occurs = np.zeros(largest + 1, np.bool_)
        occurs[sources] = occurs[targets] = True
        numbers, place = np.flatnonzero(occurs), np.cumsum(occurs) - 1
        sources, targets = place[sources], place[targets]
    else:  # a table of all numbers would be too large
        numbers = np.unique(np.concatenate([sources, targets]))
        sources, targets = np.searchsorted(numbers, sources), np.searchsorted(numbers, targets)
    urls = [invented_url(number) for number in numbers.tolist()]
    return Graph(urls, np.full(len(urls), UNKNOWN), sources, targets)
