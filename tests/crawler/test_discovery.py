"""From found links to frontiers: several ranks in one process, against what plain sets and dicts say."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler import discovery as module
from crawler.counters import Counters
from crawler.discovery import Discovery, Limits, _shortest_ways
from crawler.frontcoding import decode, encode
from crawler.ordering import BreadthFirst
from crawler.scope import Scope
from crawler.stages import StageClock
from crawler.urlbatch import UrlBatch
from partition.assignment import Assignment
from partition.hashing import PageHash, assignment_named
from sessions.recorder import Recorder
from sessions.schema import NOFOLLOW, REDIRECT
from sessions.url import Hashes, url_hash, url_hashes
from tests.crawler.batches import BATCHES, batch_of, rows_of

RANKS = 3
URLS = [f"http://{site}.example/{number}" for site in "abc" for number in range(8)]
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

    def urls(self, hashes: Hashes, urls: Sequence[str]) -> None:
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
    ) -> None:
        self.frontiers = [Frontier() for _ in range(ranks)]
        self.notes = [Notes() for _ in range(ranks)]
        self.counters = [Counters() for _ in range(ranks)]
        self.all = [
            Discovery(
                rank,
                assignment=assignments[rank] if assignments else PageHash(ranks),
                scope=scope or Scope(),
                limits=Limits(depth, hops),
                ordering=self.frontiers[rank],
                recorder=cast(Recorder, self.notes[rank]),
                sent_budget=budget,
                counters=self.counters[rank],
                clock=StageClock(),
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
        sent = [discovery.outgoing() for discovery in self.all]
        for rank, discovery in enumerate(self.all):
            discovery.receive([decode(encode(batches[rank])) for batches in sent])
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


@settings(max_examples=150)
@given(SEEDS, ROUNDS, st.one_of(st.none(), st.integers(0, 4)), st.integers(0, 2), st.booleans())
def test_every_url_found_is_accepted_once_by_its_owner_and_queued_if_it_is_near_enough(
    seeds: list[str],
    rounds: list[list[tuple[int, str, int, int, dict[str, int]]]],
    max_depth: int | None,
    max_hops: int,
    is_scoped: bool,
) -> None:
    scope = Scope(sites=["a.example", "b.example"]) if is_scoped else Scope()
    seeds = [url for url in seeds if scope.contains([url])[0]]
    ranks = Ranks(depth=max_depth, hops=max_hops, scope=scope)
    ranks.seed(seeds)
    ways = dict.fromkeys(seeds, (0, 0))
    sent: list[set[str]] = [set() for _ in range(RANKS)]
    sent_from_afar: list[set[str]] = [set() for _ in range(RANKS)]
    links: Counter[tuple[str, str, int]] = Counter()
    dropped = 0
    for found in rounds:
        told: dict[tuple[int, str], tuple[int, int]] = {}
        for rank, source, depth, hops, targets in found:
            ranks.all[rank].links_of(url_hash(source), depth, list(targets), list(targets.values()), hops=hops)
            for target, flag in targets.items():
                if target == source:
                    continue
                if not scope.contains([target])[0]:
                    dropped += 1
                    continue
                links[source, target, flag] += 1
                is_near = (max_depth is None or depth <= max_depth) and hops <= max_hops
                if url_hash(target) % RANKS == rank or not (
                    target in sent[rank] or (not is_near and target in sent_from_afar[rank])
                ):
                    known = told.get((rank, target), (99, 99))
                    told[rank, target] = (min(known[0], depth), min(known[1], hops))
        for (rank, target), (depth, hops) in told.items():
            known = ways.get(target, (99, 99))
            ways[target] = (min(known[0], depth), min(known[1], hops))
            is_near = (max_depth is None or depth <= max_depth) and hops <= max_hops
            (sent if is_near else sent_from_afar)[rank].add(target)
        ranks.exchange()
        _compare(ranks, ways, 99 if max_depth is None else max_depth, max_hops)
    assert Counter(link for notes in ranks.notes for link in notes.links_told) == links
    assert sum(counters.links for counters in ranks.counters) == links.total()
    assert sum(counters.links_out_of_scope for counters in ranks.counters) == dropped


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
        ranks.all[1].links_of(url_hash(URLS[-depth]), depth, [target], [0])
        ranks.exchange()
    assert ranks.frontiers[0].urls == [target]


def test_a_url_is_sent_once_however_often_it_is_found() -> None:
    ranks = Ranks()
    sent: Counter[str] = Counter()
    for number in range(5):
        for discovery in ranks.all:
            discovery.links_of(url_hash(URLS[number]), 1, URLS, [0] * len(URLS))
            discovery.links_of(url_hash(URLS[number + 5]), 2, URLS, [0] * len(URLS))
        for batches in ranks.exchange():
            for batch in batches:
                sent.update(batch.urls)
                assert batch.urls == sorted(batch.urls)
    assert set(sent) == set(URLS)
    assert all(count <= RANKS - 1 for count in sent.values())
    assert not any(discovery.resent for discovery in ranks.all)


def test_what_was_forgotten_is_sent_again_and_counted() -> None:
    ranks = Ranks(2, budget=0)
    (first, *others) = [url for url in URLS if url_hash(url) % 2]
    for target in (first, *others, first):
        ranks.all[0].links_of(url_hash(next(url for url in URLS if url != target)), 1, [target], [0])
        ranks.exchange()
    assert ranks.all[0].resent == 1
    assert ranks.notes[1].urls_told == [first, *others], "and the owner knows it already"


def test_links_wait_for_a_batch_and_are_settled_when_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINKS_PER_BATCH", 10)
    ranks = Ranks(1)
    ranks.all[0].links_of(url_hash(URLS[0]), 1, URLS[1:9], [0] * 8)
    assert ranks.all[0].undelivered == 8
    assert not ranks.frontiers[0].urls
    ranks.all[0].links_of(url_hash(URLS[1]), 1, URLS[2:6], [0] * 4)
    assert ranks.all[0].undelivered == 0
    assert ranks.frontiers[0].urls == URLS[1:9], "in the order in which they were found"


def test_urls_of_others_are_queued_nearest_first() -> None:
    ranks = Ranks(2)
    mine = [url for url in URLS if url_hash(url) % 2 == 0]
    for depth, url in zip((3, 1, 2, 1), mine, strict=False):
        ranks.all[1].links_of(url_hash(URLS[-1]), depth, [url], [0])
    ranks.exchange()
    assert ranks.frontiers[0].urls == [*sorted([mine[1], mine[3]]), mine[2], mine[0]]


def test_links_to_the_page_itself_drop_out() -> None:
    ranks = Ranks(1)
    ranks.all[0].links_of(url_hash(URLS[0]), 1, [URLS[0], URLS[1]], [REDIRECT, NOFOLLOW])
    ranks.exchange()
    assert ranks.notes[0].links_told == [(URLS[0], URLS[1], NOFOLLOW)]
    assert ranks.frontiers[0].urls == [URLS[1]]


def test_depths_and_hops_beyond_their_columns_stay_at_the_end() -> None:
    ranks = Ranks(1)
    ranks.all[0].links_of(url_hash(URLS[0]), 0x10000, [URLS[1]], [0], hops=256)
    ranks.exchange()
    assert ranks.all[0].seen.way_to(url_hash(URLS[1])) == (0xFFFF, 0xFF)


@pytest.mark.parametrize(
    ("limits", "depth", "hops", "is_near"),
    [
        (Limits(None, 10), 0xFFFF, 10, True),
        (Limits(None, 10), 0, 11, False),
        (Limits(0, 0), 0, 0, True),
        (Limits(0, 0), 1, 0, False),
        (Limits(5, 254), 5, 254, True),
        (Limits(5, 255), 5, 255, False),
        (Limits(70_000, 0), 0xFFFF, 0, True),
    ],
)
def test_limits(limits: Limits, depth: int, hops: int, is_near: bool) -> None:
    assert limits.allow(np.array([depth], np.uint16), np.array([hops], np.uint8)).tolist() == [is_near]


def test_seeds_are_shared_out_among_their_owners() -> None:
    ranks = Ranks()
    ranks.seed(URLS)
    for rank in range(RANKS):
        assert ranks.frontiers[rank].urls == [url for url in URLS if url_hash(url) % RANKS == rank]


# one rank with a real queue on disk

ALL = Scope()
FAR = Limits(None, 20)
BUDGET = 1 << 20
PAGE = url_hash("http://page.example/")
"""A page whose links are found; no test has a link to it."""


class Remembering:
    """A recorder in memory."""

    def __init__(self) -> None:
        self.known: list[tuple[int, str]] = []
        self.found: list[tuple[int, int, int]] = []

    def urls(self, hashes: np.ndarray, urls: Sequence[str]) -> None:
        self.known += zip(hashes.tolist(), urls, strict=True)

    def links(self, sources: np.ndarray, targets: np.ndarray, flags: np.ndarray) -> None:
        self.found += zip(sources.tolist(), targets.tolist(), flags.tolist(), strict=True)


class Found:
    """A rank's `Discovery` with what is around it."""

    def __init__(
        self,
        folder: Path,
        rank: int,
        assignment: Assignment,
        *,
        scope: Scope = ALL,
        limits: Limits = FAR,
        budget: int = BUDGET,
    ) -> None:
        self.ordering = BreadthFirst(folder / f"rank-{rank}", 8)
        self.recorder = Remembering()
        self.counters = Counters()
        self.clock = StageClock()
        self.discovery = Discovery(
            rank,
            assignment=assignment,
            scope=scope,
            limits=limits,
            ordering=self.ordering,
            recorder=self.recorder,  # type: ignore[arg-type]
            sent_budget=budget,
            counters=self.counters,
            clock=self.clock,
        )

    def find(self, urls: Sequence[str], *, depth: int = 1, hops: int = 0, source: int = PAGE) -> None:
        """A page's links, decided on at once."""
        self.discovery.links_of(source, depth, list(urls), [0] * len(urls), hops=hops)
        self.discovery.settle()

    def queued(self) -> list[str]:
        """Take all that is queued."""
        return self.ordering.take(len(self.ordering)).urls

    def way_to(self, url: str) -> tuple[int, int]:
        return self.discovery.seen.way_to(url_hash(url))


