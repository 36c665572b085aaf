"""Small webs made by hypothesis, recorded as sessions, and what their graphs are by definition."""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from partition.graphs.link_graph import LinkGraph, link_graph
from sessions.schema import NOFOLLOW, TABLES
from sessions.session import Session
from sessions.url import site_of, url_hashes
from tests.sessions.support.builder import Crawl

HOSTS = ("a.example", "b.example:8080", "c.example")
_ROWS_PER_GROUP = 4
PATHS = ("", "x", "long/path/to?a=1&b=%3C2%3E", "it's")
URLS = [f"http://{host}/{path}" for host in HOSTS for path in PATHS]


@dataclass(frozen=True)
class Fetch:
    """A page as it was fetched once: by which rank, how large, and what it links to (self-links and repeats too)."""

    rank: int
    url: str
    size: int
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Web:
    """What a crawl did: its fetches in the session's order, and URLs that it discovered besides.

    What stands twice in ``seen`` was discovered by both ranks.
    """

    fetches: tuple[Fetch, ...]
    seen: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes by page, in the order of first fetches."""
        return {fetch.url: fetch.size for fetch in self.fetches}

    @property
    def links(self) -> dict[tuple[str, str], int]:
        """The cost of each link between pages."""
        return {
            (fetch.url, target): len(target)
            for fetch in self.fetches
            for target in fetch.targets
            if target != fetch.url and target in self.sizes
        }

    @property
    def known_links(self) -> dict[tuple[str, str], int]:
        """The cost of each link to a URL that was only seen."""
        discovered = {*self.seen, *self.sizes}
        return {
            (fetch.url, target): len(target)
            for fetch in self.fetches
            for target in fetch.targets
            if target in discovered and target not in self.sizes
        }


def fetches(rank: int) -> st.SearchStrategy[list[Fetch]]:
    targets = st.lists(st.sampled_from(URLS), max_size=6).map(tuple)
    fetch = st.builds(Fetch, st.just(rank), st.sampled_from(URLS), st.integers(0, 1000), targets)
    return st.lists(fetch, max_size=8, unique_by=lambda made: made.url)


SEEN = st.lists(st.sampled_from(URLS)).map(tuple)
WEBS = st.builds(lambda first, second, seen: Web((*first, *second), seen), fetches(0), fetches(1), SEEN)
"""Webs crawled by two ranks, which may both have fetched a page; perhaps of no pages at all."""
FILLED_WEBS = WEBS.filter(lambda web: bool(web.fetches))


def record(path: Path, web: Web) -> Session:
    """Write a web as a session, through the recorder that a crawl writes with."""
    crawl = Crawl(path, 2, "discoverer", store_bodies=False)
    for number, rank in enumerate(crawl.ranks):
        mine = [fetch for fetch in web.fetches if fetch.rank == number]
        rank.discover([fetch.url for fetch in mine])
        for fetch in mine:
            rank.fetch(fetch.url, bytes(fetch.size), links=[(target, NOFOLLOW) for target in fetch.targets])
    seen = [url for url in web.seen if url not in web.sizes]
    crawl.ranks[0].discover(list(dict.fromkeys(seen)))
    crawl.ranks[1].discover([url for place, url in enumerate(seen) if url in seen[:place]])
    crawl.commit("max-pages")
    crawl.close()
    return Session.open(path)


@dataclass(frozen=True)
class Remembered(Session):
    """A session in memory: a hundred examples would wait for a hundred disks to be in sync."""

    tables: dict[str, pa.Table]

    def read(self, table: str, columns: Sequence[str] | None = None, rank: int | None = None) -> pa.Table:
        found = self.tables[table]
        return found.select(list(columns)) if columns is not None else found

    def row_groups(self, table: str, columns: Sequence[str], share: int, shares: int) -> Iterator[tuple[int, pa.Table]]:
        rows = self.tables[table].select(list(columns))
        for number, first in enumerate(range(0, rows.num_rows, _ROWS_PER_GROUP)):
            if number % shares == share:
                yield first, rows.slice(first, _ROWS_PER_GROUP)

    def batches(
        self, table: str, columns: Sequence[str] | None = None, rank: int | None = None, rows: int = 3
    ) -> Iterator[pa.RecordBatch]:
        yield from self.read(table, columns, rank).to_batches(min(rows, 3))


def remembered(web: Web) -> Session:
    """What `record` writes, as far as graphs read it, without a disk."""
    urls = [*(fetch.url for fetch in web.fetches), *(url for url in web.seen if url not in web.sizes)]
    links = [(fetch.url, target) for fetch in web.fetches for target in fetch.targets]
    tables = {
        "pages": {
            "url": [fetch.url for fetch in web.fetches],
            "hash": url_hashes([fetch.url for fetch in web.fetches]),
            "site": [site_of(fetch.url) for fetch in web.fetches],
            "bytes": [fetch.size for fetch in web.fetches],
            "status": [None for _ in web.fetches],
            "depth": [None for _ in web.fetches],
        },
        "links": {end: url_hashes([link[place] for link in links]) for place, end in enumerate(("source", "target"))},
        "urls": {"hash": url_hashes(urls), "url": urls},
    }
    typed = {
        name: pa.table({column: pa.array(cells, TABLES[name].field(column).type) for column, cells in columns.items()})
        for name, columns in tables.items()
    }
    return Remembered(Path("remembered"), {}, [], typed)


def graph_of(web: Web) -> LinkGraph:
    """A web's graph."""
    return link_graph(remembered(web))


@contextmanager
def recorded(web: Web) -> Iterator[Session]:
    """A web as a session on disk that is gone afterwards; hypothesis wants a folder of its own for each example."""
    with tempfile.TemporaryDirectory() as folder:
        yield record(Path(folder) / "session", web)


def forget_columns(session: Session, table: str, columns: list[str]) -> None:
    """Make a table what an older version would have written: without these columns."""
    for file in session.table_files(table):
        pq.write_table(pq.read_table(file.path).drop_columns(columns), file.path)


def by_site(web: Web) -> tuple[dict[str, list[int]], dict[frozenset[str], list[int]]]:
    """The site graph from its definition: [bytes, requests] of sites, [cost, links] between two of them."""
    weights: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for url, size in web.sizes.items():
        weights[site_of(url)] = [weights[site_of(url)][0] + size, weights[site_of(url)][1] + 1]
    edges: dict[frozenset[str], list[int]] = defaultdict(lambda: [0, 0])
    for (source, target), cost in web.links.items():
        if len(pair := frozenset((site_of(source), site_of(target)))) == 2:
            edges[pair] = [edges[pair][0] + cost, edges[pair][1] + 1]
    return dict(weights), dict(edges)


def parts_of(size: int) -> st.SearchStrategy[np.ndarray]:
    """Parts for so many vertices."""
    return st.lists(st.integers(0, 3), min_size=size, max_size=size).map(lambda parts: np.array(parts, np.int64))
