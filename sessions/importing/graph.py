"""A graph of numbered pages as a session, in memory that grows with the pages but not with the links.

Links are sorted on disk, in a folder inside that of the session being made; it is gone before the session has its name.
A page costs some tens of bytes: its hash, its size, and what it takes to find pages that have one URL.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.hash_arrays import distinct
from sessions.importing.imported_session import ImportedSession, imported_session
from sessions.importing.page_list import PLAIN_BYTES, UNKNOWN, PageList, Sizes
from sessions.importing.source import SourceError
from sessions.progress import Progress, quiet
from sessions.schema import PAGES
from sessions.session import check_claimable
from sessions.storage.sorted_keys import KeySorter, SortedKeys
from sessions.storage.tables import ROWS_PER_GROUP
from sessions.storage.temporary_folder import scratch_folder
from sessions.url import Hashes, site_of

Numbers = npt.NDArray[np.int64]
Links = Iterable[tuple[npt.NDArray[Any], npt.NDArray[Any]]]
"""Batches of links: sources and targets, integers [m] each."""

_STATUS = 200
_LINKS_PER_BATCH = ROWS_PER_GROUP
_MOST_PAGES = 1 << 31  # so that a pair of page numbers goes into 64 bits


@dataclass(frozen=True)
class Graph:
    """Pages by number, and links between them, which can be gone through once.

    The ends of ``links`` are in 0..n-1, in any order, links to the page itself and repeated ones among them.
    """

    pages: PageList
    links: Links


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
    """The pages with distinct URLs, in the order of ``rows``, where each was first; ``of_row`` is the vertex of each
    row.  Both are None if every row is a vertex."""

    hashes: Hashes
    rows: Numbers | None = None
    of_row: Numbers | None = field(default=None, repr=False)


def make_session(
    read: Callable[[Path], Graph], out: Path, kind: str, sources: dict[str, Any], progress: Progress = quiet
) -> GraphSession:
    """Write a graph as the session ``out``; ``kind`` and ``sources`` say what it came from.

    ``read`` gives the graph; it may keep files in the folder that it is given, which is there until the session is
    written.  Raises what ``read`` and going through the links raise, SourceError if the graph has no pages,
    SessionError if ``out`` is taken, OSError if it cannot be written.
    """
    check_claimable(out)
    with imported_session(out, kind, sources) as session, scratch_folder(".scratch-", session.folder) as folder:
        graph = read(folder)
        if len(graph.pages) > _MOST_PAGES:
            raise SourceError(f"{len(graph.pages):,} pages are too many; {_MOST_PAGES:,} can be imported")
        vertices = _distinct_pages(graph.pages.hashes)
        links, self_links, repeated = _distinct_links(graph.links, vertices, folder)
        if not len(graph.pages):
            raise SourceError(f"{', '.join(str(source) for source in sources.values() if source)}: no pages")
        _write_pages(session, graph.pages, vertices, progress)
        _write_links(session, vertices.hashes, links, progress)
    return GraphSession(
        pages=session.pages,
        links=session.links,
        bytes=session.bytes,
        merged=len(graph.pages) - session.pages,
        self_links=self_links,
        repeated=repeated,
    )


def _distinct_pages(hashes: Hashes) -> _Vertices:
    if len(distinct(hashes)) == len(hashes):
        return _Vertices(hashes)
    _, rows, of_row = np.unique(hashes, return_index=True, return_inverse=True)
    order = np.argsort(rows)  # as they came, not as their hashes are
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return _Vertices(hashes[rows[order]], rows[order], place[of_row])


def _distinct_links(links: Links, vertices: _Vertices, folder: Path) -> tuple[SortedKeys, int, int]:
    """The distinct links as source x vertices + target, and how many led to their own page or were repeated."""
    count = np.int64(len(vertices.hashes))
    sorter = KeySorter(folder, "sorted")
    seen = 0
    for sources, targets in links:
        if vertices.of_row is not None:
            sources, targets = vertices.of_row[sources], vertices.of_row[targets]
        leaves = sources != targets
        sorter.add(sources[leaves].astype(np.int64) * count + targets[leaves])
        seen += len(sources)
    found = sorter.sorted()
    return found, seen - sorter.added, sorter.added - found.count


def _sizes_of(vertices: _Vertices, sizes: Sizes) -> Sizes:
    """Bytes of each vertex: of its first row that tells them, else `PLAIN_BYTES`."""
    if vertices.of_row is None:
        found = sizes
    else:
        telling = np.flatnonzero(sizes != UNKNOWN)
        of_telling, first = np.unique(vertices.of_row[telling], return_index=True)
        found = np.full(len(vertices.hashes), UNKNOWN)
        found[of_telling] = sizes[telling[first]]
    return np.where(found == UNKNOWN, PLAIN_BYTES, found)


def _write_pages(session: ImportedSession, pages: PageList, vertices: _Vertices, progress: Progress) -> None:
    sizes = _sizes_of(vertices, pages.sizes)
    total, first = len(vertices.hashes), 0
    for urls in pages.urls() if vertices.rows is None else _at_rows(pages.urls(), vertices.rows):
        batch = slice(first, first + len(urls))
        session.add_urls(vertices.hashes[batch], urls)
        session.add_pages(_rows(session, urls, vertices.hashes[batch], sizes[batch]))
        first += len(urls)
        progress("writing pages", first, total)


def _at_rows(batches: Iterator[list[str]], rows: Numbers) -> Iterator[list[str]]:
    """Yield what stands at some rows, ascending, of all batches together."""
    begin = 0
    for batch in batches:
        first, last = np.searchsorted(rows, [begin, begin + len(batch)])
        if first < last:
            yield [batch[row - begin] for row in rows[first:last].tolist()]
        begin += len(batch)


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


def _write_links(session: ImportedSession, hashes: Hashes, links: SortedKeys, progress: Progress) -> None:
    count, done = np.int64(len(hashes)), 0
    for keys in links.blocks(_LINKS_PER_BATCH):
        sources, targets = np.divmod(keys, count)
        session.add_links(hashes[sources], hashes[targets], np.zeros(len(keys), np.uint8))
        done += len(keys)
        progress("writing links", done, links.count)
