"""STAR on several ranks: in-degrees and budgets are those of someone who sees all links."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from crawler.frontier.budgets import star as module
from crawler.frontier.budgets.beast import Beast
from crawler.frontier.budgets.budget_functions import B0, by_degree, by_rank
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.ranking import Histogram, Ranking
from crawler.frontier.budgets.star import Star
from tests.crawler.frontier.budgets.support.streams import FakeStaging, Links, Placed, columns, hashes, in_degree
from tests.crawler.support.batches import batch_of
from tests.crawler.support.thread_ranks import FakeExchange, on_ranks

PLENTY, LITTLE = 1 << 24, 1 << 19
DOMAINS = range(1, 13)


class Stars:
    """A Star on each of several ranks, which take superstep after superstep the links and stage the domains given."""

    def __init__(self, folder: Path, ranks: int, function: str = "degree", memory: int = PLENTY) -> None:
        self.orderings = [FakeStaging() for _ in range(ranks)]
        self.stars = [
            Star(folder / f"{ranks}-{rank}", ordering, function, memory) for rank, ordering in enumerate(self.orderings)
        ]

    def superstep(self, links: Links, staged: list[int]) -> list[Placed]:
        """Deal links and staged domains to the ranks, exchange, and what each was told."""
        count = len(self.stars)
        for rank, (star, ordering) in enumerate(zip(self.stars, self.orderings, strict=True)):
            star.links(*columns(links[rank::count]))
            ordering.staged += staged[rank::count]
        self.settle()
        return [ordering.placed[-1] for ordering in self.orderings if ordering.placed]

    def settle(self) -> None:
        self.on_each(lambda exchange: self.stars[exchange.rank].settle(exchange))

    def on_each(self, work: Callable[[FakeExchange], Any]) -> list[Any]:
        return on_ranks(len(self.stars), work)

    def close(self) -> None:
        for star in self.stars:
            star.close()


LINKS = st.lists(st.tuples(st.sampled_from(DOMAINS), st.sampled_from(DOMAINS)), max_size=30)
STEPS = st.lists(st.tuples(LINKS, st.lists(st.sampled_from(DOMAINS), min_size=4, max_size=9)), min_size=1, max_size=5)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(STEPS, st.integers(1, 4), st.sampled_from([PLENTY, 3000]))
def test_budgets_are_those_of_all_links_so_far(steps: list[tuple[Links, list[int]]], ranks: int, memory: int) -> None:
    """Each asks, in the same exchange, for what the others send; all known ones are renewed as well."""
    with TemporaryDirectory() as name:
        stars = Stars(Path(name), ranks, memory=memory)
        links: Links = []
        for new, staged in steps:
            links += new
            told = stars.superstep(new, staged)
            assert sorted({domain for placed in told for domain in placed.domains}) == sorted(set(staged))
            if memory != PLENTY:
                continue
            for placed in told:
                assert placed.budgets == [B0 * (1 + in_degree(links, domain)) for domain in placed.domains]
            for star, ordering in zip(stars.stars, stars.orderings, strict=True):
                known = sorted({domain for placed in ordering.placed for domain in placed.domains})
                assert star.of(hashes(known)).tolist() == [B0 * (1 + in_degree(links, domain)) for domain in known]
        stars.on_each(lambda exchange: stars.stars[exchange.rank].flush())
        for placed in stars.superstep([], list(DOMAINS) * ranks):
            assert placed.budgets == [B0 * (1 + in_degree(links, domain)) for domain in placed.domains]
        stars.close()


def stream(seed: int, links: int, domains: int) -> Links:
    random = np.random.default_rng(seed)
    ends = np.minimum(random.zipf(1.25, (links, 2)), domains)
    ends[:, 0] = random.integers(1, domains + 1, links)
    return [(source, domain) for source, domain in ends.tolist()]


@pytest.mark.parametrize("memory", [PLENTY, LITTLE])
def test_the_answers_are_the_same_on_any_number_of_ranks(tmp_path: Path, memory: int) -> None:
    domains, links = 2000, stream(5, 16_000, 2000)
    everything = list(range(1, domains + 1))
    answers = []
    for ranks in range(1, 5):
        stars = Stars(tmp_path, ranks, memory=memory)
        for ordering in stars.orderings:
            ordering.ready = 1  # or pairs would be merged at once
        for start in range(0, len(links), 2000):
            stars.superstep(links[start : start + 2000], everything[: start // 8])
        stars.settle()
        assert any(star._shard.pending for star in stars.stars) == (memory == LITTLE)
        stars.on_each(lambda exchange, stars=stars: stars.stars[exchange.rank].flush())
        told = stars.superstep([], everything)
        answers.append({domain: budget for placed in told for domain, budget in zip(*placed, strict=True)})
        stars.close()
    sources: dict[int, set[int]] = {domain: set() for domain in everything}
    for source, domain in links:
        if source != domain:
            sources[domain].add(source)
    degrees = np.array([len(sources[domain]) for domain in everything], np.uint32)
    assert all(of_ranks == answers[0] for of_ranks in answers)
    assert [answers[0][domain] for domain in everything] == by_degree(degrees, Ranking()).tolist()


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_top_is_found_over_all_ranks(tmp_path: Path, ranks: int) -> None:
    domains, links = 3000, stream(6, 40_000, 3000)
    everything = list(range(1, domains + 1))
    stars = Stars(tmp_path, ranks, "top")
    for start in range(0, len(links), 10_000):
        stars.superstep(links[start : start + 10_000], everything[:100])
    told = stars.superstep([], everything)
    budgets = {domain: budget for placed in told for domain, budget in zip(*placed, strict=True)}
    sources: dict[int, set[int]] = {domain: set() for domain in everything}
    for source, domain in links:
        if source != domain:
            sources[domain].add(source)
    degrees = np.array([len(sources[domain]) for domain in everything], np.uint32)
    whole = Histogram()
    whole.move(np.zeros(len(degrees), np.uint32), degrees)
    assert [budgets[domain] for domain in everything] == by_rank(degrees, whole.ranking()).tolist()
    ranked = int((degrees > 0).sum()) // 100
    assert ranked > 5
    assert max(budgets.values()) == 10_000
    assert sum(budget > B0 for budget in budgets.values()) in (ranked - 1, ranked)
    stars.close()


def test_what_was_never_asked_for_has_the_least_budget_until_the_next_exchange(tmp_path: Path) -> None:
    stars = Stars(tmp_path, 1)
    stars.superstep([(1, 2), (3, 2), (1, 4)], [2])
    (star,) = stars.stars
    assert star.of(hashes([2, 4, 99])).tolist() == [3 * B0, B0, B0]
    assert star.of(hashes([])).tolist() == []
    stars.settle()
    assert star.of(hashes([2, 4, 99])).tolist() == [3 * B0, 2 * B0, B0]


@pytest.mark.parametrize("function", ["degree", "top"])
def test_the_budget_of_a_site_is_that_of_its_domain(tmp_path: Path, function: str) -> None:
    ordering = FakeStaging()
    star = Star(tmp_path, ordering, function, PLENTY)
    urls = [f"http://s.example{number}.org/" for number in range(150)]
    domains = domain_hashes(urls)
    star.links(domains, np.full(150, domains[7]))
    ordering.staged = [0]
    ordering.staged_domains = lambda: domains  # type: ignore[method-assign]
    star.links(domains, np.roll(domains, 1))
    on_ranks(1, star.settle)
    for number in (7, 8):
        site = f"other.example{number}.org:8080"
        domain = xxh3_64_intdigest(f"example{number}.org".encode())
        assert star.of_site(site) == star.of(np.array([domain], np.uint64))[0]
    assert star.of_site("example7.org") == {"degree": 10 * 150, "top": 10_000}[function]
    assert star.of_site("nobody.example") == B0


def test_few_urls_wait_while_the_ordering_has_enough_to_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_STAGED_ENOUGH", 5)
    stars = Stars(tmp_path, 1)
    (ordering,) = stars.orderings
    ordering.ready = 5
    stars.superstep([(1, 2)], [1, 2, 3])
    assert ordering.placed == []
    stars.superstep([], [4, 5])
    assert [placed.domains for placed in ordering.placed] == [[1, 2, 3, 4, 5]]
    ordering.ready = 4
    stars.superstep([], [6])
    assert ordering.placed[-1].domains == [6]


def test_beast_places_its_urls_by_budgets(tmp_path: Path) -> None:
    beast = Beast(tmp_path, 1 << 20)
    star = Star(tmp_path, beast, "degree", PLENTY)
    urls = [f"http://{host}.example/{page}" for host in ("linked", "lonely") for page in range(40)]
    beast.add(batch_of(urls))
    linked, _ = domain_hashes([urls[0], urls[-1]])
    star.links(domain_hashes(["http://a.example/", "http://b.example/"]), np.array([linked] * 2))
    on_ranks(1, star.settle)
    assert (len(beast), beast.ready) == (80, 80)
    beast.move_on()
    first_queue = beast.take(30 + B0).urls
    assert sum(url.startswith("http://linked.") for url in first_queue) == 3 * B0


def test_no_budget_stays_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_RENEWED_AT_ONCE", 4)
    stars = Stars(tmp_path, 2)
    stars.superstep([], list(DOMAINS) * 2)
    links = [(source, domain) for source in DOMAINS for domain in DOMAINS]
    stars.superstep(links, [])
    for _ in range(len(DOMAINS) // 4 + 1):
        stars.settle()
    for star in stars.stars:
        assert set(star.of(hashes(DOMAINS)).tolist()) <= {B0, B0 * len(DOMAINS)}
    known = np.array([star.of(hashes(DOMAINS)) for star in stars.stars])
    assert (known.max(axis=0) == B0 * len(DOMAINS)).all()


def test_nothing_is_said_where_there_is_nothing_to_say(tmp_path: Path) -> None:
    stars = Stars(tmp_path, 3)
    stars.settle()
    stars.superstep([(1, 1), (2, 2), (3, 3)], [])
    assert [star.wire_bytes for star in stars.stars] == [0, 0, 0]
    assert [ordering.placed for ordering in stars.orderings] == [[], [], []]


def test_what_travels_is_counted(tmp_path: Path) -> None:
    alone = Stars(tmp_path, 1)
    alone.superstep([(1, 2), (2, 3)], [1, 2, 3])
    assert alone.stars[0].wire_bytes == 0
    ranks = 4
    stars = Stars(tmp_path, ranks)
    links = [(1, domain) for domain in range(2, 102)]
    stars.superstep(links + links, [])
    pairs = sum(star.wire_bytes for star in stars.stars)
    headers = 12 * ranks * (ranks - 1)
    assert 16 * 100 * 0.5 < pairs < 16 * 100 + headers, "every rank says each of its pairs once"
    stars.superstep(links, list(range(2, 102)))
    more = sum(star.wire_bytes for star in stars.stars) - pairs
    assert 100 * 16 * 0.5 < more < 100 * 16 + headers, "8 bytes a domain, 8 for what is known of it"


COUNTS = st.lists(st.dictionaries(st.sampled_from(DOMAINS), st.integers(0, 500)), min_size=1, max_size=5)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.lists(COUNTS, min_size=1, max_size=4), st.integers(1, 5))
def test_the_parts_of_all_ranks_are_the_budget(steps: list[list[dict[int, int]]], ranks: int) -> None:
    """A rank with all URLs of a domain has its whole budget, and those that share them no more than it together."""
    with TemporaryDirectory() as name:
        stars = Stars(Path(name), ranks)
        stars.superstep([(1, 2), (3, 2), (1, 4)], [])
        for step in steps:
            for rank, ordering in enumerate(stars.orderings):
                ordering.counts = step[rank] if rank < len(step) else {}
                ordering.staged = list(DOMAINS)
            stars.settle()
            stars.settle()  # what one tells in an exchange others may have been told before
        budgets = stars.stars[0].of(hashes(DOMAINS))
        counts = np.array([ordering.waiting(hashes(DOMAINS)) for ordering in stars.orderings])
        parts = np.array([star.parts_of(hashes(DOMAINS)) for star in stars.stars])
        has_some = counts > 0
        shared = np.where(has_some, parts, 0).sum(axis=0)
        assert shared[has_some.any(axis=0)] == pytest.approx(budgets[has_some.any(axis=0)])
        is_alone = has_some & (has_some.sum(axis=0) == 1)
        assert (parts[is_alone] == np.broadcast_to(budgets, parts.shape)[is_alone]).all()
        due = budgets * counts / np.maximum(counts.sum(axis=0), 1)
        assert (np.abs(parts - due)[has_some] <= (0.5 * budgets * np.ones_like(due))[has_some]).all()
        stars.close()


def test_a_rank_that_forgets_a_domain_gives_back_its_part(tmp_path: Path) -> None:
    stars = Stars(tmp_path, 2, memory=1 << 13)
    for ordering in stars.orderings:
        ordering.counts, ordering.staged = {1: 50}, [1]
    stars.settle()
    for start in range(2, 400, 20):
        stars.orderings[0].staged = list(range(start, start + 20))
        stars.orderings[1].staged = [1]
        stars.settle()
    assert stars.stars[0]._known.told(hashes([1])).tolist() == [0]
    assert stars.stars[1].parts_of(hashes([1])).tolist() == [B0]
    stars.close()
