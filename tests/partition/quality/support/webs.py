"""Small webs to measure, as LinkGraphs and as sessions, and hypothesis strategies for them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.graphs.link_graph import LinkGraph
from sessions.url import site_of, url_hashes
from tests.sessions.support.builder import Crawl


@dataclass(frozen=True)
class SmallWeb:
    """Pages with their sizes, URLs that were only seen, and links as pairs of URLs, each once."""

    sizes: dict[str, int]
    known: tuple[str, ...]
    links: tuple[tuple[str, str], ...]

    def graph(self) -> LinkGraph:
        """The web as its LinkGraph, made here without the code that reads sessions."""
        pages = list(self.sizes)
        sites = list(dict.fromkeys(map(site_of, pages)))
        return LinkGraph(
            urls=pa.array(pages, pa.large_string()),
            hashes=url_hashes(pages),
            bytes=np.array(list(self.sizes.values()), np.int64),
            sites=np.array([sites.index(site_of(page)) for page in pages], np.int64),
            site_names=sites,
            links=self._matrix(pages),
            known_urls=pa.array(list(self.known), pa.large_string()),
            known_hashes=url_hashes(self.known),
            known_links=self._matrix(self.known),
        )

    def session(self, path: Path, ending: str = "imported") -> Path:
        """The web as a session that one rank has crawled, or imported: then nothing was left queued."""
        crawl = Crawl(path, ranks=1)
        (rank,) = crawl.ranks
        rank.discover([*self.sizes, *self.known])
        for page, size in self.sizes.items():
            targets = [(target, 0) for source, target in self.links if source == page]
            rank.fetch(page, b"x" * size, links=targets)
        crawl.commit(ending)
        crawl.close()
        return path

    def _matrix(self, targets: list[str] | tuple[str, ...]) -> csr_array:
        pages = list(self.sizes)
        rows = [
            sorted(targets.index(target) for source, target in self.links if source == page and target in targets)
            for page in pages
        ]
        columns = [column for row in rows for column in row]
        matrix = csr_array((len(pages), len(targets)), dtype=np.int64)
        matrix.data = np.array([len(targets[column].encode()) for column in columns], np.int64)
        matrix.indices = np.array(columns, np.int64)
        matrix.indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return matrix


def url(number: int) -> str:
    """One of many URLs on five sites, of several lengths and depths."""
    return f"http{'s' * (number % 2)}://{'abcde'[number % 5]}.example/{'dir/' * (number % 3)}{number * 7**5}"


@st.composite
def webs(draw: st.DrawFn, least_pages: int = 1, most_pages: int = 14) -> SmallWeb:
    """Webs of up to ``most_pages`` pages and 6 URLs that were only seen."""
    pages = [url(number) for number in range(draw(st.integers(least_pages, most_pages)))]
    known = tuple(url(number) for number in range(20, 20 + draw(st.integers(0, 6))))
    pair = st.tuples(st.sampled_from(pages), st.sampled_from([*pages, *known])).filter(lambda ends: ends[0] != ends[1])
    links = draw(st.lists(pair, max_size=50, unique=True)) if len(pages) + len(known) > 1 else []
    sizes = draw(st.lists(st.integers(0, 1000), min_size=len(pages), max_size=len(pages)))
    return SmallWeb(dict(zip(pages, sizes, strict=True)), known, tuple(links))


def parts_of(count: int, k: int) -> st.SearchStrategy[list[int]]:
    """Any assignment of so many pages to ``k`` parts."""
    return st.lists(st.integers(0, k - 1), min_size=count, max_size=count)


def ring(pages: int = 40, known: int = 5) -> SmallWeb:
    """A web with some structure: each page links to the next ones of its site, to a far page, and to unknown URLs."""
    urls = [f"http://site{number % 4}.example/{'ab'[number // 8 % 2]}/{number}" for number in range(pages)]
    unknown = tuple(f"http://site{number % 6}.example/a/new{number}" for number in range(known))
    links = [(urls[here], urls[(here + step) % pages]) for here in range(pages) for step in (4, 8, 13)]
    links += [(urls[here * 7 % pages], unknown[here % known]) for here in range(2 * known)]
    return SmallWeb(
        {page: 100 + 10 * (number % 3) for number, page in enumerate(urls)}, unknown, tuple(dict.fromkeys(links))
    )
