"""Who is told of a URL that is found, and how often: several ranks in one process, against plain sets and dicts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, cast
from weakref import finalize

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.depth_limits import Limits
from crawler.discovery.discovery import LINKS_PER_BATCH
from crawler.discovery.scope import Scope
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.urls.batch import UrlBatch
from crawler.urls.front_coding import decode, encode
from crawler.urls.targets import listed
from partition.assignment.assignment import Assignment
from partition.assignment.hashing import PageHash
from sessions.schema import NOFOLLOW, REDIRECT
from sessions.url import Hashes, url_hash
from sessions.writing.recorder import Recorder
from tests.crawler.support.batches import by_rank
from tests.crawler.support.discovery_of import discovery_of
from tests.crawler.support.single_rank_discovery import ADMITS_ALL, way_to

RANKS = 3
URLS = [f"http://{site}.example/{number}" for site in "abc" for number in range(8)]
FAR_AWAY = (99, 99)
ON_DISK = 100
"""Bytes of memory in which no table has room."""
URL_OF = {url_hash(url): url for url in URLS}


class Frontier:
    """An ordering that remembers all it was given."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def __len__(self) -> int:
        return len(self.urls)

    def add(self, batch: UrlBatch) -> None:
        assert batch.hashes.tolist() == [url_hash(url) for url in batch.urls]
        self.urls += batch.urls

    def take(self, count: int) -> UrlBatch:
        raise NotImplementedError


@dataclass
class Notes:
    """A recorder that remembers what it was told."""

    links_told: list[tuple[str, str, int]] = field(default_factory=list)
    urls_told: list[str] = field(default_factory=list)

    def links(self, sources: Hashes, targets: Hashes, flags: Any) -> None:
        rows = zip(sources.tolist(), targets.tolist(), flags.tolist(), strict=True)
        self.links_told += [(URL_OF[source], URL_OF[target], flag) for source, target, flag in rows]

    def nearer(self, hashes: Hashes, depths: Any, hops: Any) -> None:
        """Nobody looks."""

    def urls(self, hashes: Hashes, urls: Sequence[str], depths: Any, hops: Any) -> None:
        assert hashes.tolist() == [url_hash(url) for url in urls]
        self.urls_told += urls


class Ranks:
    """Discovery on several ranks, with the exchange between them."""

    def __init__(
        self,
        ranks: int = RANKS,
        *,
        depth: int | None = None,
        hops: int = 10,
        scope: Scope | None = None,
        budget: int = 1 << 20,
        assignments: Sequence[Assignment] | None = None,
        links_per_batch: int = LINKS_PER_BATCH,
    ) -> None:
        folder = Path(mkdtemp())
        finalize(self, rmtree, folder)
        self.frontiers = [Frontier() for _ in range(ranks)]
        self.notes = [Notes() for _ in range(ranks)]
        self.counters = [Counters() for _ in range(ranks)]
        self.all = [
            discovery_of(
                rank,
                assignments[rank] if assignments else PageHash(ranks),
                scope=scope or Scope(),
                admission=ADMITS_ALL,
                limits=Limits(depth, hops),
                ordering=self.frontiers[rank],
                recorder=cast(Recorder, self.notes[rank]),
                folder=folder / str(rank),
                budget=budget,
                counters=self.counters[rank],
                clock=StageClock(),
                links_per_batch=links_per_batch,
            )
            for rank in range(ranks)
        ]

    def seed(self, urls: Sequence[str]) -> None:
        for discovery in self.all:
            discovery.seed(urls)

    def exchange(self) -> list[list[UrlBatch]]:
        """Settle and swap, as at the end of a superstep; what each rank sent to each."""
        for discovery in self.all:
            discovery.settle()
            discovery.flush()
        sent = [by_rank(discovery.outgoing(), len(self.all)) for discovery in self.all]
        for rank, discovery in enumerate(self.all):
            discovery.receive([decode(encode(batches[rank])) for batches in sent])
            discovery.flush()
        assert not any(discovery.undelivered for discovery in self.all)
        return sent


