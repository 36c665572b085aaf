"""A session's graph for an export: some numbers a page in memory, URLs in the session's tables, links sorted on disk.

It is the graph of `partition.graphs.link_graph`, with the same numbers of pages and the same costs, made without
holding URLs or links.  What it holds is 24 bytes a page, or 32 if pages were fetched again, and the names of sites; 12
bytes a page and 9 a URL that was only seen come on top while links are read, and some 40 bytes a page for a moment
while pages are numbered.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from partition.export.streamed_table import ROWS_PER_BLOCK, StreamedTable, reblocked
from partition.graphs.link_graph import PLACEHOLDER_HOST, GraphError, Numbers
from sessions.hash_arrays import distinct, firsts, hashes_of, places
from sessions.session import Session, damage_told
from sessions.storage.sorted_keys import KeySorter, SortedKeys
from sessions.url import Hashes, site_of

_READ = ("hash", "url", "site", "bytes", "status", "depth")
_NOT_KNOWN = -1
_MOST_PAGES = 1 << 31  # so that a pair of page numbers, and a direction, go into 64 bits
_PAGE_COLUMNS = pa.schema(
    [
        ("url", pa.large_string()),
        ("site", pa.large_string()),
        *((name, pa.int64()) for name in ("bytes", "requests", "status", "depth")),
    ]
)

Small = npt.NDArray[np.int32]


@dataclass(frozen=True)
class SessionGraph:
    """n pages that were downloaded, and the distinct links between them.

    Attributes:
        session: where they are.
        rows: the rows of the pages table in which pages stand first, int64[n], ascending; pages are numbered so.  None
            if every row is another page.
        bytes: of each page's last fetch, int64[n], 0 where they are not known.
        statuses, depths: of each page's last fetch, int32[n], -1 where they are not known.
        url_bytes: what a link to each page costs, int32[n]: the length of its URL, or 1 if it has none of its own.
        sites: the number of each page's site, int32[n], an index into ``site_names``.
        links: the distinct links as source x n + target.
        links_left_out, urls_left_out: how many links lead to how many URLs that were not downloaded.
    """

    session: Session
    rows: Numbers | None = field(repr=False)
    bytes: Numbers = field(repr=False)
    statuses: Small = field(repr=False)
    depths: Small = field(repr=False)
    url_bytes: Small = field(repr=False)
    sites: Small = field(repr=False)
    site_names: list[str] = field(repr=False)
    links: SortedKeys = field(repr=False)
    links_left_out: int
    urls_left_out: int

    def __len__(self) -> int:
        return len(self.bytes)

    @property
    def has_urls(self) -> bool:
        """Do the URLs mean anything?  False if the pages were imported as bare numbers."""
        return self.site_names != [PLACEHOLDER_HOST]

    @property
    def weights(self) -> Numbers:
        """Bytes and requests of each page, int64[n, 2]."""
        return np.stack([self.bytes, np.ones(len(self), np.int64)], axis=1)

    def ends(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield sources and targets of the links, by source, then target: int64 each."""
        for keys in self.links.blocks():
            sources, targets = np.divmod(keys, np.int64(len(self)))
            yield sources, targets

    def urls(self) -> Iterator[pa.Array]:
        """Yield the pages' URLs in order, some at a time: `pa.large_string`."""
        with damage_told(self.session.path):
            for batch in _at_rows(self.session.batches("pages", ["url"]), self.rows):
                yield batch["url"].cast(pa.large_string())

    @property
    def page_rows(self) -> StreamedTable:
        """Columns url, site, bytes, requests, status, depth."""
        return StreamedTable(_PAGE_COLUMNS, len(self), lambda: reblocked(self._page_batches()))

    def _page_batches(self) -> Iterator[pa.RecordBatch]:
        first = 0
        names = pa.array(self.site_names, pa.large_string())
        for urls in self.urls():
            these = slice(first, first + len(urls))
            columns = [
                urls,
                names.take(pa.array(self.sites[these])),
                pa.array(self.bytes[these]),
                pa.array(np.ones(len(urls), np.int64)),
                *(_if_known(numbers[these]) for numbers in (self.statuses, self.depths)),
            ]
            yield pa.record_batch(columns, _PAGE_COLUMNS)
            first += len(urls)


def session_graph(session: Session, folder: Path) -> SessionGraph:
    """Read a session's graph; its links are in files in ``folder`` for as long as it is used.

    Raises GraphError if it has no pages, SessionError if its files are damaged, OSError if ``folder`` is full.
    """
    with damage_told(session.path):
        numbering, rows = _numbered(session)
        facts = _Facts(numbering)
        for batch in session.batches("pages", _READ):
            facts.take(batch)
        others = _urls_only_seen(session, numbering)
    links, left_out, urls_left_out = _sorted_links(session, numbering, others, folder)
    pa.default_memory_pool().release_unused()
    has_urls = list(facts.site_numbers) != [PLACEHOLDER_HOST]
    return SessionGraph(
        session,
        rows,
        facts.bytes,
        facts.statuses,
        facts.depths,
        facts.url_bytes if has_urls else np.ones_like(facts.url_bytes),
        facts.sites,
        list(facts.site_numbers),
        links,
        left_out,
        urls_left_out,
    )


@dataclass(frozen=True)
class _Numbering:
    """Numbers of n pages by their hashes: ``ascending``, uint64[n], and the number of each, int32[n]."""

    ascending: Hashes
    numbers: Small

    def of(self, hashes: Hashes) -> Numbers:
        """The number of the page of each hash, -1 if there is no such page."""
        at = places(hashes, self.ascending)
        return np.where(at >= 0, self.numbers[at], -1)


