"""Small recordings, ownerships and courses, made by hand or drawn at random."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from crawler.exchange.parallel_modes import MODES
from crawler.replay.course import Course, Messages, in_turn
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Recording
from crawler.replay.settings import ReplaySettings
from sessions.importing.imported_session import ASSIGNMENT as IMPORTED
from sessions.schema import NOFOLLOW, UNFOLLOWED
from sessions.url import url_hashes

Link = tuple[int, int, int]
"""Source, target, flags."""


class Fetch(NamedTuple):
    """A fetch, in the order in which a rank makes it."""

    superstep: int
    rank: int
    page: int


class Message(NamedTuple):
    """A batch of URLs."""

    superstep: int
    sender: int
    receiver: int
    urls: int
    numbers: int
    bytes: int
    wire_bytes: int


class Case(NamedTuple):
    """All that the measures are computed from, as arrays and as plain tuples."""

    recording: Recording
    ownership: Ownership
    course: Course
    settings: ReplaySettings
    links: list[Link]
    fetches: list[Fetch]
    messages: list[Message]


def recording_with(
    sizes: list[int],
    links: list[Link],
    *,
    seeds: list[int],
    times: list[float] | None = None,
    others: int = 0,
    names: list[str] | None = None,
    fetchers: list[int] | None = None,
) -> Recording:
    """Pages of these sizes and times, then URLs without pages; links in document order.  It honours nofollow.

    ``fetchers`` are the ranks that fetched the pages; None for an import.
    """
    pages = len(sizes)
    urls = names or [f"http://w.example/{number}" for number in range(pages + others)]
    in_order = sorted(links, key=lambda link: link[0])
    counts = np.bincount([source for source, _, _ in links], minlength=pages) if links else np.zeros(pages, int)
    header = {"assignment": IMPORTED if fetchers is None else "page-hash"}
    session: Any = SimpleNamespace(honours_nofollow=True, header=header, ended={"reason": "complete"})
    return Recording(
        session,
        pa.array(urls, pa.large_string()),
        url_hashes(urls),
        pa.table(
            {
                "bytes": pa.array(sizes, pa.int64()),
                "milliseconds": pa.array(times or [0.0] * pages, pa.float32()),
                "rank": pa.array(fetchers or [0] * pages, pa.uint16()),
            }
        ),
        np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        np.array([target for _, target, _ in in_order], np.int64),
        np.array([flags for _, _, flags in in_order], np.uint8),
        np.zeros(len(urls) - pages, np.int16),
        [("filtered", "not-recorded")],
        np.array(seeds, np.int64),
    )


def ownership_with(ranks: int, owners: list[int], seed_owners: list[int] | None = None, **given: Any) -> Ownership:
    """An ownership without a map; of what whoever finds it owns, the owners as seeds must be given."""
    return Ownership(
        ranks,
        "made up",
        np.array(owners, np.int32),
        np.array(owners if seed_owners is None else seed_owners, np.int32),
        None if given.get("numbers") is None else np.array(given["numbers"], np.int64),
        np.array(given.get("unknown", [False] * len(owners)), bool),
    )


def course_with(ranks: int, supersteps: int, fetches: list[Fetch], messages: list[Message]) -> Course:
    """A course of these fetches, each rank's in its order, and messages."""
    table = np.array(fetches, np.int64).reshape(-1, 3).T
    sent = np.array(sorted(messages), np.int64).reshape(-1, 7).T
    return Course(
        ranks,
        supersteps,
        in_turn(table[0].astype(np.int32), table[1].astype(np.int32), table[2]),
        Messages(*(column.astype(np.int32) for column in sent[:3]), *sent[3:]),
        np.zeros(ranks, np.int64),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Anything that the types allow, whether or not a crawl could come to it."""
    pages, others, ranks, supersteps = (draw(st.integers(*limits)) for limits in ((1, 6), (0, 3), (1, 4), (1, 4)))
    urls = pages + others
    ends = st.tuples(st.integers(0, pages - 1), st.integers(0, urls - 1)).filter(lambda pair: pair[0] != pair[1])
    pairs = draw(st.lists(ends, unique=True, max_size=14)) if urls > 1 else []
    links = [(source, target, draw(st.sampled_from([0, 0, NOFOLLOW, UNFOLLOWED]))) for source, target in pairs]
    rank = st.integers(0, ranks - 1)
    fetched = draw(st.lists(st.tuples(rank, st.integers(0, pages - 1)), unique=True, max_size=12))
    step = st.integers(0, supersteps - 1)
    fetches = sorted((Fetch(draw(step), *pair) for pair in fetched), key=lambda fetch: fetch.superstep)
    routes = draw(st.lists(st.tuples(step, rank, rank).filter(lambda route: route[1] != route[2]), unique=True))
    messages = [_message(draw, route) for route in (routes if ranks > 1 else [])]
    recording = recording_with(
        draw(st.lists(st.integers(0, 9), min_size=pages, max_size=pages)),
        links,
        times=draw(st.lists(st.integers(0, 9).map(float), min_size=pages, max_size=pages)),
        others=others,
        fetchers=draw(st.none() | st.lists(st.integers(0, 3), min_size=pages, max_size=pages)),
        seeds=draw(st.lists(st.integers(0, pages - 1), unique=True).map(sorted)),
    )
    settings = ReplaySettings(mode=draw(st.sampled_from(MODES)))
    ownership = draw(_ownerships(ranks, urls))
    return Case(
        recording, ownership, course_with(ranks, supersteps, fetches, messages), settings, links, fetches, messages
    )


def _message(draw: st.DrawFn, route: tuple[int, int, int]) -> Message:
    urls = draw(st.integers(1, 5))
    return Message(*route, urls, draw(st.integers(0, urls)), draw(st.integers(1, 99)), draw(st.integers(1, 99)))


@st.composite
def _ownerships(draw: st.DrawFn, ranks: int, urls: int) -> Ownership:
    seed_owners = draw(st.lists(st.integers(0, ranks - 1), min_size=urls, max_size=urls))
    unknown = draw(st.lists(st.booleans(), min_size=urls, max_size=urls))
    finders = draw(st.booleans())
    owners = [FINDER if finders and missing else owner for owner, missing in zip(seed_owners, unknown, strict=True)]
    numbers = np.arange(urls) if draw(st.booleans()) else None
    return ownership_with(ranks, owners, seed_owners, unknown=unknown, numbers=numbers)


def in_order_of_fetching(case: Case) -> list[int]:
    """The distinct pages, as docs/measures.md orders them."""
    turns: dict[tuple[int, int], int] = {}
    keys = []
    for fetch in case.fetches:
        turn = turns.get(fetch[:2], 0)
        turns[fetch[:2]] = turn + 1
        keys.append((fetch.superstep, turn, fetch.rank, fetch.page))
    return list(dict.fromkeys(page for *_, page in sorted(keys)))
