"""Sessions on disk to be recordings: small ones drawn at random, and what each holds told in plain lists."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

from sessions.schema import EMBEDDED, FAILED, FILTERED, NOFOLLOW, REDIRECT, UNFOLLOWED
from sessions.session import Session
from sessions.url import url_hash
from tests.sessions.support.builder import Crawl

URLS = [f"http://{site}.example/{path}" for site in "ab" for path in ("", "x", "y/z", "y/%C3%BC")] + [
    "https://c.example/"
]
FLAGS = [0, 0, EMBEDDED, NOFOLLOW, UNFOLLOWED, REDIRECT]
OUTCOMES = [(FILTERED, "robots"), (FILTERED, "depth"), (FAILED, "dns")]


class Fetched(NamedTuple):
    """A page of a session: when it was fetched, in seconds since 1970, where it lies, and its links."""

    url: str
    second: int
    depth: int
    hops: int
    links: dict[str, int]


class Drawn(NamedTuple):
    """What each of two ranks discovered, fetched and settled; two may have fetched a page."""

    honours_nofollow: bool
    discovered: list[list[str]]
    fetched: list[list[Fetched]]
    settled: list[dict[str, tuple[str, str]]]


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """Anything that a crawl with overlap may leave, with at least one page."""
    found: list[list[str]] = [draw(st.lists(st.sampled_from(URLS), unique=True, min_size=1)) for _ in range(2)]
    fetched, settled = [], []
    links = st.dictionaries(st.sampled_from(URLS), st.sampled_from(FLAGS), max_size=6)
    for rank, urls in enumerate(found):
        count = draw(st.integers(1 if rank == 0 else 0, len(urls)))
        facts = (st.integers(0, 9), st.integers(0, 2), st.integers(0, 1), links)
        fetched.append([Fetched(url, *draw(st.tuples(*facts))) for url in urls[:count]])
        settled.append(
            {url: draw(st.sampled_from(OUTCOMES)) for url in urls[count:] if draw(st.booleans())},
        )
    return Drawn(draw(st.booleans()), found, fetched, settled)


def write(path: Path, what: Drawn, *, assignment: str = "page-partition/discoverer") -> Path:
    """The session."""
    crawl = Crawl(path, assignment=assignment, store_bodies=False, honour_nofollow=what.honours_nofollow)
    for rank, urls, pages, outcomes in zip(crawl.ranks, *what[1:], strict=True):
        rank.discover(urls)
        for page in pages:
            facts: dict[str, Any] = {"depth": page.depth, "hops": page.hops}
            facts["fetched"] = datetime.fromtimestamp(page.second, UTC)
            rank.fetch(page.url, b"x" * page.second, links=list(page.links.items()), **facts)
        for url, (state, reason) in outcomes.items():
            rank.settle(url, state, reason)
    crawl.commit("max-pages")
    crawl.close()
    return path


class Plain(NamedTuple):
    """A recording in plain lists and dicts."""

    pages: dict[str, dict[str, Any]]
    others: list[str]
    links: dict[str, dict[str, int]]
    reasons: dict[str, tuple[str, str]]


def plain(session: Session) -> Plain:
    """What a session holds."""
    pages: dict[str, dict[str, Any]] = {}
    for row in session.read("pages").to_pylist():
        pages[row["url"]] = row
    urls = dict.fromkeys(session.read("urls")["url"].to_pylist())
    url_of = {url_hash(url): url for url in urls}
    links: dict[str, dict[str, int]] = {url: {} for url in pages}
    for link in session.read("links").to_pylist():
        source, target = url_of[link["source"]], url_of.get(link["target"])
        if target is not None and target != source:
            links[source].setdefault(target, link["flags"])
    outcomes = {url_of[row["hash"]]: (row["state"], row["reason"]) for row in session.read("outcomes").to_pylist()}
    others = [url for url in urls if url not in pages]
    return Plain(pages, others, links, {url: outcomes.get(url, (FILTERED, "not-recorded")) for url in others})
