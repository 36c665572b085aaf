"""Small crawls whose pages took known times at known ranks."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.sessions.support.builder import Crawl


class Fetch(NamedTuple):
    """A page of a site that a rank fetched, and how long that took."""

    site: str
    rank: int
    milliseconds: float | None = 100.0
    ip: str | None = "192.0.2.1"


def crawled(path: Path, fetches: Sequence[Fetch], ranks: int = 2) -> Path:
    """A finished session with these pages; each links to the next."""
    crawl = Crawl(path, ranks=ranks, assignment="site-hash")
    urls = [f"http://{fetch.site}/{number}" for number, fetch in enumerate(fetches)]
    for url, fetch, target in zip(urls, fetches, [*urls[1:], *urls[:1]], strict=True):
        rank = crawl.ranks[fetch.rank]
        rank.discover([url])
        rank.fetch(url, b"x" * 50, links=[(target, 0)], milliseconds=fetch.milliseconds, ip=fetch.ip)
    crawl.end("complete")
    crawl.close()
    return path


def pages_of(site: str, rank: int, count: int, milliseconds: float | None = 100.0) -> list[Fetch]:
    """So many pages of a site, all by one rank."""
    return [Fetch(site, rank, milliseconds)] * count