def _numbered(session: Session) -> tuple[_Numbering, Numbers | None]:
    """The numbers of the pages, and the rows in which they stand first, or None if no row repeats one."""
    pieces = [hashes_of(batch, "hash") for batch in session.batches("pages", ["hash"])]
    hashes = np.concatenate([np.empty(0, np.uint64), *pieces])
    if not len(hashes):
        raise GraphError(f"{session.path}: no pages were downloaded, so there is nothing to export")
    if len(hashes) > _MOST_PAGES:
        raise GraphError(f"{session.path}: {len(hashes):,} pages are too many; {_MOST_PAGES:,} can be exported")
    rows = None
    if len(distinct(hashes)) < len(hashes):
        rows = firsts(hashes)
        hashes = hashes[rows]
    order = np.argsort(hashes)
    return _Numbering(hashes[order], order.astype(np.int32)), rows


class _Facts:
    """What is held of each page (see `SessionGraph`); rows of the pages table are taken in order."""

    def __init__(self, numbering: _Numbering) -> None:
        count = len(numbering.numbers)
        self._numbering = numbering
        self.bytes = np.zeros(count, np.int64)
        self.statuses, self.depths, self.url_bytes = (np.empty(count, np.int32) for _ in range(3))
        self.sites = np.full(count, -1, np.int32)
        self.site_numbers: dict[str, int] = {}

    def take(self, rows: pa.RecordBatch) -> None:
        """Take rows; of a page that was taken before, only what its last fetch told."""
        pages = self._numbering.of(hashes_of(rows, "hash"))
        # Of entries for one page, numpy keeps the last.
        self.bytes[pages] = np.maximum(pc.fill_null(rows["bytes"], 0).to_numpy(), 0)
        self.statuses[pages] = pc.fill_null(rows["status"].cast(pa.int32()), _NOT_KNOWN).to_numpy()
        self.depths[pages] = pc.fill_null(rows["depth"].cast(pa.int32()), _NOT_KNOWN).to_numpy()
        self.url_bytes[pages] = pc.binary_length(rows["url"]).to_numpy()
        self._take_sites(pages, rows)

    def _take_sites(self, pages: Numbers, rows: pa.RecordBatch) -> None:
        new = firsts(pages)
        new = new[self.sites[pages[new]] < 0]
        sites = rows["site"].take(pa.array(new))
        if sites.null_count:
            sites = pa.array(map(site_of, rows["url"].take(pa.array(new)).to_pylist()))
        encoded = sites.dictionary_encode()
        names = encoded.dictionary.to_pylist()
        numbers = [self.site_numbers.setdefault(name, len(self.site_numbers)) for name in names]
        self.sites[pages[new]] = np.array(numbers, np.int32)[encoded.indices.to_numpy()]


def _sorted_links(session: Session, numbering: _Numbering, others: Hashes, folder: Path) -> tuple[SortedKeys, int, int]:
    """The distinct links between pages; how many distinct links lead to how many of the other URLs."""
    are_linked = np.zeros(len(others), np.bool_)
    inside, outside = KeySorter(folder, "links"), KeySorter(folder, "links-left-out")
    pages, urls = np.int64(len(numbering.numbers)), np.int64(len(others))
    for from_hashes, to_hashes in _links(session):
        sources, targets = numbering.of(from_hashes), numbering.of(to_hashes)
        is_link = (sources >= 0) & (from_hashes != to_hashes)
        is_inside = is_link & (targets >= 0)
        inside.add(sources[is_inside] * pages + targets[is_inside])
        leads_out = np.flatnonzero(is_link & (targets < 0))
        seen = places(to_hashes[leads_out], others)
        is_known = seen >= 0
        are_linked[seen[is_known]] = True
        outside.add(sources[leads_out[is_known]] * urls + seen[is_known])
    return inside.sorted(), outside.sorted().count, int(are_linked.sum())


def _links(session: Session) -> Iterator[tuple[Hashes, Hashes]]:
    """Yield sources and targets of the rows of the links table; only what reading raises is damage, not a full disk."""
    with damage_told(session.path):
        for batch in session.batches("links", ["source", "target"], rows=ROWS_PER_BLOCK):
            yield hashes_of(batch, "source"), hashes_of(batch, "target")


def _urls_only_seen(session: Session, numbering: _Numbering) -> Hashes:
    """Hashes of the URLs that were discovered and not downloaded, ascending."""
    found = [np.empty(0, np.uint64)]
    for batch in session.batches("urls", ["hash"]):
        hashes = hashes_of(batch, "hash")
        found.append(hashes[numbering.of(hashes) < 0])
    return distinct(np.concatenate(found))


def _at_rows(batches: Iterator[pa.RecordBatch], rows: Numbers | None) -> Iterator[pa.RecordBatch]:
    """Yield what stands at some rows, ascending, of all batches together; at all of them if None."""
    begin = 0
    for batch in batches:
        if rows is None:
            yield batch
        else:
            first, last = np.searchsorted(rows, [begin, begin + batch.num_rows])
            yield batch.take(pa.array(rows[first:last] - begin))
        begin += batch.num_rows


def _if_known(numbers: Small) -> pa.Array:
    """The numbers, int64, null where they are not known."""
    return pa.array(numbers, pa.int64(), mask=numbers == _NOT_KNOWN)