ASSIGNMENT = assignment_named("page-hash", 3)
OWN, ONE, TWO = (
    [
        url
        for url in (f"http://s{number % 5}.example/{number}" for number in range(200))
        if ASSIGNMENT.owners(url_hashes([url]), [url]).item() == rank
    ]
    for rank in range(3)
)
"""URLs of rank 0, which is tested, and of the two others."""


@pytest.fixture
def found(tmp_path: Path) -> Found:
    return Found(tmp_path, 0, ASSIGNMENT)


def test_a_url_that_many_pages_of_one_batch_link_to_is_queued_once(found: Found) -> None:
    for source in range(5):
        found.discovery.links_of(source, 9 - source, [OWN[0], ONE[0]], [1, 2])
    found.discovery.settle()
    assert found.queued() == [OWN[0]]
    assert found.way_to(OWN[0]) == (5, 0)
    assert [rows_of(batch) for batch in found.discovery.outgoing()] == [
        [],
        rows_of(batch_of([ONE[0]], [5], [0], [2])),
        [],
    ]
    assert len(found.recorder.found) == found.counters.links == 10


def test_urls_of_others_are_handed_to_their_owners_once_and_sorted(found: Found) -> None:
    found.find([TWO[5], ONE[9], OWN[0], ONE[2], TWO[1]], depth=3, hops=1)
    found.find([ONE[5], TWO[5], ONE[2]], depth=4)
    assert found.discovery.undelivered == 5
    outgoing = found.discovery.outgoing()
    assert rows_of(outgoing[0]) == []
    expected_one = sorted([(ONE[9], 3, 1), (ONE[2], 3, 1), (ONE[5], 4, 0)])
    assert [(url, depth, hops) for url, _, depth, hops, _ in rows_of(outgoing[1])] == expected_one
    assert [(url, depth) for url, _, depth, _, _ in rows_of(outgoing[2])] == sorted([(TWO[5], 3), (TWO[1], 3)])
    assert [batch.hashes.tolist() for batch in outgoing] == [url_hashes(batch.urls).tolist() for batch in outgoing]
    assert found.discovery.undelivered == 0
    found.find([ONE[5], TWO[5], ONE[2]], depth=1)
    assert [len(batch) for batch in found.discovery.outgoing()] == [0, 0, 0]
    assert found.queued() == [OWN[0]]
    assert [url for _, url in found.recorder.known] == [OWN[0]], "another's URL is not this rank's to record"


