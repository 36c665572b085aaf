"""A session's pages and links as arrays: the one thing that all models, measures and exports start from."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array

from partition.choices import BALANCED, WEIGHTS
from sessions.analysis.last_fetches import last_rows
from sessions.hash_arrays import distinct, firsts, places
from sessions.session import Session, damage_told
from sessions.url import Hashes, site_of

Numbers = npt.NDArray[np.int64]

PLACEHOLDER_HOST = "pages.invalid"
"""The site of pages that were imported without URLs: no structure can be read off such a URL."""


class GraphError(Exception):
    """A session that has no graph, or a graph that cannot be used so; the message is one line that says why."""


def too_many_parts_error(parts: int, count: int, unit: str) -> GraphError:
    """Return the error of a cut into more parts than there is to be cut: ``count`` of a ``unit``, in the plural."""
    return GraphError(f"{parts} parts of {count:,} {unit}: some would be empty; take {count:,} at most")


@dataclass(frozen=True)
class LinkGraph:
    """n pages that were downloaded, u URLs that were only seen, and the links between them.

    A link is a distinct (source, target) pair, source and target different, however often and with whatever flags it
    was recorded.  Its cost is the length in bytes of the target's canonical URL with scheme, which is what travels; or
    1 if the pages were imported without URLs (`has_urls`), for the length of a stand-in says nothing.

    Attributes:
        urls: the pages' canonical URLs, `pa.large_string` of length n; pages are numbered as they stand here.
        hashes: their hashes, uint64[n].
        bytes: length of each page's body as it was received, int64[n].
        sites: number of each page's site, int64[n], an index into ``site_names``.
        site_names: the sites.
        links: int64 CSR [n, n] with sorted columns, int32; the entry (source, target) is the link's cost.
        known_urls: URLs that were linked to and never downloaded, length u.
        known_hashes: their hashes, uint64[u].
        known_links: links from pages to those, int64 CSR [n, u].
        microseconds: what each page takes, int64[n] (`partition.graphs.site_seconds`); None if that is not known.
        balanced: names of the weights that parts are to share evenly (`partition.choices.WEIGHTS`).
    """

    urls: pa.Array
    hashes: Hashes
    bytes: Numbers
    sites: Numbers
    site_names: list[str]
    links: csr_array
    known_urls: pa.Array = field(repr=False)
    known_hashes: Hashes = field(repr=False)
    known_links: csr_array = field(repr=False)
    microseconds: Numbers | None = field(default=None, repr=False)
    balanced: tuple[str, ...] = BALANCED

    def __len__(self) -> int:
        return len(self.hashes)

    @cached_property
    def weights(self) -> Numbers:
        """What each page weighs, int64[n, w], a column for each of ``balanced``: bytes and requests by default.

        Raises GraphError if one of them is not known.
        """
        return np.stack([WEIGHTS.load(name).of_pages(self) for name in self.balanced], axis=1)

    @cached_property
    def url_bytes(self) -> Numbers:
        """What a link to each page costs, int64[n]: the length of its URL, or 1 if it has none of its own."""
        return _costs(self.urls, self.site_names)

    @cached_property
    def known_url_bytes(self) -> Numbers:
        """What a link to each URL only seen costs, int64[u]."""
        return _costs(self.known_urls, self.site_names)

    @cached_property
    def sources(self) -> Numbers:
        """The source page of each link, int64[links.nnz], in the order of ``links.indices`` (the targets)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.links.indptr))

    @cached_property
    def has_urls(self) -> bool:
        """Do the URLs mean anything?  False if the pages were imported as bare numbers."""
        return _mean_something(self.site_names)


def link_graph(session: Session) -> LinkGraph:
    """Read a session's graph.  Raises GraphError if it has no pages, SessionError if its files are damaged.

    A page that was fetched more than once is one vertex, with the bytes of the last fetch in the session's order.
    """
    with damage_told(session.path):
        graph = _read(session)
    pa.default_memory_pool().release_unused()  # of tables that were read, up to three times what is left of them
    return graph


