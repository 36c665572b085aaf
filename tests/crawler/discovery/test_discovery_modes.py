"""What becomes of links to URLs that others own, in each mode and with URLs that all know, against plain lists."""

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.exchange.parallel_modes import CROSS_OVER, EXCHANGE, FIREWALL, MODES
from crawler.urls.targets import listed
from partition.assignment.assignment import assignment_named
from sessions.schema import EMBEDDED, UNFOLLOWED
from sessions.url import url_hash, url_hashes
from tests.crawler.support.batches import batch_of, by_rank, rows_of
from tests.crawler.support.single_rank_discovery import Found

RANKS = 3
ASSIGNMENT = assignment_named("page-hash", RANKS)
URLS = [f"http://{site}.example/{number}" for site in "abc" for number in range(6)]
OWNER = dict(zip(URLS, ASSIGNMENT.owners(url_hashes(URLS), URLS).tolist(), strict=True))
MINE, OTHERS = ([url for url in URLS if (OWNER[url] == 0) is is_mine] for is_mine in (True, False))


class Page(NamedTuple):
    """A page's links, with what their targets have in common."""

    source: str
    depth: int
    hops: int
    links: dict[str, int]


PAGES = st.builds(
    Page,
    st.sampled_from(URLS),
    st.integers(0, 5),
    st.integers(0, 3),
    st.dictionaries(st.sampled_from(URLS), st.sampled_from([0, 0, EMBEDDED, UNFOLLOWED]), max_size=5),
)


@dataclass
class Told:
    """What rank 0 makes of links, told one link at a time."""

    mode: str
    queued: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)
    ways: dict[str, tuple[int, int]] = field(default_factory=dict)
    outboxes: list[dict[str, tuple[int, int, int]]] = field(default_factory=lambda: [{} for _ in range(RANKS)])
    sent: set[str] = field(default_factory=set)

    def accept(self, url: str, depth: int, hops: int, queue: list[str]) -> None:
        self.ways[url] = depth, hops
        queue.append(url)

    def replicate(self, urls: list[str]) -> None:
        for url in urls:
            if OWNER[url] != 0:
                self.sent.add(url)
            elif url not in self.ways:
                self.accept(url, 0, 0, self.queued)

    def settle(self, pages: list[Page]) -> None:
        found: dict[str, tuple[int, int, int]] = {}
        known = set(self.ways)
        for page in pages:
            for url, flags in page.links.items():
                if url == page.source or flags == UNFOLLOWED:
                    continue
                if url in known:
                    self.ways[url] = min(self.ways[url][0], page.depth), min(self.ways[url][1], page.hops)
                elif url not in self.sent:
                    depth, hops, first = found.get(url, (page.depth, page.hops, flags))
                    found[url] = min(depth, page.depth), min(hops, page.hops), first
        for url, (depth, hops, flags) in found.items():
            if OWNER[url] == 0:
                self.accept(url, depth, hops, self.queued)
            elif self.mode == CROSS_OVER:
                self.accept(url, depth, hops, self.later)
            elif self.mode == EXCHANGE:
                self.sent.add(url)
                self.outboxes[OWNER[url]][url] = depth, hops, flags


def drained(found: Found) -> tuple[list[str], list[str]]:
    later = found.later.take(len(found.later)).urls if found.later is not None else []
    return found.queued(), later


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.sampled_from(MODES),
    st.lists(st.sampled_from(MINE), unique=True, max_size=3),
    st.lists(st.sampled_from(URLS), unique=True, max_size=6),
    st.lists(st.lists(PAGES, max_size=5), max_size=6),
)
def test_links_go_where_the_mode_says(
    mode: str, seeds: list[str], replicated: list[str], batches: list[list[Page]]
) -> None:
    with TemporaryDirectory() as folder:
        found, told = Found(Path(folder), 0, ASSIGNMENT, mode=mode), Told(mode)
        found.discovery.seed(seeds)
        for seed in seeds:
            told.accept(seed, 0, 0, told.queued)
        found.discovery.replicate(replicated)
        told.replicate(replicated)
        for pages in batches:
            for page in pages:
                found.discovery.links_of(
                    url_hash(page.source),
                    page.depth,
                    listed(list(page.links), list(page.links.values())),
                    hops=page.hops,
                )
            found.discovery.settle()
            told.settle(pages)
        assert found.counters.discovered == len(told.ways)
        assert {url: found.way_to(url) for url in told.ways} == told.ways
        assert [
            {url: (depth, hops, flags) for url, _, depth, hops, flags in rows_of(batch)}
            for batch in by_rank(found.discovery.outgoing(), RANKS)
        ] == told.outboxes
        assert found.counters.links == sum(len(page.links.keys() - {page.source}) for its in batches for page in its)
        assert drained(found) == (told.queued, told.later)


