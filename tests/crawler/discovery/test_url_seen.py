"""URL-seen, against a dict: in memory, and on disk with next to no memory."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.depth_limits import Limits
from crawler.discovery.url_seen import Admitted, Seen
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.urls.batch import Mask, UrlBatch
from sessions.url import Hashes, url_hash, url_hashes
from tests.crawler.support.batches import batch_of

MUCH, TINY = 1 << 20, 100
FAR = Limits(None, 20)
URLS = [f"http://a.example/{number}" for number in range(12)]

Way = tuple[int, int]
Find = tuple[str, Way]


class Dealt(NamedTuple):
    """A URL that is to be dealt with, with what travelled beside it."""

    url: str
    way: Way
    flags: int
    owner: int
    is_new: bool


class Oracle:
    """What a dict knows of the same URLs, and what it would have had dealt with."""

    def __init__(self, limits: Limits) -> None:
        self.ways: dict[str, Way] = {}
        self.dealt: list[Dealt] = []
        self.nearer: list[tuple[str, Way]] = []
        self._limits = limits

    def is_near(self, way: Way) -> bool:
        return way[0] <= self._limits.depth and way[1] <= self._limits.hops

    def is_stale(self, url: str, way: Way) -> bool:
        return url in self.ways and self.ways[url][0] <= way[0] and self.ways[url][1] <= way[1]

    def meet(self, finds: list[Find]) -> None:
        for url, (depth, hops) in finds:
            before = self.ways.get(url)
            after = (depth, hops) if before is None else (min(before[0], depth), min(before[1], hops))
            self.ways[url] = after
            if before not in (None, after):
                self.nearer.append((url, after))
            if before is None or (not self.is_near(before) and self.is_near(after)):
                self.dealt.append(Dealt(url, after, *beside(url, (depth, hops)), is_new=before is None))

    def settle(self, urls: list[str]) -> None:
        self.ways |= dict.fromkeys(urls, (0, 0))


def beside(url: str, way: Way) -> tuple[int, int]:
    """Flags and owner of a URL that is met on a way."""
    return (url_hash(url) + way[0]) % 256, (url_hash(url) + way[1]) % 0x10000


class Seens:
    """A `Seen`, what it admitted, and what it found nearer."""

    def __init__(
        self, folder: Path, budget: int, limits: Limits = FAR, keep_alive: KeepAlive = NOTHING_TO_SERVE
    ) -> None:
        self.dealt: list[Dealt] = []
        self.nearer: list[tuple[int, Way]] = []
        self.seen = Seen(folder, "seen", budget, limits, keep_alive)

    def meet(self, finds: list[Find]) -> None:
        notes = [beside(*find) for find in finds]
        batch = batch_of(
            [url for url, _ in finds],
            [depth for _, (depth, _) in finds],
            [hops for _, (_, hops) in finds],
            [flags for flags, _ in notes],
        )
        self.deal(self.seen.check_and_add(batch, np.array([owner for _, owner in notes], np.int32)))

    def settle(self, hashes: Hashes) -> None:
        self.deal(self.seen.settle(hashes))

    def merge(self) -> None:
        self.deal(self.seen.merge())

    def deal(self, admitted: Iterator[Admitted]) -> None:
        for batch, owners, is_new, nearer in admitted:
            assert batch.hashes.tolist() == url_hashes(batch.urls).tolist()
            ways = zip(batch.depths.tolist(), batch.hops.tolist(), strict=True)
            rows = zip(batch.urls, ways, batch.flags.tolist(), owners.tolist(), is_new.tolist(), strict=True)
            self.dealt += [Dealt(*row) for row in rows]
            if nearer is not None:
                hashes, depths, hops = (column.tolist() for column in nearer)
                self.nearer += zip(hashes, zip(depths, hops, strict=True), strict=True)


@pytest.fixture
def seens(tmp_path: Path) -> Callable[..., Seens]:
    return lambda budget=TINY, limits=FAR: Seens(tmp_path, budget, limits)


def of_ways(finds: list[Find]) -> UrlBatch:
    return batch_of([url for url, _ in finds], [way[0] for _, way in finds], [way[1] for _, way in finds])


def all_ways(seen: Seen) -> Iterator[tuple[int, Way]]:
    for hashes, ways in seen.all():
        yield from zip(hashes.tolist(), zip(ways["depth"].tolist(), ways["hops"].tolist(), strict=True), strict=True)


DEPTHS = st.one_of(st.integers(0, 5), st.integers(0, 0xFFFF))
HOPS = st.one_of(st.integers(0, 5), st.integers(0, 0xFF))
FINDS = st.dictionaries(st.sampled_from(URLS), st.tuples(DEPTHS, HOPS), max_size=8).map(lambda finds: [*finds.items()])
SOME = st.lists(st.sampled_from(URLS), unique=True, max_size=4)
STORIES = st.lists(
    st.one_of(
        st.tuples(st.just("meet"), FINDS),
        st.tuples(st.just("meet what is news"), FINDS),
        st.tuples(st.just("settle"), SOME),
        st.tuples(st.just("flush"), st.none()),
    ),
    max_size=12,
)
LIMITS = st.builds(Limits, st.one_of(st.none(), st.integers(0, 5)), st.integers(0, 5))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(STORIES, LIMITS, st.sampled_from([MUCH, TINY]), st.integers(0, 40))
def test_each_url_is_dealt_with_when_it_is_new_and_when_it_first_comes_within_the_limits(
    story: list[tuple[str, list]], limits: Limits, budget: int, others: int
) -> None:
    """``others`` are met first, so that what is in memory at first goes to disk sooner or later."""
    oracle = Oracle(limits)
    with TemporaryDirectory() as folder:
        ours = Seens(Path(folder), budget, limits)
        fill: list[Find] = [(f"http://other.example/{number}", (0, 0)) for number in range(others)]
        for what, items in [("meet", fill), *story, ("flush", [])]:
            tell(ours, oracle, what, items)
            assert is_part_of(ours.dealt, oracle.dealt)
            if not ours.seen.pending:
                assert Counter(ours.dealt) == Counter(oracle.dealt)
                assert Counter(ours.nearer) == Counter((url_hash(url), way) for url, way in oracle.nearer)
                assert dict(all_ways(ours.seen)) == {url_hash(url): way for url, way in oracle.ways.items()}
                assert len(ours.seen) == len(oracle.ways)
        if budget == MUCH:
            assert ours.dealt == oracle.dealt, "in order of arrival"
            assert not list(Path(folder).iterdir())


def tell(ours: Seens, oracle: Oracle, what: str, items: list) -> None:
    if what == "settle":
        ours.settle(url_hashes(items))
        oracle.settle(items)
    elif what == "flush":
        ours.merge()
        assert ours.seen.pending == 0
    else:
        if what == "meet what is news":
            items = news(ours, oracle, items)
        ours.meet(items)
        oracle.meet(items)


def are_stale(seen: Seen, batch: UrlBatch) -> Mask:
    return seen.is_stale(batch.hashes, batch.depths, batch.hops)


def news(ours: Seens, oracle: Oracle, finds: list[Find]) -> list[Find]:
    """What is not said to be stale; what is said so must be."""
    is_stale = are_stale(ours.seen, of_ways(finds)).tolist()
    truth = [oracle.is_stale(*find) for find in finds]
    assert all(true for said, true in zip(is_stale, truth, strict=True) if said)
    if ours.seen._drum.is_in_memory:
        assert is_stale == truth
    return [find for find, said in zip(finds, is_stale, strict=True) if not said]


def is_part_of(dealt: list[Dealt], expected: list[Dealt]) -> bool:
    """Of each URL the first that are expected, in their order, nothing else and nothing twice."""
    for url in {one.url for one in dealt}:
        of_url = [one for one in dealt if one.url == url]
        if of_url != [one for one in expected if one.url == url][: len(of_url)]:
            return False
    return True


@settings(derandomize=True, deadline=None)
@given(st.lists(FINDS, max_size=6), LIMITS, st.sampled_from([MUCH, TINY]))
def test_what_lies_beyond_the_limits_is_told_with_the_reason(
    rounds: list[list[Find]], limits: Limits, budget: int
) -> None:
    oracle = Oracle(limits)
    with TemporaryDirectory() as folder:
        ours = Seens(Path(folder), budget, limits)
        for finds in rounds:
            tell(ours, oracle, "meet", finds)
        ours.merge()
        told = [row for hashes, deep in ours.seen.beyond() for row in zip(hashes.tolist(), deep.tolist(), strict=True)]
    expected = {url_hash(url): way[0] > limits.depth for url, way in oracle.ways.items() if not oracle.is_near(way)}
    assert len(told) == len(expected)
    assert dict(told) == expected


@settings(derandomize=True, deadline=None)
@given(st.lists(FINDS, max_size=6), st.booleans(), st.sampled_from([MUCH, 1 << 14, TINY]))
def test_a_queued_url_has_the_shortest_way_that_was_found_since(
    rounds: list[list[Find]], flushes: bool, budget: int
) -> None:
    """On disk as soon as it was merged; with next to no memory it may be forgotten, but is never made up."""
    oracle = Oracle(FAR)
    with TemporaryDirectory() as folder:
        ours = Seens(Path(folder), budget)
        if budget < MUCH:
            others = 1000 if budget > TINY else 20  # more than fit
            ours.settle(url_hashes([f"http://other.example/{number}" for number in range(others)]))
            assert not ours.seen._drum.is_in_memory
        for finds in rounds:
            tell(ours, oracle, "meet", finds)
            if flushes:
                ours.merge()
        ours.merge()
        queued = of_ways([(one.url, one.way) for one in ours.dealt if one.is_new])
        depths, hops = ours.seen.shortest(queued.hashes, queued.depths, queued.hops)
        one_by_one = [
            ours.seen.shortest_way(*row)
            for row in zip(queued.hashes.tolist(), queued.depths.tolist(), queued.hops.tolist(), strict=True)
        ]
    shortest = [*zip(depths.tolist(), hops.tolist(), strict=True)]
    assert one_by_one == shortest
    ways = [oracle.ways[url] for url in queued.urls]
    if budget > TINY:
        assert shortest == ways
    assert (depths <= queued.depths).all()
    assert (hops <= queued.hops).all()
    assert all(way[0] <= one[0] and way[1] <= one[1] for way, one in zip(ways, shortest, strict=True))


@pytest.mark.parametrize("budget", [MUCH, TINY])
def test_what_is_settled_is_never_new_whenever_that_is_merged(seens: Callable[..., Seens], budget: int) -> None:
    ours = seens(budget, Limits(3, 0))
    ours.meet([(url, (9, 0)) for url in URLS[:4]])
    ours.settle(url_hashes(URLS[2:6]))
    ours.meet([(url, (1, 0)) for url in URLS[:8]])
    ours.merge()
    assert Counter((one.url, one.is_new) for one in ours.dealt) == Counter(
        [(url, True) for url in [*URLS[:4], *URLS[6:8]]] + [(url, False) for url in URLS[:2]]
    )
    assert [len(hashes) for hashes, _ in ours.seen.beyond()] == []


def test_what_was_met_lately_is_known_on_disk_too(seens: Callable[..., Seens]) -> None:
    """Most links lead to URLs that were met not long ago: those are not put in again."""
    ours = seens(1 << 16)
    many = [f"http://a.example/{number}" for number in range(20_000)]
    for start in range(0, len(many), 100):
        ours.meet([(url, (1, 0)) for url in many[start : start + 100]])
    assert not ours.seen._drum.is_in_memory
    assert are_stale(ours.seen, batch_of(many[-100:], [1] * 100)).all()
    assert not are_stale(ours.seen, batch_of(many[-100:], [0] * 100)).any(), "a nearer way is news"
    assert not are_stale(ours.seen, batch_of([url + "x" for url in many[-100:]], [1] * 100)).any()


def test_hashes_are_found_among_a_hundred_thousand(seens: Callable[..., Seens]) -> None:
    ours = seens(16 << 20)
    urls = [f"http://a.example/{number}" for number in range(100_000)]
    for start in range(0, len(urls), 9999):
        ours.deal(ours.seen.check_and_add(batch_of(urls[start : start + 9999]), 0))
    assert [one.url for one in ours.dealt] == urls
    assert len(ours.seen) == len(urls)
    assert are_stale(ours.seen, batch_of(urls)).all()
    assert not are_stale(ours.seen, batch_of([url + "x" for url in urls[:1000]])).any()


def test_nothing_met_is_nothing_done(seens: Callable[..., Seens], tmp_path: Path) -> None:
    ours = seens()
    ours.meet([])
    ours.settle(url_hashes([]))
    ours.merge()
    assert (ours.dealt, ours.seen.pending, len(ours.seen)) == ([], 0, 0)
    assert list(ours.seen.beyond()) == []
    assert not list(tmp_path.iterdir())


def test_a_merge_serves_the_network_though_nothing_of_it_is_dealt_with(tmp_path: Path) -> None:
    served: list[int] = []
    ours = Seens(tmp_path, TINY, keep_alive=KeepAlive(lambda: served.append(1)))
    known = batch_of([f"http://a.example/{number}" for number in range(3000)])
    ours.deal(ours.seen.check_and_add(known, 0))
    ours.merge()
    served.clear()
    ours.settle(known.hashes[:1])
    assert served == []
    ours.merge()
    assert len(served) > 10


def test_of_several_ways_in_one_merge_the_shortest_is_remembered(seens: Callable[..., Seens]) -> None:
    ours = seens(1 << 16)
    ours.settle(url_hashes([f"http://other.example/{number}" for number in range(3000)]))  # more than fit in memory
    assert not ours.seen._drum.is_in_memory
    urls = [f"http://a.example/{number}" for number in range(40)]
    ours.meet([(url, (9, 9)) for url in urls])
    ours.merge()
    for way in range(8, 2, -1):
        ours.meet([(url, (way, way)) for url in urls[: 5 * way]])
    assert ours.seen.pending > 100
    ours.merge()
    queued = of_ways([(url, (9, 9)) for url in urls])
    depths, hops = ours.seen.shortest(queued.hashes, queued.depths, queued.hops)
    assert depths.tolist() == hops.tolist() == [max(3, number // 5 + 1) for number in range(40)]
