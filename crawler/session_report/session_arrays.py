"""The fetches, pages and links of a session as arrays, from which the figures of a report are computed.

Memory is in proportion to the session: some 80 bytes a fetch, 16 a known URL, and 60 a link while links are sorted.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crawler.session_report.report_figure import NotKnownError
from sessions.hash_arrays import distinct, firsts, hashes_of, places
from sessions.session import Session
from sessions.storage.tables import read_table
from sessions.url import Hashes, domain_of, site_of

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_GRAPHS = ("edges", "webgraph")
_COLUMNS = (
    "hash",
    "site",
    "status",
    "bytes",
    "content_digest",
    "fetched",
    "depth",
    "rank",
    "superstep",
    "truncated",
    "error",
)
_SITE = r"^https?://(?P<site>[^/?]*)"
NO_TIME = np.iinfo(np.int64).min


@dataclass(frozen=True)
class FetchArrays:
    """The r fetches of a session in its order.

    Attributes:
        page: which page, int64[r], a place in `SessionArrays.hashes`.
        site: which site, int64[r], a place in `SessionArrays.site_names`.
        status, bytes, depth, rank, superstep: as in the pages table, int64[r].
        time: start in microseconds since 1970, int64[r], or `NO_TIME`.
        digest: the first 8 bytes of the digest of a body that was read in full, uint64[r], 0 if it is not known.
    """

    page: Numbers
    site: Numbers
    status: Numbers
    bytes: Numbers
    depth: Numbers
    rank: Numbers
    superstep: Numbers
    time: Numbers
    digest: Hashes


@dataclass(frozen=True)
class LinkArrays:
    """The m distinct links of n pages, sorted by source, then target: int64[m] each.

    ``targets`` below n are pages; from there on they are `SessionArrays.other_hashes`.  A link of a page to itself is
    none.
    """

    sources: Numbers
    targets: Numbers


class SessionArrays:
    """A session that was opened, and its arrays, each of which is made when it is asked for first."""

    def __init__(self, session: Session, name: str) -> None:
        self.session = session
        self.name = name
        asked = session.header["configuration"]
        self.is_imported = "import" in asked
        self.is_graph = asked.get("import") in _GRAPHS
        self.is_replay = "replay" in asked

    @cached_property
    def fetches(self) -> FetchArrays:
        """All fetches."""
        return self._pages[0]

    @cached_property
    def hashes(self) -> Hashes:
        """The pages, ascending: uint64[n]."""
        return self._pages[1]

    @cached_property
    def site_names(self) -> list[str]:
        """The sites that pages are on."""
        return self._pages[2]

    @cached_property
    def page_sites(self) -> Numbers:
        """The site of each page, int64[n]."""
        sites = np.zeros(len(self.hashes), np.int64)
        sites[self.fetches.page] = self.fetches.site
        return sites

    @cached_property
    def first_rows(self) -> Numbers:
        """The row of each page's first fetch, in the order of the crawl: int64[n].

        That is the order of times, in a replay, whose times are those of the recording, of supersteps.  Raises
        NotKnownError if nothing tells in what order pages were fetched.
        """
        order = np.argsort(self.fetches.superstep, kind="stable") if self.is_replay else self.rows_by_time
        return order[firsts(self.fetches.page[order])]

    @cached_property
    def rows_by_time(self) -> Numbers:
        """All rows by their times, equal ones as they stand in the session: int64[r].  Raises NotKnownError, too."""
        if self.is_replay:
            raise NotKnownError("it was replayed, and has the times of the recording")
        time = self.fetches.time
        if self.is_graph or (time == NO_TIME).any() or (time == time[0]).all():
            raise NotKnownError("nothing tells in what order its pages were fetched")
        return np.argsort(time, kind="stable")

    @cached_property
    def last_status(self) -> Numbers:
        """What each page was answered with the last time, in the session's order: int64[n]."""
        statuses = np.zeros(len(self.hashes), np.int64)
        statuses[self.fetches.page] = self.fetches.status
        return statuses

    @cached_property
    def other_hashes(self) -> Hashes:
        """The URLs that links lead to or that were discovered, and that have no page, ascending: uint64[u]."""
        discovered = [hashes_of(batch, "hash") for batch in self.session.batches("urls", ["hash"])]
        known = distinct(np.concatenate([*discovered, self._raw_links[1]]))
        return known[places(known, self.hashes) < 0]

    @cached_property
    def _raw_links(self) -> tuple[Numbers, Hashes]:
        """Source pages and target hashes as they were recorded, without those of a page to itself."""
        sources, targets = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
        for batch in self.session.batches("links", ["source", "target"]):
            source, target = hashes_of(batch, "source"), hashes_of(batch, "target")
            pages = places(source, self.hashes)
            is_link = (pages >= 0) & (source != target)
            sources.append(pages[is_link])
            targets.append(target[is_link])
        return np.concatenate(sources), np.concatenate(targets)

    @cached_property
    def links(self) -> LinkArrays:
        """All distinct links."""
        pages, (sources, targets) = len(self.hashes), self._raw_links
        place = places(targets, self.hashes)
        is_other = place < 0
        place[is_other] = pages + places(targets[is_other], self.other_hashes)
        count = max(1, pages + len(self.other_hashes))
        source, target = np.divmod(distinct(sources * count + place), count)
        del self._raw_links
        return LinkArrays(source, target)

    @cached_property
    def between_pages(self) -> LinkArrays:
        """The distinct links between pages."""
        links = self.links
        is_between = links.targets < len(self.hashes)
        return LinkArrays(links.sources[is_between], links.targets[is_between])

    @cached_property
    def in_degrees(self) -> Numbers:
        """Back-links of each page, int64[n]."""
        return np.bincount(self.between_pages.targets, minlength=len(self.hashes)).astype(np.int64)

    @cached_property
    def out_degrees(self) -> Numbers:
        """Links of each page, int64[n]."""
        return np.bincount(self.links.sources, minlength=len(self.hashes)).astype(np.int64)

    def sites_of_others(self) -> tuple[list[str], Numbers]:
        """The sites of `other_hashes`: names, and a place in them for each, int64[u], -1 where no text is known."""
        names: dict[str, int] = {}
        sites = np.full(len(self.other_hashes), -1, np.int64)
        for batch in self.session.batches("urls", ["hash", "url"]):
            place = places(hashes_of(batch, "hash"), self.other_hashes)
            here = place >= 0
            found = pc.struct_field(pc.extract_regex(batch["url"].filter(pa.array(here)), _SITE), "site")
            encoded = found.dictionary_encode()
            numbers = np.array(
                [names.setdefault(name, len(names)) for name in encoded.dictionary.to_pylist()], np.int64
            )
            sites[place[here]] = numbers[encoded.indices.to_numpy()]
        return list(names), sites

    def named_by_epoch(self) -> dict[int, int]:
        """URLs that were discovered without a link to them, of depth 0, by epoch."""
        files_by_epoch = sorted(self.session.table_files("urls"), key=lambda file: file.epoch)
        return {
            epoch: sum(
                int(pc.sum(pc.equal(table["depth"], 0)).as_py() or 0)
                for table in (read_table("urls", [file.path], ["depth"]) for file in files)
            )
            for epoch, files in groupby(files_by_epoch, key=lambda file: file.epoch)
        }

    def urls_of(self, pages: Numbers) -> list[str]:
        """The URLs of these pages, in their order."""
        wanted = self.hashes[pages]
        order = np.argsort(wanted)
        urls = [""] * len(pages)
        for batch in self.session.batches("pages", ["hash", "url"]):
            place = places(hashes_of(batch, "hash"), wanted[order])
            rows = np.flatnonzero(place >= 0)
            for row, url in zip(rows.tolist(), batch["url"].take(pa.array(rows)).to_pylist(), strict=True):
                urls[int(order[place[row]])] = url
        return urls

    @cached_property
    def _pages(self) -> tuple[FetchArrays, Hashes, list[str]]:
        """Fetches, pages and sites, from the pages table read once."""
        pages = self.session.read("pages", _COLUMNS)
        hashes = hashes_of(pages, "hash")
        each = distinct(hashes)
        names, site = self._sites(pages)
        fetches = FetchArrays(
            page=places(hashes, each),
            site=site,
            status=_whole(pages["status"]),
            bytes=_whole(pages["bytes"]),
            depth=_whole(pages["depth"]),
            rank=_whole(pages["rank"]),
            superstep=_whole(pages["superstep"]),
            time=pc.fill_null(pages["fetched"].cast(pa.int64()), NO_TIME).to_numpy(),
            digest=_digests(pages),
        )
        return fetches, each, names

    def _sites(self, pages: pa.Table) -> tuple[list[str], Numbers]:
        """The names of sites, and the site of each fetch; older sessions have only URLs."""
        column = pages["site"]
        if column.null_count:
            urls = self.session.read("pages", ["url"])["url"].to_pylist()
            column = pa.chunked_array([[site_of(url) for url in urls]], pa.string())
        encoded = pa.array(column.combine_chunks()).dictionary_encode()
        return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def domains_of(sites: list[str]) -> tuple[list[str], Numbers]:
    """The pay-level domains of sites: names, and a place in them for each site."""
    names: dict[str, int] = {}
    places_ = np.array([names.setdefault(domain_of(site), len(names)) for site in sites], np.int64)
    return list(names), places_


def _whole(column: pa.ChunkedArray) -> Numbers:
    numbers: Numbers = pc.fill_null(column.cast(pa.int64()), 0).to_numpy()
    return numbers


def _digests(pages: pa.Table) -> Hashes:
    is_whole = pc.and_(pc.is_null(pages["truncated"]), pc.is_null(pages["error"]))
    column = pc.if_else(is_whole, pages["content_digest"], None).combine_chunks()
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    first = pc.binary_slice(pc.fill_null(column.cast(pa.binary()), b"\0" * 20), 0, 8)
    return np.frombuffer(b"".join(first.to_pylist()), np.uint64)
