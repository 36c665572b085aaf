"""The session before this one: what a server is asked with, so that it need not send again what has not changed.

RFC 9110, section 13: If-None-Match with the ETag, If-Modified-Since with the Last-Modified that came with the page.
If the server answers 304 (Not Modified), the page's facts and links are taken from here.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crawler.urls.batch import Mask
from crawler.urls.targets import ListedTargets, PageTargets
from sessions.hash_arrays import are_last, place_of, places
from sessions.schema import TABLES, UNFOLLOWED
from sessions.session import Session
from sessions.storage.tables import read_table
from sessions.url import Hashes

_OK, _NOT_MODIFIED = 200, 304
_ENTITY_TAG = re.compile(
    r'(?:W/)?"[\x21\x23-\x7e]{0,1024}"|[\x21\x23-\x29\x2b\x2d-\x7e][\x21\x23-\x2b\x2d-\x7e]{0,1024}'
)
"""As RFC 9110, section 8.8.3, has it; or without its quotes, as some servers write it; but never an asterisk."""
_DATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ,:+-]{0,63}")

_FACTS = (
    "decoded_bytes",
    "content_type",
    "content_encoding",
    "content_digest",
    "etag",
    "last_modified",
    "simhash",
    "noindex",
    "nofollow",
)
_LOOKED_AT = ("url", "hash", "status", "fetched", "unchanged_since", "truncated", "error", *_FACTS)
_KEPT = ("hash", "fetched", *_FACTS)

IsMine = Callable[[Hashes, Sequence[str]], Mask]
"""Which URLs this rank owns: bool[n], by hash and canonical form."""


class PreviousPage(NamedTuple):
    """What the previous session knows of a page, in the columns of its pages table.

    ``facts`` are those that hold as long as the page does not change; ``fetched`` is the start of the fetch that
    brought the page itself.
    """

    facts: dict[str, Any]
    fetched: datetime


class Previous:
    """The pages of a session that this rank may ask for again, with their links.

    It holds those that came whole, with status 200 (or unchanged since then) and an ETag or a Last-Modified:
    some 200 bytes a page and, for each page that they link to, its URL; for each link 13 bytes.
    """

    def __init__(self, pages: pa.Table, links: "_Links") -> None:
        self._hashes: Hashes = pages["hash"].to_numpy()
        self._columns = {name: pages[name].chunk(0) for name in ("fetched", *_FACTS)} if len(pages) else {}
        self._links = links

    @classmethod
    def open(cls, path: Path, is_mine: IsMine) -> "Previous":
        """Load what this rank owns of a session.  Raises SessionError if ``path`` is none."""
        session = Session.open(path)
        by_rank = [_pages(session, rank, is_mine) for rank in range(session.most_ranks)]
        pages, ranks = _last_fetches(by_rank)
        hashes = pages["hash"].to_numpy()
        return cls(pages, _Links.load(session, [hashes[ranks == rank] for rank in range(session.most_ranks)]))

    def __len__(self) -> int:
        return len(self._hashes)

    def headers(self, url_hash: int) -> tuple[str, ...]:
        """The header lines that make a request for a page conditional; none if there is nothing to go by."""
        row = place_of(url_hash, self._hashes)
        if row is None:
            return ()
        etag, date = self._columns["etag"][row].as_py(), self._columns["last_modified"][row].as_py()
        lines = []
        if etag is not None and _ENTITY_TAG.fullmatch(etag):
            lines.append(f"If-None-Match: {etag}")
        if date is not None and _DATE.fullmatch(date):
            lines.append(f"If-Modified-Since: {date}")
        return tuple(lines)

    def page(self, url_hash: int) -> PreviousPage | None:
        """What is known of a page, None if it is not there."""
        row = place_of(url_hash, self._hashes)
        if row is None:
            return None
        values = {name: column[row].as_py() for name, column in self._columns.items()}
        return PreviousPage({name: values[name] for name in _FACTS}, values["fetched"])

    def links(self, url_hash: int) -> PageTargets:
        """The links that a page had, as far as the previous session recorded them."""
        return self._links.of(url_hash)


class _Links:
    """Links sorted by source: ``numbers`` says which of the URLs each leads to."""

    def __init__(
        self, sources: Hashes, numbers: npt.NDArray[np.intp], flags: npt.NDArray[np.uint8], urls: pa.Array
    ) -> None:
        self._sources = sources
        self._numbers = numbers
        self._flags = flags
        self._urls = urls

    @classmethod
    def load(cls, session: Session, sources_by_rank: Sequence[Hashes]) -> "_Links":
        """The links of these pages (sorted hashes), each as the rank recorded them that fetched the page."""
        parts = [_links_from(session, rank, sources) for rank, sources in enumerate(sources_by_rank)]
        sources, targets, flags = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        hashes, urls = _urls_of(session, np.unique(targets))
        numbers, known = _found(targets, hashes)
        order = np.argsort(sources[known], kind="stable")
        known = known[order]
        return cls(sources[known], numbers[order], flags[known] & np.uint8(~UNFOLLOWED & 0xFF), urls)

    def of(self, source: int) -> PageTargets:
        start, stop = (int(np.searchsorted(self._sources, np.uint64(source), side)) for side in ("left", "right"))
        of_page = slice(start, stop)
        urls = self._urls.take(pa.array(self._numbers[of_page])).to_pylist()
        return PageTargets(ListedTargets(urls), self._flags[of_page])


def _pages(session: Session, rank: int, is_mine: IsMine) -> pa.Table:
    """The pages that a rank of the session fetched and this one may ask for again."""
    kept = pa.schema([_wide(TABLES["pages"].field(name)) for name in _KEPT])
    parts = [kept.empty_table()]
    for file in session.table_files("pages"):
        if file.rank == rank:
            rows = read_table("pages", [file.path], _LOOKED_AT)
            rows = rows.filter(_can_be_asked_for(rows))
            rows = rows.filter(pa.array(is_mine(rows["hash"].to_numpy(), rows["url"].to_pylist())))
            fetched = pc.coalesce(rows["unchanged_since"], rows["fetched"])
            rows = rows.set_column(rows.schema.get_field_index("fetched"), "fetched", fetched)
            parts.append(rows.select(_KEPT).cast(kept))
    return pa.concat_tables(parts)


def _can_be_asked_for(rows: pa.Table) -> pa.ChunkedArray:
    """Which pages came whole, now or earlier, with something to tell by whether they have changed: bool[n]."""
    is_unchanged = pc.and_(pc.equal(rows["status"], _NOT_MODIFIED), pc.is_valid(rows["unchanged_since"]))
    came = pc.or_(pc.equal(rows["status"], _OK), is_unchanged)
    is_whole = pc.and_(pc.is_null(rows["truncated"]), pc.is_null(rows["error"]))
    can_tell = pc.or_(pc.is_valid(rows["etag"]), pc.is_valid(rows["last_modified"]))
    return pc.and_(pc.and_(came, is_whole), can_tell)


def _wide(field: pa.Field) -> pa.Field:
    """A column as it is held: of strings there may be more than 2 GiB."""
    return field.with_type(pa.large_string()) if field.type == pa.string() else field


def _last_fetches(by_rank: Sequence[pa.Table]) -> tuple[pa.Table, npt.NDArray[np.intp]]:
    """Each page once, as it was fetched last, sorted by hash; and the rank that fetched it."""
    rows = pa.concat_tables(by_rank)
    hashes, fetched = rows["hash"].to_numpy(), rows["fetched"].cast(pa.int64()).to_numpy()
    order = np.lexsort((fetched, hashes))
    order = order[are_last(hashes[order])]
    ranks = np.repeat(np.arange(len(by_rank)), [len(of_rank) for of_rank in by_rank])
    return rows.take(order).combine_chunks(), ranks[order]


def _links_from(session: Session, rank: int, sources: Hashes) -> tuple[Hashes, Hashes, npt.NDArray[np.uint8]]:
    """Source, target and flags of the links that a rank recorded from these pages (sorted)."""
    parts = [(np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.uint8))]
    for file in session.table_files("links"):
        if file.rank == rank and len(sources):
            rows = read_table("links", [file.path])
            source, target, flags = (rows[name].to_numpy() for name in ("source", "target", "flags"))
            wanted = _found(source, sources)[1]
            parts.append((source[wanted], target[wanted], flags[wanted]))
    sources, targets, flags = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return sources, targets, flags


def _urls_of(session: Session, wanted: Hashes) -> tuple[Hashes, pa.Array]:
    """Those of the wanted URLs (sorted hashes) that the session discovered: hashes, sorted, and strings."""
    hashes, urls = [np.empty(0, np.uint64)], [pa.array([], pa.large_string())]
    for file in session.table_files("urls"):
        rows = read_table("urls", [file.path])
        found = _found(rows["hash"].to_numpy(), wanted)[1]
        hashes.append(rows["hash"].to_numpy()[found])
        urls.append(rows["url"].cast(pa.large_string()).take(pa.array(found)).combine_chunks())
    distinct, first = np.unique(np.concatenate(hashes), return_index=True)
    return distinct, pa.concat_arrays(urls).take(pa.array(first))


def _found(hashes: Hashes, known: Hashes) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The places in ``known``, which is sorted, of those hashes that are there, and their places among the hashes."""
    of_each = places(hashes, known)
    found = np.flatnonzero(of_each >= 0)
    return of_each[found], found
