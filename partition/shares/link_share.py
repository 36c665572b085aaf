"""A rank's share of a session's link graph: a stretch of its pages, and all links that lead there.

Each rank reads every R-th row group of the tables.  A page's rows meet at its *directory*, the rank that its hash
names, which tells the first of them from repeats and knows the bytes of the last fetch, and how many rows of links lead
to or from it.  A page then goes to the rank in whose stretch of `page_order` it lies, and pages are numbered along that
order; stretches have about as many links.  The directory turns the hashes at
the ends of links into numbers, and a link goes to the rank that has its target.  What comes out is the graph of
`partition.graphs.link_graph`, but for the order of its pages and the URLs that were only seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from partition.choices import BALANCED
from partition.communication.ranks import Ranks, owners_by_range
from partition.graphs.link_graph import GraphError, Numbers
from partition.shares.page_order import are_stand_ins, order_keys, site_keys, stretches
from sessions.hash_arrays import are_first, are_last, distinct, places
from sessions.session import Session, damage_told
from sessions.url import Hashes

_MOST_PENDING = 1 << 22
_NO_HASHES = np.empty(0, np.uint64)
_NO_LINKS = (_NO_HASHES, _NO_HASHES)


@dataclass(frozen=True)
class LinkShare:
    """This rank's pages, and the links to them.

    Attributes:
        ranks: who has the other shares.
        offsets: int64[R + 1]; rank r has the pages from number ``offsets[r]`` up to ``offsets[r + 1]``.
        urls: canonical URLs of this rank's n pages, `pa.large_string`.
        hashes: their hashes, uint64[n].
        bytes: their lengths as received, int64[n].
        has_urls: False if the session's pages were imported as bare numbers.
        starts: int64[n + 1]; the pages that link to page i of this rank are
            ``sources[starts[i]:starts[i + 1]]``, ascending and distinct, not i itself.
        sources: numbers of pages of all ranks, int64.
        balanced: the names of ``weights``, of `partition.choices.BALANCED`.
    """

    ranks: Ranks
    offsets: Numbers
    urls: pa.Array
    hashes: Hashes
    bytes: Numbers
    has_urls: bool
    starts: Numbers
    sources: Numbers
    balanced: tuple[str, ...] = BALANCED

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def first(self) -> int:
        """The number of this rank's first page."""
        return int(self.offsets[self.ranks.rank])

    @property
    def pages(self) -> int:
        """How many pages all ranks have."""
        return int(self.offsets[-1])

    @cached_property
    def weights(self) -> Numbers:
        """What each page weighs, int64[n, w]: its bytes, and a request, as far as they are ``balanced``."""
        ones = np.ones(len(self), np.int64)
        return np.stack([{"storage": self.bytes, "requests": ones}[name] for name in self.balanced], axis=1)

    @cached_property
    def url_bytes(self) -> Numbers:
        """What a link to each page costs, int64[n]: the length of its URL, or 1 if it has none of its own."""
        return pc.binary_length(self.urls).to_numpy().astype(np.int64) if self.has_urls else np.ones(len(self), int)

    @property
    def targets(self) -> Numbers:
        """The page of this rank, from 0, that each of ``sources`` links to: int64."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def read_link_share(ranks: Ranks, session: Session, *, whole_sites: bool = False) -> LinkShare:
    """Read this rank's share of a session; with ``whole_sites`` no site has pages on two ranks, large as it may be.

    Raises on all ranks GraphError if there are no pages, SessionError if files are damaged.
    """
    with damage_told(session.path):
        urls, hashes, sizes, has_urls = _pages(ranks, session, whole_sites)
        offsets = ranks.offsets(len(hashes))
        if not offsets[-1]:
            raise GraphError(f"{session.path}: no pages were downloaded, so there is nothing to cut")
        directory = _Directory(ranks, hashes, np.arange(offsets[ranks.rank], offsets[ranks.rank + 1]))
        starts, sources = _links(ranks, session, directory, offsets)
    return LinkShare(ranks, offsets, urls, hashes, sizes, has_urls, starts, sources)


def _pages(ranks: Ranks, session: Session, whole_sites: bool) -> tuple[pa.Array, Hashes, Numbers, bool]:
    """URLs, hashes and bytes of the pages in this rank's stretch, in order; and whether any page has a URL."""
    urls, hashes, rows, sizes = ranks.each(lambda: _rows_of_pages(ranks, session))
    has_urls = not all(ranks.together(are_stand_ins(urls)))
    is_first, sizes = ranks.answered(_homes(ranks, hashes), _distinct_pages, hashes, rows, sizes)
    kept = np.flatnonzero(is_first)
    urls = urls.take(pa.array(kept))
    keys = site_keys(urls) if whole_sites and has_urls else order_keys(urls, has_urls=has_urls)
    owners = stretches(ranks, keys, 1 + _rows_of_ends(ranks, session, hashes[kept]))
    (hashes, sizes), _ = ranks.sent(owners, hashes[kept], sizes[kept])
    urls = ranks.sent_texts(owners, urls)
    keyed = pa.table({"key": order_keys(urls, has_urls=has_urls), "hash": hashes})
    order = pc.sort_indices(keyed, [("key", "ascending"), ("hash", "ascending")]).to_numpy()
    return urls.take(pa.array(order)), hashes[order], sizes[order], has_urls


