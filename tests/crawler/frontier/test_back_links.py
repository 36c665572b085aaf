"""Back-links over several ranks: each is counted once, by whom it is to be, and asked for when it is time."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.back_link_page import BackLinkPage
from crawler.frontier.back_link_sites import BackLinkSites, first_by_count, site_hashes
from crawler.frontier.back_links import BackLinks, back_links_for
from crawler.frontier.order_settings import OrderSettings
from crawler.frontier.ordering import BreadthFirst
from partition.assignment.assignment import assignment_named
from sessions.url import url_hash
from tests.crawler.support.batches import batch_of
from tests.crawler.support.thread_ranks import FakeExchange, on_ranks

URLS = [f"http://s{number % 11}.example/{number}" for number in range(80)]
SUPERSTEPS = 4
RANKS = [1, 2, 3, 4]


def links_of(rank: int, superstep: int, ranks: int) -> list[str]:
    """The targets of what a rank finds; all ranks together find the same at any K."""
    random = np.random.default_rng(superstep)
    targets = (random.zipf(1.3, 400) % len(URLS)).tolist()
    return [URLS[target] for target in targets[rank::ranks]]


def whole(supersteps: int) -> Counter[str]:
    return Counter(url for superstep in range(supersteps) for url in links_of(0, superstep, 1))


@pytest.mark.parametrize("ranks", RANKS)
def test_the_owner_takes_the_url_with_most_back_links_of_all_ranks(tmp_path: Path, ranks: int) -> None:
    assignment = assignment_named("page-hash", ranks)

    def work(exchange: FakeExchange) -> tuple[list[str], int]:
        ordering = BackLinkPage(tmp_path / str(exchange.rank), 1 << 22)
        back_links = back_links_for(ordering, assignment)
        assert back_links is not None
        batch = batch_of(URLS)
        ordering.add(batch.where(assignment.owners(batch.hashes, batch.urls) == exchange.rank))
        for superstep in range(SUPERSTEPS):
            back_links.links(batch_of(links_of(exchange.rank, superstep, ranks)))
            back_links.settle(exchange)
        assert exchange.asked == SUPERSTEPS
        return ordering.take(len(URLS)).urls, back_links.wire_bytes

    counts = whole(SUPERSTEPS)
    batch = batch_of(URLS)
    owners = assignment.owners(batch.hashes, batch.urls).tolist()
    told = on_ranks(ranks, work)
    for rank, (urls, _) in enumerate(told):
        mine = [url for url, owner in zip(URLS, owners, strict=True) if owner == rank]
        assert urls == sorted(mine, key=lambda url: -counts[url])  # stable: of equal ones what was found first
    expected = 12 * sum(
        len({url for url in links_of(rank, superstep, ranks) if owners[URLS.index(url)] != rank})
        for rank in range(ranks)
        for superstep in range(SUPERSTEPS)
    )
    assert sum(sent for _, sent in told) == expected


@pytest.mark.parametrize("ranks", RANKS)
def test_sites_are_ranked_by_what_all_ranks_have_found(tmp_path: Path, ranks: int) -> None:
    def work(exchange: FakeExchange) -> tuple[list[str], int]:
        asked = OrderSettings(rerank=SUPERSTEPS, ranked_sites=3)
        ordering = BackLinkSites(tmp_path / str(exchange.rank), 1 << 22, asked)
        back_links = BackLinks(ordering, ranks, lambda batch: np.zeros(len(batch), np.int32))
        ordering.add(batch_of(URLS[exchange.rank :: ranks]))
        for superstep in range(SUPERSTEPS):
            assert ordering.current == 0
            back_links.links(batch_of(links_of(exchange.rank, superstep, ranks)))
            back_links.settle(exchange)
        taken = []
        while len(ordering):
            if not ordering.current:
                ordering.move_on()
            taken += ordering.take(2).urls
        return taken, back_links.wire_bytes

    counts: Counter[str] = Counter()
    for url, links in whole(SUPERSTEPS).items():
        counts[url.split("/")[2]] += links
    site = {url: url.split("/")[2] for url in URLS}
    told = on_ranks(ranks, work)
    for rank, (urls, _) in enumerate(told):
        mine = URLS[rank::ranks]
        assert urls == sorted(mine, key=lambda url: (-counts[site[url]], url_hash(site[url])))
    sent = 0
    for rank in range(ranks):
        counting = {name: url_hash(name) % ranks for name in site.values()}
        for superstep in range(SUPERSTEPS):
            sent += 12 * len({site[url] for url in links_of(rank, superstep, ranks) if counting[site[url]] != rank})
        sent += 12 * len({site[url] for url in URLS[rank::ranks] if counting[site[url]] != rank})
    assert sum(bytes_sent for _, bytes_sent in told) == sent


def test_what_is_found_of_a_ranked_site_comes_at_its_place_and_others_wait(tmp_path: Path) -> None:
    ordering = BackLinkSites(tmp_path, 1 << 20, OrderSettings(ranked_sites=2))
    names = ["http://a.example/1", "http://b.example/1", "http://c.example/1"]
    ordering.add(batch_of(names))
    sites = site_hashes(names)
    ordering.rank(sites, np.array([5, 4, 3], np.uint32))
    assert (len(ordering), ordering.ready, ordering.current) == (3, 3, 2)
    assert ordering.take(1).urls == names[:1]
    ordering.add(batch_of(["http://a.example/2", "http://d.example/1", "http://c.example/2"]))
    assert ordering.current == 2
    assert ordering.take(9).urls == ["http://a.example/2", "http://b.example/1"]
    assert (ordering.ready, ordering.current) == (3, 0)
    ordering.move_on()
    assert ordering.take(9).urls == ["http://c.example/1", "http://c.example/2", "http://d.example/1"]


@settings(derandomize=True, deadline=None)
@given(st.dictionaries(st.integers(0, (1 << 64) - 1), st.integers(0, 4), max_size=40), st.integers(1, 45))
def test_the_first_sites_are_those_that_a_sort_has_first(counts: dict[int, int], most: int) -> None:
    found = first_by_count(np.array(list(counts), np.uint64), np.array(list(counts.values()), np.uint32), most)
    assert found.tolist() == sorted(counts, key=lambda site: (-counts[site], site))[:most]


def test_many_links_are_added_up_before_they_are_told(tmp_path: Path) -> None:
    ordering = BackLinkPage(tmp_path, 1 << 20)
    back_links = BackLinks(ordering, 1, lambda batch: np.zeros(len(batch), np.int32))
    ordering.add(batch_of(URLS))
    for _ in range(3000):
        back_links.links(batch_of(URLS[3:]))
    back_links.links(batch_of(URLS[:3]))
    on_ranks(1, back_links.settle)
    assert ordering.take(len(URLS)).urls == URLS[3:] + URLS[:3]


def test_other_orderings_have_nothing_counted(tmp_path: Path) -> None:
    assert back_links_for(BreadthFirst(tmp_path, 10).back_links, assignment_named("page-hash", 2)) is None
