"""A session's sites and the links between them as a networkx graph: some kB of memory a site, not a page."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.hash_arrays import distinct, firsts, hashes_of, places
from sessions.table_reader import TableReader
from sessions.url import Hashes, site_of

if TYPE_CHECKING:
    from networkx import DiGraph


def site_digraph(session: TableReader, *, known: bool = False) -> "DiGraph[str]":
    """The directed graph of a session's sites.

    Nodes are sites with the attributes ``pages``, distinct pages that were downloaded, and ``bytes``, their bodies as
    received, a page fetched more than once as its first fetch gave it.  An edge leads from one site to another, or to
    the same, if pages of the one link to pages of the other; its attribute ``links`` counts distinct pairs of pages.

    With ``known``, URLs that were discovered and not downloaded count as targets, and their sites are nodes.
    Arrays of the pages' and links' hashes are held meanwhile.
    """
    # Every rank of a crawl imports sessions, and networkx takes longer than all the rest of it.
    from networkx import DiGraph

    pages = session.read("pages", ["url", "hash", "site", "bytes"])
    first = pa.array(firsts(hashes_of(pages, "hash")))
    pages = pages.take(first)
    urls, hashes = pages["url"].to_pylist(), hashes_of(pages, "hash")
    sites = [site or site_of(url) for site, url in zip(pages["site"].to_pylist(), urls, strict=True)]
    if known:
        others = session.read("urls", ["url", "hash"])
        is_new = places(hashes_of(others, "hash"), hashes, np.argsort(hashes)) < 0
        others = others.filter(pa.array(is_new))
        sites += [site_of(url) for url in others["url"].to_pylist()]
        hashes = np.concatenate([hashes, hashes_of(others, "hash")])
    numbers = {site: number for number, site in enumerate(dict.fromkeys(sites))}
    of_url = np.array([numbers[site] for site in sites], np.int64)
    counts = np.bincount(of_url[: len(urls)], minlength=len(numbers))
    received = np.nan_to_num(pages["bytes"].to_numpy().astype(np.float64))
    sizes = np.bincount(of_url[: len(urls)], weights=received, minlength=len(numbers)).astype(np.int64)
    graph = DiGraph()
    for site, number in numbers.items():
        graph.add_node(site, pages=int(counts[number]), bytes=int(sizes[number]))
    names = list(numbers)
    for source, target, links in _links_between(session, hashes, len(urls), of_url):
        graph.add_edge(names[source], names[target], links=links)
    return graph


def _links_between(
    session: TableReader, hashes: Hashes, pages: int, of_url: npt.NDArray[np.int64]
) -> list[tuple[int, int, int]]:
    """Source site, target site, and the number of distinct links from pages of the one to URLs of the other."""
    table = session.read("links", ["source", "target"])
    order = np.argsort(hashes)
    ends = [places(hashes_of(table, column), hashes, order) for column in ("source", "target")]
    is_link = (ends[0] >= 0) & (ends[0] < pages) & (ends[1] >= 0) & (ends[0] != ends[1])
    pairs = distinct(ends[0][is_link] * len(hashes) + ends[1][is_link])
    source, target = np.divmod(pairs, max(1, len(hashes)))
    count = int(of_url.max(initial=0)) + 1
    joined, links = np.unique(of_url[source] * count + of_url[target], return_counts=True)
    return [(*divmod(both, count), number) for both, number in zip(joined.tolist(), links.tolist(), strict=True)]