def test_links_are_recorded_once_each_with_their_flags(found: Found) -> None:
    found.discovery.links_of(7, 1, [OWN[0], ONE[0]], [1, 2])
    found.discovery.links_of(8, 1, [], [])
    found.discovery.links_of(9, 2, [ONE[0], OWN[0], TWO[0]], [4, 3, 0])
    assert found.recorder.found == []
    found.discovery.settle()
    found.discovery.settle()
    expected = [(7, OWN[0], 1), (7, ONE[0], 2), (9, ONE[0], 4), (9, OWN[0], 3), (9, TWO[0], 0)]
    assert found.recorder.found == [(source, url_hash(url), flags) for source, url, flags in expected]
    assert found.counters.links == 5


def test_links_out_of_scope_are_dropped_and_counted(tmp_path: Path) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT, scope=Scope(sites=["s1.example", "s2.example"]))
    urls = [*OWN[:20], *ONE[:20], *TWO[:20]]
    inside = [url for url in urls if url.startswith(("http://s1.", "http://s2."))]
    found.find(urls)
    assert found.counters.links_out_of_scope == len(urls) - len(inside)
    assert [target for _, target, _ in found.recorder.found] == [url_hash(url) for url in inside]
    assert found.counters.links == len(inside)
    sent = [url for batch in found.discovery.outgoing() for url in batch.urls]
    assert sorted([*found.queued(), *sent]) == sorted(inside)
    found.find(urls)
    assert found.counters.links_out_of_scope == 2 * (len(urls) - len(inside)), "counted for every link"
    assert found.counters.links == 2 * len(inside)