@st.composite
def finds(draw: st.DrawFn) -> tuple[int, str, int, int, dict[str, int]]:
    """A page's links: who found them, on which page, at which depth, after how many hops, the targets and flags."""
    return (
        draw(st.integers(0, RANKS - 1)),
        draw(st.sampled_from(URLS)),
        draw(st.integers(0, 6)),
        draw(st.integers(0, 3)),
        draw(st.dictionaries(st.sampled_from(URLS), st.integers(0, 7), max_size=6)),
    )


ROUNDS = st.lists(st.lists(finds(), max_size=6), max_size=5)
SEEDS = st.lists(st.sampled_from(URLS), unique=True, max_size=3)


@settings(max_examples=150, deadline=None)
@given(SEEDS, ROUNDS, st.one_of(st.none(), st.integers(0, 4)), st.integers(0, 2), st.booleans(), st.booleans())
def test_every_url_found_is_accepted_once_by_its_owner_and_queued_if_it_is_near_enough(
    seeds: list[str],
    rounds: list[list[tuple[int, str, int, int, dict[str, int]]]],
    max_depth: int | None,
    max_hops: int,
    is_scoped: bool,
    is_on_disk: bool,
) -> None:
    scope = Scope(sites=["a.example", "b.example"]) if is_scoped else Scope()
    seeds = [url for url in seeds if scope.contains([url])[0]]
    ranks = Ranks(depth=max_depth, hops=max_hops, scope=scope, budget=ON_DISK if is_on_disk else 1 << 20)
    ranks.seed(seeds)
    ways = dict.fromkeys(seeds, (0, 0))
    sent: dict[tuple[int, str], tuple[int, int]] = {}
    links: Counter[tuple[str, str, int]] = Counter()
    dropped = 0
    for found in rounds:
        told: dict[tuple[int, str], tuple[int, int]] = {}
        for rank, source, depth, hops, targets in found:
            ranks.all[rank].links_of(url_hash(source), depth, listed(list(targets), list(targets.values())), hops=hops)
            for target, flag in targets.items():
                if target == source:
                    continue
                if not scope.contains([target])[0]:
                    dropped += 1
                    continue
                links[source, target, flag] += 1
                told[rank, target] = _shorter(told.get((rank, target), FAR_AWAY), (depth, hops))
        for (rank, target), way in told.items():
            before = sent.get((rank, target))
            sent[rank, target] = _shorter(before or FAR_AWAY, way)
            is_own = url_hash(target) % RANKS == rank
            was_far, is_far = (_is_far(each, max_depth, max_hops) for each in (before or way, sent[rank, target]))
            if is_own or before is None or (was_far and not is_far):
                ways[target] = _shorter(ways.get(target, FAR_AWAY), sent[rank, target])
        ranks.exchange()
        _compare(ranks, ways, 99 if max_depth is None else max_depth, max_hops)
    assert Counter(link for notes in ranks.notes for link in notes.links_told) == links
    assert sum(counters.links for counters in ranks.counters) == links.total()
    assert sum(counters.links_out_of_scope for counters in ranks.counters) == dropped


