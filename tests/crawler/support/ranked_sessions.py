"""Sessions to rank, made from a plain description, and what their worklist must be, worked out from the definition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sessions.schema import REDIRECT, Page
from sessions.url import site_of, url_hash, url_hashes
from sessions.writing.commit import claim, commit
from sessions.writing.recorder import Recorder

FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
SECONDS = 1_000_000.0
"""The crawl interval in which the oracle counts."""


@dataclass(frozen=True)
class Fetch:
    """A fetch of a URL, by its number: when, with which answer, content and links (targets and flags)."""

    url: int
    day: float
    status: int = 200
    content: int | None = 0
    links: tuple[tuple[int, int], ...] = ()
    rank: int = 0
    was_asked_for: bool = True


@dataclass(frozen=True)
class Crawled:
    """A session: when it began, its fetches, and the URLs that it discovered, filtered and failed to get."""

    began: float
    fetches: tuple[Fetch, ...] = ()
    discovered: frozenset[int] = frozenset()
    filtered: frozenset[int] = frozenset()
    failed: frozenset[int] = frozenset()


def url_of(number: int) -> str:
    """The URL of a number; a third of them on each of three sites."""
    return f"http://{'abc'[number % 3]}.example/{number}"


def day(number: float) -> datetime:
    """A day of the calendar by its number."""
    return FIRST_DAY + timedelta(days=number)


def write_session(
    path: Path, crawled: Crawled, run: str, ranks: int = 2, *, seeds: Sequence[str] = (), scope: str = "all"
) -> None:
    """Write a session as a crawl does."""
    header = claim(path, run=run, ranks=ranks, assignment="page-hash", configuration={"scope": scope}, seeds=seeds)
    header["started"] = day(crawled.began).isoformat()
    header["runs"][0]["started"] = header["started"]
    recorders = [Recorder(path, rank, run, store_bodies=False, epoch=1) for rank in range(ranks)]
    known = sorted(crawled.discovered | {fetch.url for fetch in crawled.fetches} | crawled.filtered | crawled.failed)
    for rank, recorder in enumerate(recorders):
        urls = [url_of(number) for number in known if number % ranks == rank]
        recorder.urls(url_hashes(urls), urls, np.ones(len(urls), np.uint16), np.zeros(len(urls), np.uint8))
        for state in ("filtered", "failed"):
            for number in sorted(getattr(crawled, state)):
                if number % ranks == rank:
                    recorder.outcome(url_hash(url_of(number)), state, "robots")
    for fetch in crawled.fetches:
        url = url_of(fetch.url)
        recorders[fetch.rank % ranks].page(_page(fetch, url, run))
        targets = url_hashes([url_of(target) for target, _ in fetch.links])
        sources = np.full(len(targets), url_hash(url), np.uint64)
        flags = np.array([flag for _, flag in fetch.links], np.uint8)
        recorders[fetch.rank % ranks].links(sources, targets, flags)
    closed = [recorder.close_epoch() | {"report": {}} for recorder in recorders]
    commit(path, header, 1, closed, {"reason": "complete", "seconds": 1.0})
    for recorder in recorders:
        recorder.close()


def _page(fetch: Fetch, url: str, run: str) -> Page:
    empty: dict[str, Any] = dict.fromkeys(Page._fields)
    facts = {
        "url": url,
        "hash": url_hash(url),
        "site": site_of(url),
        "status": fetch.status,
        "bytes": 1,
        "decoded_bytes": 1,
        "content_digest": None if fetch.content is None else sha1(bytes([fetch.content])).digest(),
        "fetched": day(fetch.day),
        "milliseconds": 1.0,
        "depth": 1,
        "hops": 0,
        "rank": fetch.rank,
        "superstep": 1,
        "run": run,
        "unchanged_since": day(0) if fetch.status == 304 and fetch.was_asked_for else None,
    }
    return Page(**empty | facts)


@dataclass
class Expected:
    """What a worklist must have of a URL."""

    kind: str
    in_degree: int = 0
    out_degree: int | None = None
    change: float | None = None
    age: float | None = None
    visits: int = 0
    last: datetime | None = None
    comparisons: list[tuple[float, bool]] = field(default_factory=list)


def expected_of(sessions: Sequence[Crawled], now: datetime, gone: int = 2) -> dict[int, Expected]:
    """The URLs that a worklist has, by the definition, with all but their priorities."""
    fetches = fetches_of(sessions)
    discovered = {number for session in sessions for number in session.discovered | session.filtered | session.failed}
    filtered = {number for session in sessions for number in session.filtered}
    latest: Mapping[int, set[int]] = {
        number: links_of(visits[-1]) for number, told in fetches.items() if (visits := visits_of(told))
    }
    found = {number: Expected("new") for number in discovered - filtered - fetches.keys()}
    for number, told in fetches.items():
        visits = visits_of(told)
        if visits and not (len(told) >= gone and all(fetch.status in (404, 410) for fetch in told[-gone:])):
            last = day(told[-1].day)
            found[number] = Expected(
                "old",
                out_degree=len(latest[number]),
                change=change_of(links_of(visits[-2]) if len(visits) > 1 else set(), latest[number]),
                age=(now - last).total_seconds() / SECONDS,
                visits=len(visits),
                last=last,
                comparisons=comparisons_of(visits),
            )
    for number, url in found.items():
        url.in_degree = sum(number in links for source, links in latest.items() if source != number)
    return found


def fetches_of(sessions: Sequence[Crawled]) -> dict[int, list[Fetch]]:
    """The fetches of each URL in order; of those at one time that of the lower rank is first."""
    found: dict[int, list[Fetch]] = {}
    for session in sorted(sessions, key=lambda session: session.began):
        for fetch in sorted(session.fetches, key=lambda fetch: (fetch.day, fetch.rank)):
            found.setdefault(fetch.url, []).append(fetch)
    return found


def visits_of(told: Sequence[Fetch]) -> list[Fetch]:
    """Those of a URL's fetches that are visits."""
    return [fetch for fetch in told if fetch.status == 200 or (fetch.status == 304 and fetch.was_asked_for)]


def links_of(visit: Fetch) -> set[int]:
    """The links of a visit."""
    return {target for target, flag in visit.links if not flag & REDIRECT and target != visit.url}


def change_of(before: set[int], after: set[int]) -> float:
    """C."""
    return 1 - len(before & after) / len(before | after) if before | after else 1.0


def comparisons_of(visits: Sequence[Fetch]) -> list[tuple[float, bool]]:
    """The days between visits, and whether the content changed."""
    return [
        (after.day - before.day, after.status != 304 and after.content != before.content)
        for before, after in pairwise(visits)
    ]