def _rows_of_pages(ranks: Ranks, session: Session) -> tuple[pa.Array, Hashes, Numbers, Numbers]:
    """URL, hash, row number and bytes of each row in this rank's share of the pages table."""
    groups = list(session.row_groups("pages", ["url", "hash", "bytes"], ranks.rank, ranks.size))
    if not groups:
        return pa.array([], pa.large_string()), _NO_HASHES, np.empty(0, np.int64), np.empty(0, np.int64)
    table = pa.concat_tables([rows for _, rows in groups])
    rows = np.concatenate([np.arange(first, first + group.num_rows) for first, group in groups])
    sizes = np.maximum(pc.fill_null(table["bytes"], 0).to_numpy(), 0)
    return table["url"].cast(pa.large_string()).combine_chunks(), table["hash"].to_numpy(), rows, sizes


def _distinct_pages(hashes: Hashes, rows: Numbers, sizes: Numbers) -> tuple[npt.NDArray[np.bool_], Numbers]:
    """Which rows are the first of their page, and the bytes of the page's last row."""
    order = np.lexsort((rows, hashes))
    in_order = hashes[order]
    begins = are_first(in_order)
    is_first, last_sizes = np.empty(len(hashes), np.bool_), np.empty(len(hashes), np.int64)
    is_first[order] = begins
    last_sizes[order] = sizes[order][are_last(in_order)][np.cumsum(begins) - 1]
    return is_first, last_sizes


def _rows_of_ends(ranks: Ranks, session: Session, hashes: Hashes) -> Numbers:
    """How many rows of the links table lead from or to each of this rank's pages, int64[n]: about what it will hold."""
    counts = _Directory(ranks, hashes, np.zeros(len(hashes), np.int64))
    for sources, targets in ranks.in_step(_rows_of_links(ranks, session), _NO_LINKS):
        counts.add(*np.unique(np.concatenate([sources, targets]), return_counts=True))
    return counts.numbers(hashes)


class _Directory:
    """A number for each of all pages by their hashes, each kept by the rank that the hash names."""

    def __init__(self, ranks: Ranks, hashes: Hashes, numbers: Numbers) -> None:
        (self._hashes, self._numbers), _ = ranks.sent(_homes(ranks, hashes), hashes, numbers)
        order = np.argsort(self._hashes)
        self._hashes, self._numbers = self._hashes[order], self._numbers[order]
        self._ranks = ranks

    def numbers(self, hashes: Hashes) -> Numbers:
        """The number of each page, int64[n], -1 where there is no such page.  Each rank asks for its own."""
        wanted = distinct(hashes)
        (found,) = self._ranks.answered(_homes(self._ranks, wanted), self._answer, wanted)
        return found[np.searchsorted(wanted, hashes)]

    def add(self, hashes: Hashes, more: Numbers) -> None:
        """Add to the numbers of pages, each of which stands there once; those that are no pages are passed over."""
        (hashes, more), _ = self._ranks.sent(_homes(self._ranks, hashes), hashes, more)
        at = places(hashes, self._hashes)
        np.add.at(self._numbers, at[at >= 0], more[at >= 0])

    def _answer(self, hashes: Hashes) -> tuple[Numbers]:
        at = places(hashes, self._hashes)
        return (np.where(at >= 0, self._numbers[at], -1) if len(self._numbers) else at,)


def _homes(ranks: Ranks, hashes: Hashes) -> Numbers:
    """The rank in whose directory each page is."""
    return (hashes % np.uint64(ranks.size)).astype(np.int64)


def _links(ranks: Ranks, session: Session, directory: _Directory, offsets: Numbers) -> tuple[Numbers, Numbers]:
    """Where the links to each page of this rank begin, and their sources (see `LinkShare`)."""
    first, pages = int(offsets[ranks.rank]), int(offsets[-1])
    known, pending = np.empty(0, np.int64), np.empty(0, np.int64)
    for sources, targets in ranks.in_step(_rows_of_links(ranks, session), _NO_LINKS):
        numbers = directory.numbers(np.concatenate([sources, targets]))
        from_pages, to_pages = numbers[: len(sources)], numbers[len(sources) :]
        is_link = (from_pages >= 0) & (to_pages >= 0)
        owners = owners_by_range(to_pages[is_link], offsets)
        (came_from, came_to), _ = ranks.sent(owners, from_pages[is_link], to_pages[is_link])
        pending = np.concatenate([pending, (came_to - first) * pages + came_from])
        if len(pending) > max(_MOST_PENDING, len(known)):
            known, pending = distinct(np.concatenate([known, pending])), np.empty(0, np.int64)
    keys = distinct(np.concatenate([known, pending]))
    counts = np.bincount(keys // pages, minlength=int(offsets[ranks.rank + 1]) - first)
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64), keys % pages


def _rows_of_links(ranks: Ranks, session: Session) -> Iterator[tuple[Hashes, Hashes]]:
    """Yield sources and targets of this rank's share of the links table, without links to the page itself."""
    read = partial(session.row_groups, "links", ["source", "target"], ranks.rank, ranks.size)
    for _, table in read():
        sources, targets = table["source"].to_numpy(), table["target"].to_numpy()
        leaves = sources != targets
        yield sources[leaves], targets[leaves]