def test_time_spent_on_settling_is_put_down_to_it_and_the_stage_before_goes_on(found: Found) -> None:
    found.clock.enter("parse")
    found.find([OWN[0], ONE[0]])
    found.discovery.settle()
    assert found.clock.enter("other") == "parse"
    assert all(found.clock.seconds()[stage] > 0 for stage in ("links", "seen", "record"))


def test_a_shorter_way_counts_until_the_url_is_fetched(found: Found) -> None:
    found.find([OWN[0]], depth=5, hops=2)
    assert found.way_to(OWN[0]) == (5, 2)
    found.find([OWN[0]], depth=3, hops=4)
    assert found.way_to(OWN[0]) == (3, 2)
    found.discovery.receive([batch_of([OWN[0]], [9], [1])])
    assert found.way_to(OWN[0]) == (3, 1)
    assert found.queued() == [OWN[0]]


@pytest.mark.parametrize(
    ("beyond", "nearer", "near"),
    [((4, 0), (4, 2), (3, 0)), ((0, 3), (3, 4), (0, 2)), ((4, 3), (3, 3), (4, 2)), ((0xFFFF, 0xFF), (4, 0), (3, 2))],
)
def test_a_url_beyond_the_limits_is_known_and_queued_once_there_is_a_shorter_way(
    tmp_path: Path, beyond: tuple[int, int], nearer: tuple[int, int], near: tuple[int, int]
) -> None:
    """Over a limit, still over one, within both: found here or by another rank."""
    for rank, is_found_here in ((0, True), (1, False)):
        found = Found(tmp_path / str(is_found_here), rank, ASSIGNMENT, limits=Limits(3, 2))
        url = (OWN, ONE)[rank][0]

        def meet(
            way: tuple[int, int], times: int, found: Found = found, url: str = url, here: bool = is_found_here
        ) -> None:
            if here:
                for source in range(times):
                    found.discovery.links_of(source, way[0], [url], [0], hops=way[1])
                found.discovery.settle()
            else:
                found.discovery.receive([batch_of([url], [way[0]], [way[1]]) for _ in range(times)])

        meet(beyond, 2)
        assert found.counters.discovered == 1
        assert [known for _, known in found.recorder.known] == [url]
        meet(nearer, 2)
        assert found.queued() == []
        meet(near, 2)
        assert found.queued() == [url], "and only once"
        meet((0, 0), 2)
        assert found.queued() == []
        assert found.counters.discovered == len(found.recorder.known) == 1
        assert found.way_to(url) == (0, 0)


def test_of_several_ways_in_one_batch_the_shortest_decides(tmp_path: Path) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT, limits=Limits(3, 2))
    for depth in (9, 3, 7):
        found.discovery.links_of(depth, depth, [OWN[0], OWN[1]], [0, 0])
        found.discovery.links_of(depth, depth + 1, [OWN[2]], [0])
    found.discovery.settle()
    assert found.queued() == OWN[:2]


