"""A graph of numbered pages as a session."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.hash_arrays import are_first
from sessions.importing.imported_session import ImportedSession, imported_session
from sessions.importing.page_list import PLAIN_BYTES, UNKNOWN, Sizes
from sessions.importing.source import Progress, SourceError, quiet
from sessions.schema import PAGES
from sessions.storage.tables import prevent_pandas_import
from sessions.url import Hashes, site_of, url_hashes

Numbers = npt.NDArray[np.int64]

_STATUS = 200
_PAGES_PER_BATCH = 1 << 16
_LINKS_PER_BATCH = 1 << 20
_MOST_PAGES = 1 << 31  # so that a pair of page numbers goes into 64 bits


@dataclass(frozen=True)
class Graph:
    """Pages by number and links between them.

    ``urls`` are canonical, ``sizes`` int64[n] bytes or `UNKNOWN`; ``sources`` and ``targets`` are integers [m] in
    0..n-1, in any order, links to the page itself and repeated ones among them.
    """

    urls: list[str]
    sizes: Sizes
    sources: npt.NDArray[Any]
    targets: npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class GraphSession:
    """What became of a graph: how much is in the session, and what was merged or dropped on the way.

    ``merged`` pages had the URL of an earlier one, ``self_links`` led to their own page, ``repeated`` links were there
    before.
    """

    pages: int
    links: int
    bytes: int
    merged: int
    self_links: int
    repeated: int


@dataclass(frozen=True)
class _Vertices:
    """The pages with distinct URLs: ``rows`` is where each was first, ``of_row`` the vertex of each row, or None if
    every row is one."""

    hashes: Hashes
    rows: Numbers
    of_row: Numbers | None = field(repr=False)


def make_session(
    graph: Graph, out: Path, kind: str, sources: dict[str, Any], progress: Progress = quiet
) -> GraphSession:
    """Write a graph as the session ``out``; ``kind`` and ``sources`` say what it came from.

    Raises SourceError if it has no pages, SessionError if ``out`` is taken, OSError if it cannot be written.
    """
    if not graph.urls:
        raise SourceError(f"{', '.join(str(source) for source in sources.values() if source)}: no pages")
    if len(graph.urls) > _MOST_PAGES:
        raise SourceError(f"{len(graph.urls):,} pages are too many; {_MOST_PAGES:,} can be imported")
    vertices = _distinct_pages(graph.urls)
    first, second, self_links, repeated = _distinct_links(graph, vertices)
    prevent_pandas_import()
    with imported_session(out, kind, sources) as session:
        _write_pages(session, graph, vertices, progress)
        _write_links(session, vertices.hashes, first, second, progress)
    return GraphSession(
        pages=session.pages,
        links=session.links,
        bytes=session.bytes,
        merged=len(graph.urls) - session.pages,
        self_links=self_links,
        repeated=repeated,
    )


def _distinct_pages(urls: list[str]) -> _Vertices:
    hashes = url_hashes(urls)
    distinct, rows, of_row = np.unique(hashes, return_index=True, return_inverse=True)
    if len(distinct) == len(hashes):
        return _Vertices(hashes, np.arange(len(hashes)), None)
    order = np.argsort(rows)  # as they came, not as their hashes are
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return _Vertices(distinct[order], rows[order], place[of_row])


def _distinct_links(graph: Graph, vertices: _Vertices) -> tuple[Numbers, Numbers, int, int]:
    """Sources and targets of the distinct links, in order, and how many led to their own page or were repeated."""
    sources, targets = graph.sources, graph.targets
    if vertices.of_row is not None:
        sources, targets = vertices.of_row[sources], vertices.of_row[targets]
    count = np.int64(len(vertices.rows))
    pairs = sources.astype(np.int64) * count + targets
    pairs = pairs[sources != targets]
    self_links = len(sources) - len(pairs)
    if (pairs[1:] <= pairs[:-1]).any():
        pairs.sort()
        distinct = pairs[are_first(pairs)]
    else:
        distinct = pairs
    first, second = np.divmod(distinct, count)
    return first, second, self_links, len(pairs) - len(distinct)


def _sizes_of(vertices: _Vertices, sizes: Sizes) -> Sizes:
    """Bytes of each vertex: of its first row that tells them, else `PLAIN_BYTES`."""
    if vertices.of_row is None:
        found = sizes
    else:
        telling = np.flatnonzero(sizes != UNKNOWN)
        of_telling, first = np.unique(vertices.of_row[telling], return_index=True)
        found = np.full(len(vertices.rows), UNKNOWN)
        found[of_telling] = sizes[telling[first]]
    return np.where(found == UNKNOWN, PLAIN_BYTES, found)


def _write_pages(session: ImportedSession, graph: Graph, vertices: _Vertices, progress: Progress) -> None:
    sizes = _sizes_of(vertices, graph.sizes)
    total = len(vertices.rows)
    for start in range(0, total, _PAGES_PER_BATCH):
        batch = slice(start, start + _PAGES_PER_BATCH)
        urls = [graph.urls[row] for row in vertices.rows[batch].tolist()]
        hashes = vertices.hashes[batch]
        session.add_urls(hashes, urls)
        session.add_pages(_rows(session, urls, hashes, sizes[batch]))
        progress("writing pages", start + len(urls), total)


def _rows(session: ImportedSession, urls: list[str], hashes: Hashes, sizes: Sizes) -> pa.RecordBatch:
    """Pages of which URL and size are known; docs/formats.md says what stands in for the rest."""
    known = {"url": urls, "hash": hashes, "site": list(map(site_of, urls)), "bytes": sizes, "decoded_bytes": sizes}
    same = {"status": _STATUS, "fetched": session.started, "run": session.run}
    same |= dict.fromkeys(("milliseconds", "depth", "hops", "rank", "superstep"), 0)
    columns = [
        pa.array(known[column.name], column.type)
        if column.name in known
        else pa.repeat(pa.scalar(same.get(column.name), column.type), len(urls))
        for column in PAGES
    ]
    return pa.RecordBatch.from_arrays(columns, schema=PAGES)


def _write_links(
    session: ImportedSession, hashes: Hashes, sources: Numbers, targets: Numbers, progress: Progress
) -> None:
    for start in range(0, len(sources), _LINKS_PER_BATCH):
        batch = slice(start, start + _LINKS_PER_BATCH)
        count = len(sources[batch])
        session.add_links(hashes[sources[batch]], hashes[targets[batch]], np.zeros(count, np.uint8))
        progress("writing links", start + count, len(sources))
