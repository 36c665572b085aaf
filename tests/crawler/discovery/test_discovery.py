"""From found links to the frontier: one rank with a real queue on disk."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.config.crawl_options import CrawlOptions
from crawler.config.settings import settings_from
from crawler.discovery.admission import AdmissionSettings, UrlRules
from crawler.discovery.depth_limits import Limits
from crawler.discovery.discovery import _shortest_ways
from crawler.discovery.external_links import external_links
from crawler.discovery.scope import Scope
from crawler.urls.batch import Flags, UrlBatch
from crawler.urls.targets import listed
from partition.assignment.assignment import assignment_named
from sessions.schema import FILTERED, NOFOLLOW
from sessions.url import Hashes, site_of, url_hash, url_hashes
from tests.crawler.support.batches import batch_of, by_rank, rows_of
from tests.crawler.support.single_rank_discovery import BUDGET, PAGE, Found
from tests.crawler.support.url_strategies import BATCHES

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
        found.discovery.links_of(source, 9 - source, listed([OWN[0], ONE[0]], [1, 2]))
    found.discovery.settle()
    assert found.queued() == [OWN[0]]
    assert found.way_to(OWN[0]) == (5, 0)
    assert [rows_of(batch) for batch in by_rank(found.discovery.outgoing(), 3)] == [
        [],
        rows_of(batch_of([ONE[0]], [5], [0], [2])),
        [],
    ]
    assert len(found.recorder.found) == found.counters.links == 10


def test_urls_of_others_are_handed_to_their_owners_once_and_sorted(found: Found) -> None:
    found.find([TWO[5], ONE[9], OWN[0], ONE[2], TWO[1]], depth=3, hops=1)
    found.find([ONE[5], TWO[5], ONE[2]], depth=4)
    assert found.discovery.undelivered == 5
    outgoing = by_rank(found.discovery.outgoing(), 3)
    assert rows_of(outgoing[0]) == []
    expected_one = sorted([(ONE[9], 3, 1), (ONE[2], 3, 1), (ONE[5], 4, 0)])
    assert [(url, depth, hops) for url, _, depth, hops, _ in rows_of(outgoing[1])] == expected_one
    assert [(url, depth) for url, _, depth, _, _ in rows_of(outgoing[2])] == sorted([(TWO[5], 3), (TWO[1], 3)])
    assert [batch.hashes.tolist() for batch in outgoing] == [url_hashes(batch.urls).tolist() for batch in outgoing]
    assert found.discovery.undelivered == 0
    found.find([ONE[5], TWO[5], ONE[2]], depth=1)
    assert [len(batch) for batch in by_rank(found.discovery.outgoing(), 3)] == [0, 0, 0]
    assert found.queued() == [OWN[0]]
    assert [url for _, url in found.recorder.known] == [OWN[0]], "another's URL is not this rank's to record"


def test_links_are_recorded_once_each_with_their_flags(found: Found) -> None:
    found.discovery.links_of(7, 1, listed([OWN[0], ONE[0]], [1, 2]))
    found.discovery.links_of(8, 1, listed([], []))
    found.discovery.links_of(9, 2, listed([ONE[0], OWN[0], TWO[0]], [4, 3, 0]))
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
    sent = [url for batch in by_rank(found.discovery.outgoing(), 3) for url in batch.urls]
    assert sorted([*found.queued(), *sent]) == sorted(inside)
    found.find(urls)
    assert found.counters.links_out_of_scope == 2 * (len(urls) - len(inside)), "counted for every link"
    assert found.counters.links == 2 * len(inside)


def test_links_out_of_scope_are_kept_by_site_or_with_their_urls(tmp_path: Path) -> None:
    urls = [*OWN[:20], *ONE[:20], *TWO[:20]]
    outside = [url for url in urls if not url.startswith("http://s1.")]
    for kept, keeps_sites, keeps_urls in (("sites", True, False), ("all", True, True), ("none", False, False)):
        recorder = Outside()
        found = Found(
            tmp_path / kept,
            0,
            ASSIGNMENT,
            scope=Scope(sites=["s1.example"]),
            external=external_links(kept, recorder),  # type: ignore[arg-type]
        )
        for page in (7, 8):
            found.discovery.links_of(page, 1, listed(urls, [page] * len(urls)), site=f"site-{page}.example")
        found.discovery.links_of(9, 1, listed([], []), site="without.example")
        found.discovery.settle()
        pages = [(page, url) for page in (7, 8) for url in outside]
        pairs = Counter((f"site-{page}.example", site_of(url)) for page, url in pages)
        assert recorder.pairs == (pairs if keeps_sites else {})
        assert recorder.rows == ([(page, url, page) for page, url in pages] if keeps_urls else [])
        assert found.counters.links_out_of_scope == len(pages)


class Outside:
    """Stands for a recorder, as far as links out of scope go."""

    def __init__(self) -> None:
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.rows: list[tuple[int, str, int]] = []

    def external_sites(self, sources: Iterable[str], targets: Iterable[str]) -> None:
        self.pairs.update(zip(sources, targets, strict=True))

    def external_urls(self, sources: Hashes, urls: Sequence[str], flags: Flags) -> None:
        self.rows += zip(sources.tolist(), urls, flags.tolist(), strict=True)


def test_nofollow_links_are_recorded_and_followed_unless_that_is_honoured(tmp_path: Path) -> None:
    for honours in (False, True):
        found = Found(tmp_path / str(honours), 0, ASSIGNMENT, honours_nofollow=honours)
        found.discovery.links_of(7, 1, listed([OWN[0], OWN[1], ONE[0], ONE[1]], [NOFOLLOW | 4, 4, NOFOLLOW, 0]))
        found.discovery.settle()
        assert [(url_hash(OWN[0]), 5), (url_hash(OWN[1]), 4)] == [link[1:] for link in found.recorder.found[:2]]
        assert (len(found.recorder.found), found.counters.links) == (4, 4)
        assert found.counters.links_nofollow == (2 if honours else 0)
        assert found.queued() == ([OWN[1]] if honours else OWN[:2])
        assert by_rank(found.discovery.outgoing(), 3)[1].urls == sorted(ONE[1:2] if honours else ONE[:2])
        assert found.counters.discovered == len(found.recorder.known) == (1 if honours else 2)


def test_what_a_nofollow_link_led_to_is_followed_once_another_link_does(tmp_path: Path) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT, honours_nofollow=True)
    found.discovery.links_of(7, 1, listed([OWN[0], ONE[0]], [NOFOLLOW, NOFOLLOW]))
    found.discovery.links_of(8, 3, listed([OWN[0], ONE[0]], [0, 0]))
    found.discovery.links_of(9, 2, listed([OWN[0], ONE[0]], [NOFOLLOW, NOFOLLOW]))
    found.discovery.settle()
    found.discovery.links_of(10, 1, listed([OWN[0]], [NOFOLLOW]))
    found.discovery.settle()
    assert found.queued() == [OWN[0]]
    assert found.way_to(OWN[0]) == (3, 0), "a link that is not followed is no way"
    assert [(url, depth) for url, _, depth, _, _ in rows_of(by_rank(found.discovery.outgoing(), 3)[1])] == [(ONE[0], 3)]
    assert (found.counters.links, found.counters.links_nofollow) == (7, 5)


def test_nofollow_links_out_of_scope_are_dropped_like_others(tmp_path: Path) -> None:
    outside = Scope(sites=["elsewhere.example"])
    found = Found(tmp_path, 0, ASSIGNMENT, scope=outside, honours_nofollow=True)
    found.discovery.links_of(7, 1, listed([OWN[0], ONE[0]], [NOFOLLOW, 0]))
    found.discovery.settle()
    assert (found.counters.links_out_of_scope, found.counters.links_nofollow, found.counters.links) == (2, 0, 0)


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
                    found.discovery.links_of(source, way[0], listed([url], [0]), hops=way[1])
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
        found.discovery.links_of(depth, depth, listed([OWN[0], OWN[1]], [0, 0]))
        found.discovery.links_of(depth, depth + 1, listed([OWN[2]], [0]))
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


REFUSED = UrlRules(settings_from(CrawlOptions(exclude=(r"/\d*7$",)), AdmissionSettings), (), 2026)
"""Refuses URLs that end in 7."""


def test_a_url_that_a_rule_refuses_is_known_and_settled_and_never_queued(tmp_path: Path) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT, admission=REFUSED, limits=Limits(3, 2))
    refused = [url for url in OWN if url.endswith("7")]
    wanted = [url for url in OWN if not url.endswith("7")]
    assert refused
    found.find(OWN, depth=9)
    found.find([*OWN, ONE[0]], depth=1, source=PAGE + 1)
    found.discovery.receive([batch_of(OWN)])
    assert found.queued() == wanted, "revived by the shorter way, but for those refused"
    assert found.counters.discovered == len(found.discovery.seen) == len(OWN)
    assert sorted(url for _, url in found.recorder.known) == sorted(OWN)
    assert sorted(found.recorder.outcomes) == sorted((url_hash(url), FILTERED, "exclude") for url in refused)
    assert found.counters.filtered == {"exclude": len(refused)}
    assert found.counters.links == 2 * len(OWN) + 1, "links to them are recorded"


def test_what_is_refused_is_not_counted_as_beyond_the_limits_too(tmp_path: Path) -> None:
    for budget in (BUDGET, 0):
        found = Found(tmp_path / str(budget), 0, ASSIGNMENT, admission=REFUSED, limits=Limits(3, 2), budget=budget)
        found.find(OWN, depth=9)
        found.discovery.flush()
        assert found.discovery.undelivered == 0
        beyond = [url_hash for hashes, _ in found.discovery.seen.beyond() for url_hash in hashes.tolist()]
        assert sorted(beyond) == sorted(url_hash(url) for url in OWN if not url.endswith("7"))


def test_another_ranks_url_is_judged_by_its_owner(tmp_path: Path) -> None:
    found = Found(tmp_path, 0, ASSIGNMENT, admission=REFUSED)
    found.find(ONE)
    assert sorted(by_rank(found.discovery.outgoing(), 3)[1].urls) == sorted(ONE)
    assert found.recorder.outcomes == []


def test_seeds_are_queued_whatever_the_rules_say(tmp_path: Path) -> None:
    seeds = [url for url in OWN if url.endswith("7")]
    admission = UrlRules(settings_from(CrawlOptions(exclude=("/",)), AdmissionSettings), seeds, 2026)
    found = Found(tmp_path, 0, ASSIGNMENT, admission=admission)
    found.discovery.seed(seeds)
    assert found.queued() == seeds
    found.find(OWN)
    assert found.queued() == []
    assert found.counters.filtered == {"exclude": len(OWN) - len(seeds)}