@settings(derandomize=True, deadline=None)
@given(BATCHES, st.lists(st.integers(0, 29), max_size=30))
def test_each_url_once_with_its_shortest_ways(batch: UrlBatch, picks: list[int]) -> None:
    batch = batch.take(np.array([pick % len(batch) for pick in picks] if len(batch) else [], np.intp))
    expected: dict[str, tuple[str, int, int, int, int]] = {}
    for url, url_hash_, depth, hops, flags in rows_of(batch):
        _, _, least_depth, least_hops, first_flags = expected.get(url, (url, url_hash_, depth, hops, flags))
        expected[url] = (url, url_hash_, min(depth, least_depth), min(hops, least_hops), first_flags)
    assert rows_of(_shortest_ways(batch)) == list(expected.values())


def test_a_url_that_several_ranks_send_is_queued_once_with_its_shortest_way(found: Found) -> None:
    found.discovery.receive(
        [
            batch_of([OWN[0], OWN[1], OWN[2]], [7, 2, 4], [0, 1, 0]),
            batch_of([]),
            batch_of([OWN[2], OWN[0], OWN[3]], [5, 3, 3], [0, 2, 0]),
        ]
    )
    assert found.queued() == [OWN[1], OWN[0], OWN[3], OWN[2]], "nearest first, else as they came"
    assert [found.way_to(url) for url in OWN[:4]] == [(3, 0), (2, 1), (4, 0), (3, 0)]
    assert found.counters.discovered == len(found.recorder.known) == 4
    found.discovery.receive([batch_of([OWN[3]])])
    assert found.queued() == []
    assert found.recorder.found == []
    assert found.counters.links == found.discovery.undelivered == 0


# K ranks with both assignments, against a plain search of a graph

Graph = dict[str, list[str]]


def plain_search(graph: Graph, seeds: Sequence[str], scope: Scope = ALL, depth: int | None = None) -> dict[str, int]:
    """Every URL that can be reached from the seeds, with its depth; from pages at most at ``depth`` links are taken."""
    depths = dict.fromkeys(seeds, 0)
    level = list(depths)
    for number in count(1):
        if not level or (depth is not None and number > depth + 1):
            return depths
        targets = dict.fromkeys(target for page in level for target in graph[page] if target not in depths)
        level = [target for target, is_in in zip(targets, scope.contains(list(targets)), strict=True) if is_in]
        depths |= dict.fromkeys(level, number)
    raise AssertionError


class Cluster:
    """K ranks that fetch pages of a graph and exchange what they find."""

    def __init__(self, folder: Path, graph: Graph, assignment: Assignment, **options: object) -> None:
        self.graph = graph
        self.assignment = assignment
        self.ranks = [Found(folder, rank, assignment, **options) for rank in range(assignment.ranks)]  # type: ignore[arg-type]
        self.fetched: Counter[str] = Counter()

    def fetch(self, found: Found, most: int) -> None:
        for url, depth in self._taken(found, most):
            self.fetched[url] += 1
            links = list(dict.fromkeys(self.graph[url]))
            found.discovery.links_of(url_hash(url), depth + 1, links, [0] * len(links))

    def _taken(self, found: Found, most: int) -> list[tuple[str, int]]:
        return [(url, found.way_to(url)[0]) for url in found.ordering.take(most).urls]

    def exchange(self) -> int:
        """How many URLs were undelivered."""
        for found in self.ranks:
            found.discovery.settle()
        undelivered = sum(found.discovery.undelivered for found in self.ranks)
        outgoing = [found.discovery.outgoing() for found in self.ranks]
        assert undelivered == sum(len(batch) for batches in outgoing for batch in batches)
        for source, batches in enumerate(outgoing):
            assert not len(batches[source])
        for target, found in enumerate(self.ranks):
            found.discovery.receive([batches[target] for batches in outgoing])
        return undelivered

    def crawl(self, seeds: Sequence[str], most: Iterator[int]) -> None:
        """To the end; every rank fetches the next of ``most`` pages between two exchanges."""
        for found in self.ranks:
            found.discovery.seed(seeds)
        while True:
            for found in self.ranks:
                self.fetch(found, next(most))
            if not self.exchange() and not any(len(found.ordering) for found in self.ranks):
                return

    def discovered(self) -> dict[str, int]:
        """Every URL that was discovered, with its depth; each at its owner and nowhere else."""
        depths: dict[str, int] = {}
        for rank, found in enumerate(self.ranks):
            urls = [url for _, url in found.recorder.known]
            assert [url_hash_ for url_hash_, _ in found.recorder.known] == url_hashes(urls).tolist()
            assert (self.assignment.owners(url_hashes(urls), urls) == rank).all()
            assert found.counters.discovered == len(found.discovery.seen) == len(urls)
            assert not set(urls) & set(depths)
            assert len(set(urls)) == len(urls)
            depths |= {url: found.way_to(url)[0] for url in urls}
        return depths

    def links(self) -> Counter[tuple[int, int]]:
        assert all(found.counters.links == len(found.recorder.found) for found in self.ranks)
        return Counter((source, target) for found in self.ranks for source, target, _ in found.recorder.found)


