"""A session from a list of links, with or without the pages' URLs and sizes."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sessions.hash_arrays import distinct, places
from sessions.importing.edge_list import Numbers, read_edges
from sessions.importing.graph import Graph, GraphSession, Links, make_session
from sessions.importing.page_list import numbered_pages, read_pages
from sessions.progress import Progress, quiet

_PAIRS_PER_BATCH = 1 << 19
_PAIR_BYTES = 16
_LEAST_PENDING = 1 << 20
_LINK_FILE = "links"


def import_edges(
    edges: Path, out: Path, *, urls: Path | None = None, sizes: Path | None = None, progress: Progress = quiet
) -> GraphSession:
    """Make the session ``out`` from a list of links.

    Without ``urls`` and ``sizes``, the pages are the numbers that occur; with either, line i of it, from 0, is page i.
    Raises SourceError for what is wrong in a file, and what `sessions.importing.graph.make_session` raises.
    """

    def read(folder: Path) -> Graph:
        pages = read_pages(urls, sizes, folder)
        if pages is None:
            return _as_numbered(read_edges(edges, None, progress), folder / _LINK_FILE)
        return Graph(pages, read_edges(edges, len(pages), progress))

    named = {"edges": str(edges), "urls": str(urls) if urls else None, "bytes": str(sizes) if sizes else None}
    return make_session(read, out, "edges", named, progress)


def _as_numbered(links: Links, kept: Path) -> Graph:
    """The graph of the numbers that occur, each a page; the links are kept in a file until all numbers are known."""
    known, pending = np.empty(0, np.int64), [np.empty(0, np.int64)]
    with open(kept, "wb") as file:
        for sources, targets in links:
            file.write(np.stack([sources, targets], axis=1).data)
            pending += [distinct(sources), distinct(targets)]
            if sum(map(len, pending)) > max(_LEAST_PENDING, len(known)):
                known, pending = distinct(np.concatenate([known, *pending])), []
    numbers = distinct(np.concatenate([known, *pending]))
    return Graph(numbered_pages(numbers), _renumbered(kept, numbers))


def _renumbered(kept: Path, numbers: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the links in a file with the places of their ends among the numbers, which are ascending."""
    are_places = not len(numbers) or int(numbers[-1]) == len(numbers) - 1
    for first in range(0, kept.stat().st_size, _PAIRS_PER_BATCH * _PAIR_BYTES):
        pairs = np.fromfile(kept, np.int64, 2 * _PAIRS_PER_BATCH, offset=first).reshape(-1, 2)
        sources, targets = (pairs if are_places else places(pairs, numbers)).T
        yield sources, targets
