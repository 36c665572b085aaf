"""Pairs of small sessions to compare: what was fetched, epoch by epoch and rank by rank, said in a few words."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from sessions.session import Session
from tests.sessions.support.builder import Crawl

URLS = ["http://a.example/", "http://a.example/1", "http://a.example/2", "https://b.example/", "http://c.example:81/"]
DAY_0 = datetime(2020, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return DAY_0 + timedelta(days=number)


class Fetch(NamedTuple):
    """A fetch of a made-up session; days are counted from `DAY_0`."""

    url: str
    content: bytes = b"text"
    status: int = 200
    links: frozenset[str] = frozenset()
    day: int = 0
    since: int | None = None
    simhash: int | None = None
    redirect: str | None = None
    truncated: str | None = None
    error: str | None = None
    has_digest: bool = True

    @property
    def is_whole(self) -> bool:
        return self.truncated is None and self.error is None

    @property
    def received(self) -> bytes:
        return b"" if self.since is not None else self.content

    @property
    def digest(self) -> bytes | None:
        return sha1(self.content).digest() if self.content and self.has_digest else None

    @property
    def document(self) -> bytes | None:
        """What the page was, if that is known."""
        return (self.digest or (None if self.content else b"")) if self.is_whole else None


class Made(NamedTuple):
    """What a session is made of: fetches by epoch and rank, and URLs that were discovered beside the fetched ones."""

    fetches: Sequence[tuple[Sequence[Fetch], Sequence[Fetch]]]
    seen: frozenset[str] = frozenset()

    def in_order(self) -> list[Fetch]:
        return [fetch for of_rank in zip(*self.fetches, strict=True) for its in of_rank for fetch in its]


def session(path: Path, made: Made) -> Session:
    crawl = Crawl(path, assignment="discoverer", store_bodies=False)
    crawl.ranks[0].discover(sorted(made.seen))
    for epoch in made.fetches:
        for rank, fetches in zip(crawl.ranks, epoch, strict=True):
            for fetch in fetches:
                rank.discover([fetch.url])
                rank.fetch(
                    fetch.url,
                    fetch.received,
                    content=fetch.content,
                    status_line=b"HTTP/1.1 %d" % fetch.status,
                    links=[(target, 0) for target in sorted(fetch.links)],
                    is_kept=False,
                    truncated=fetch.truncated or "",
                    content_digest=fetch.digest,
                    fetched=day(fetch.day),
                    unchanged_since=None if fetch.since is None else day(fetch.since),
                    simhash=fetch.simhash,
                    redirect=fetch.redirect,
                    error=fetch.error,
                )
        crawl.commit()
    crawl.close()
    return Session.open(path)


def of(*fetches: Fetch, seen: Sequence[str] = ()) -> Made:
    return Made([(fetches, ())], frozenset(seen))