@contextmanager
def cluster(graph: Graph, name: str, ranks: int, **options: object) -> Iterator[Cluster]:
    with TemporaryDirectory() as folder:
        yield Cluster(Path(folder), graph, assignment_named(name, ranks), **options)


def random_graph(seed: int, pages: int) -> tuple[Graph, list[str]]:
    """Pages on some sites with links, to themselves and double ones too; and seeds."""
    dice = random.Random(seed)
    sites = dice.randint(1, 8)
    urls = [f"http://s{dice.randrange(sites)}.example/{page}" for page in range(pages)]
    graph = {url: dice.choices(urls, k=dice.randrange(5)) for url in urls}
    return graph, dice.sample(urls, dice.randint(1, min(3, pages)))


def links_of(graph: Graph, sources: Sequence[str], scope: Scope = ALL) -> Counter[tuple[int, int]]:
    pairs = {(page, target) for page in sources for target in graph[page] if target != page}
    return Counter((url_hash(page), url_hash(target)) for page, target in pairs if scope.contains([target])[0])


NAMES = st.sampled_from(["page-hash", "site-hash"])
SMALL = settings(derandomize=True, deadline=None, max_examples=80)


@SMALL
@given(
    st.integers(0, 2**32),
    st.integers(1, 60),
    NAMES,
    st.integers(1, 4),
    st.integers(1, 60),
    st.sampled_from([0, BUDGET]),
)
def test_ranks_together_discover_what_a_plain_search_finds(
    seed: int, pages: int, name: str, ranks: int, links_per_batch: int, budget: int
) -> None:
    """However fast each of them fetches, however often links are settled, and whatever is forgotten."""
    graph, seeds = random_graph(seed, pages)
    expected = plain_search(graph, seeds)
    dice = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch, cluster(graph, name, ranks, budget=budget) as ours:
        patch.setattr(module, "LINKS_PER_BATCH", links_per_batch)
        ours.crawl(seeds, iter(lambda: dice.randrange(8), None))
        assert set(ours.discovered()) == set(expected)
        assert ours.fetched == dict.fromkeys(expected, 1)
        assert ours.links() == links_of(graph, list(expected))


@SMALL
@given(
    st.integers(0, 2**32),
    st.integers(1, 60),
    NAMES,
    st.integers(1, 4),
    st.one_of(st.none(), st.integers(0, 5)),
    st.booleans(),
)
def test_ranks_that_fetch_level_by_level_go_as_deep_as_a_plain_search(
    seed: int, pages: int, name: str, ranks: int, depth: int | None, is_scoped: bool
) -> None:
    graph, _ = random_graph(seed, pages)
    seeds = [url for url in graph if url.startswith("http://s0.")][:2] or list(graph)[:1]
    scope = Scope(sites=["s0.example", "s1.example", "s2.example"]) if is_scoped else ALL
    if not scope.contains(seeds).all():
        scope = ALL
    expected = plain_search(graph, seeds, scope, depth)
    fetched = [url for url, at in expected.items() if depth is None or at <= depth]
    with cluster(graph, name, ranks, scope=scope, limits=Limits(depth, 20)) as ours:
        ours.crawl(seeds, iter(lambda: 10**6, None))
        assert ours.discovered() == expected
        assert ours.fetched == dict.fromkeys(fetched, 1)
        assert ours.links() == links_of(graph, fetched, scope)
        outside = sum(not scope.contains([target])[0] for page in fetched for target in set(graph[page]) - {page})
        assert sum(found.counters.links_out_of_scope for found in ours.ranks) == outside


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
        discovery.links_of(url_hash(ranks.frontiers[rank].urls[0]), 1, [found], [0])
    assert not any(len(batch) for batches in ranks.exchange() for batch in batches)
    assert all(frontier.urls[-1] == found for frontier in ranks.frontiers)