def _read(session: Session) -> LinkGraph:
    pages = session.read("pages", ["url", "hash", "site", "bytes"])
    if not pages.num_rows:
        raise GraphError(f"{session.path}: no pages were downloaded, so there is nothing to cut")
    fetched = pages["hash"].to_numpy()
    first = firsts(fetched)
    hashes = fetched[first]
    by_hash = np.argsort(hashes)
    urls = pages["url"].cast(pa.large_string()).combine_chunks().take(pa.array(first))
    sites, site_names = _numbered_sites(pages["site"].combine_chunks().take(pa.array(first)), urls)
    sources, targets = _links(session, hashes, by_hash)
    pages_linked_to = places(targets, hashes, by_hash)
    known_urls, known_hashes = _urls_only_seen(session, targets[pages_linked_to < 0])
    known_linked_to = places(targets, known_hashes, np.argsort(known_hashes))
    return LinkGraph(
        urls,
        hashes,
        _bytes_of_last_fetch(pages, fetched, hashes),
        sites,
        site_names,
        _matrix(sources, pages_linked_to, _costs(urls, site_names), len(hashes)),
        known_urls,
        known_hashes,
        _matrix(sources, known_linked_to, _costs(known_urls, site_names), len(hashes)),
    )


def _bytes_of_last_fetch(pages: pa.Table, fetched: Hashes, hashes: Hashes) -> Numbers:
    """Body length of each page, int64[n]; a length that is not known counts as 0."""
    last = last_rows(fetched)
    lengths: Numbers = np.maximum(pc.fill_null(pages["bytes"], 0).to_numpy()[last], 0)
    return lengths[places(hashes, fetched[last])]


def _numbered_sites(sites: pa.Array, urls: pa.Array) -> tuple[Numbers, list[str]]:
    if sites.null_count:
        sites = pa.array([site_of(url) for url in urls.to_pylist()])
    encoded = sites.dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def _links(session: Session, hashes: Hashes, by_hash: Numbers) -> tuple[Numbers, Hashes]:
    """Source page and target hash of the links that leave downloaded pages; they may still repeat."""
    table = session.read("links", ["source", "target"])
    sources, targets = table["source"].to_numpy(), table["target"].to_numpy()
    positions = places(sources, hashes, by_hash)
    is_link = (positions >= 0) & (sources != targets)
    return positions[is_link], targets[is_link]


def _urls_only_seen(session: Session, targets: Hashes) -> tuple[pa.Array, Hashes]:
    """URLs and hashes of these targets that are no pages, in the order in which they were discovered."""
    table = session.read("urls", ["hash", "url"])
    seen = table["hash"].to_numpy()
    rows = np.flatnonzero(np.isin(seen, targets))
    rows = rows[firsts(seen[rows])]
    return table["url"].cast(pa.large_string()).combine_chunks().take(pa.array(rows)), seen[rows]


def _matrix(sources: Numbers, targets: Numbers, costs: Numbers, pages: int) -> csr_array:
    """The distinct links among these as CSR, the entry being what the target costs; targets of -1 are left out."""
    shape = (pages, len(costs))
    keys = distinct(sources[targets >= 0] * max(1, len(costs)) + targets[targets >= 0])
    rows, columns = np.divmod(keys, max(1, len(costs)))
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=pages)))).astype(np.int64)
    matrix = csr_array(shape, dtype=np.int64)
    # scipy's constructor would choose the type of the starts by their number, and compiled functions be compiled twice.
    matrix.data, matrix.indices, matrix.indptr = costs[columns], columns.astype(np.int32), starts
    return matrix


def _costs(urls: pa.Array, site_names: list[str]) -> Numbers:
    """What a link to each of these URLs costs."""
    if not _mean_something(site_names):
        return np.ones(len(urls), np.int64)
    lengths: Numbers = pc.binary_length(urls).to_numpy().astype(np.int64)
    return lengths


def _mean_something(site_names: list[str]) -> bool:
    """Are the URLs of these sites' pages more than stand-ins?"""
    return site_names != [PLACEHOLDER_HOST]