def _shorter(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return (min(one[0], other[0]), min(one[1], other[1]))


def _is_far(way: tuple[int, int], max_depth: int | None, max_hops: int) -> bool:
    return (max_depth is not None and way[0] > max_depth) or way[1] > max_hops


def _compare(ranks: Ranks, ways: dict[str, tuple[int, int]], max_depth: int, max_hops: int) -> None:
    for rank, discovery in enumerate(ranks.all):
        own = {url: way for url, way in ways.items() if url_hash(url) % RANKS == rank}
        assert sorted(ranks.notes[rank].urls_told) == sorted(own)
        assert ranks.counters[rank].discovered == len(discovery.seen) == len(own)
        near = [url for url, (depth, hops) in own.items() if depth <= max_depth and hops <= max_hops]
        assert sorted(ranks.frontiers[rank].urls) == sorted(near)


def test_a_shorter_way_is_told_to_the_owner() -> None:
    """Otherwise --max-depth leaves pages out that a crawl by one rank fetches."""
    ranks = Ranks(2, depth=2)
    (target, *_) = [url for url in URLS if url_hash(url) % 2 == 0]
    for depth in (3, 2):
        ranks.all[1].links_of(url_hash(URLS[-depth]), depth, listed([target], [0]))
        ranks.exchange()
    assert ranks.frontiers[0].urls == [target]


def test_a_url_is_sent_once_however_often_it_is_found() -> None:
    ranks = Ranks()
    sent: Counter[str] = Counter()
    for number in range(5):
        for discovery in ranks.all:
            discovery.links_of(url_hash(URLS[number]), 1, listed(URLS, [0] * len(URLS)))
            discovery.links_of(url_hash(URLS[number + 5]), 2, listed(URLS, [0] * len(URLS)))
        for batches in ranks.exchange():
            for batch in batches:
                sent.update(batch.urls)
                assert batch.urls == sorted(batch.urls)
    assert set(sent) == set(URLS)
    assert all(count <= RANKS - 1 for count in sent.values())
    assert not any(discovery.resent for discovery in ranks.all)


def test_links_wait_for_a_batch_and_are_settled_when_there_is_one() -> None:
    ranks = Ranks(1, links_per_batch=10)
    ranks.all[0].links_of(url_hash(URLS[0]), 1, listed(URLS[1:9], [0] * 8))
    assert ranks.all[0].undelivered == 8
    assert not ranks.frontiers[0].urls
    ranks.all[0].links_of(url_hash(URLS[1]), 1, listed(URLS[2:6], [0] * 4))
    assert ranks.all[0].undelivered == 0
    assert ranks.frontiers[0].urls == URLS[1:9], "in the order in which they were found"


def test_urls_of_others_are_queued_nearest_first() -> None:
    ranks = Ranks(2)
    mine = [url for url in URLS if url_hash(url) % 2 == 0]
    for depth, url in zip((3, 1, 2, 1), mine, strict=False):
        ranks.all[1].links_of(url_hash(URLS[-1]), depth, listed([url], [0]))
    ranks.exchange()
    assert ranks.frontiers[0].urls == [*sorted([mine[1], mine[3]]), mine[2], mine[0]]


def test_links_to_the_page_itself_drop_out() -> None:
    ranks = Ranks(1)
    ranks.all[0].links_of(url_hash(URLS[0]), 1, listed([URLS[0], URLS[1]], [REDIRECT, NOFOLLOW]))
    ranks.exchange()
    assert ranks.notes[0].links_told == [(URLS[0], URLS[1], NOFOLLOW)]
    assert ranks.frontiers[0].urls == [URLS[1]]


def test_depths_and_hops_beyond_their_columns_stay_at_the_end() -> None:
    ranks = Ranks(1)
    ranks.all[0].links_of(url_hash(URLS[0]), 0x10000, listed([URLS[1]], [0]), hops=256)
    ranks.exchange()
    assert way_to(ranks.all[0], URLS[1]) == (0xFFFF, 0xFF)


def test_seeds_are_shared_out_among_their_owners() -> None:
    ranks = Ranks()
    ranks.seed(URLS)
    for rank in range(RANKS):
        assert ranks.frontiers[rank].urls == [url for url in URLS if url_hash(url) % RANKS == rank]


@dataclass
class Finder:
    """Whoever asks owns a URL: what "discoverer" says of URLs that no map holds."""

    rank: int
    name: str = "page-partition/discoverer"
    ranks: int = RANKS

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Any:
        return np.full(len(urls), self.rank, np.int32)


def test_seeds_go_to_one_rank_each_though_finders_own_what_they_find() -> None:
    ranks = Ranks(assignments=[Finder(rank) for rank in range(RANKS)])
    for discovery in ranks.all:
        discovery.seed(URLS, PageHash(RANKS))
    for rank, frontier in enumerate(ranks.frontiers):
        assert frontier.urls == [url for url in URLS if url_hash(url) % RANKS == rank]
    found = "http://found.example/"
    URL_OF[url_hash(found)] = found
    for rank, discovery in enumerate(ranks.all):
        discovery.links_of(url_hash(ranks.frontiers[rank].urls[0]), 1, listed([found], [0]))
    assert not any(len(batch) for batches in ranks.exchange() for batch in batches)
    assert all(frontier.urls[-1] == found for frontier in ranks.frontiers)