@pytest.mark.parametrize("mode", [FIREWALL, CROSS_OVER])
def test_nothing_is_sent_but_in_exchange(tmp_path: Path, mode: str) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT, mode=mode)
    found.find([*OTHERS, *MINE])
    assert found.discovery.undelivered == 0
    assert [len(batch) for batch in by_rank(found.discovery.outgoing(), RANKS)] == [0, 0, 0]
    assert drained(found) == (MINE, OTHERS if mode == CROSS_OVER else [])
    assert len(found.recorder.found) == len(URLS), "the links are recorded all the same"


def test_in_cross_over_what_is_found_again_is_not_queued_again(tmp_path: Path) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT, mode=CROSS_OVER)
    for depth in (4, 2, 3):
        found.find(OTHERS[:2], depth=depth)
    assert drained(found) == ([], OTHERS[:2])
    assert found.way_to(OTHERS[0]) == (2, 0)


def test_what_all_ranks_know_is_accepted_by_its_owner_and_sent_by_nobody(tmp_path: Path) -> None:
    ranks = [Found(tmp_path, rank, ASSIGNMENT) for rank in range(RANKS)]
    known = URLS[:9]
    for found in ranks:
        found.discovery.replicate(known)
        found.find(URLS)
    for rank, found in enumerate(ranks):
        own = [url for url in URLS if OWNER[url] == rank]
        assert found.queued() == [url for url in known if OWNER[url] == rank] + [url for url in own if url not in known]
        assert all(found.way_to(url) == (0 if url in known else 1, 0) for url in own)
        sent = sorted(url for batch in by_rank(found.discovery.outgoing(), RANKS) for url in batch.urls)
        assert sent == sorted(set(URLS) - set(known) - set(own))


def test_what_all_ranks_know_may_be_owned_by_another_assignment(tmp_path: Path) -> None:
    """As where the finder owns a URL: each rank would take what all know."""
    for_known = assignment_named("site-hash", RANKS)
    ranks = [Found(tmp_path, rank, FinderOwns(rank)) for rank in range(RANKS)]
    for found in ranks:
        found.discovery.replicate(URLS[:4], for_known)
        found.find(URLS[:6])
    owners = for_known.owners(url_hashes(URLS), URLS).tolist()
    for rank, found in enumerate(ranks):
        assert (
            found.queued() == [url for url, owner in zip(URLS[:4], owners, strict=False) if owner == rank] + URLS[4:6]
        )


class FinderOwns:
    """An assignment in which a rank owns all that it finds."""

    name, ranks = "finder", RANKS

    def __init__(self, rank: int) -> None:
        self._rank = rank

    def owners(self, hashes: np.ndarray, urls: list[str]) -> np.ndarray:
        return np.full(len(urls), self._rank, np.int32)


def test_a_seed_that_all_ranks_know_is_queued_once_and_first(tmp_path: Path) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT)
    found.discovery.seed([MINE[2]])
    found.discovery.replicate([MINE[1], MINE[2]])
    found.discovery.receive([batch_of([MINE[1], MINE[3]], [3, 3])])
    assert found.queued() == [MINE[2], MINE[1], MINE[3]]
    assert found.counters.discovered == 3


@pytest.mark.parametrize("links_per_batch", [1, 3, 10])
def test_links_wait_until_there_are_enough(tmp_path: Path, links_per_batch: int) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT, links_per_batch=links_per_batch)
    for number, url in enumerate(MINE[:5], start=1):
        found.discovery.links_of(url_hash(OTHERS[0]), 1, listed([url], [0]))
        assert len(found.ordering) == number // links_per_batch * links_per_batch
