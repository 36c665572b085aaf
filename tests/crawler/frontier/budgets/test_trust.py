"""Trust that reaches domains from the seeds, against networkx's personalised PageRank."""

from collections.abc import Sequence
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from crawler.frontier.budgets import trust as module
from crawler.frontier.budgets.budget_functions import MOST, supports
from crawler.frontier.budgets.referrals import Referrals, owners
from crawler.frontier.budgets.trust import TOTAL, UNLIMITED, Trust
from tests.crawler.frontier.budgets.support.streams import Links, columns, hashes

PLENTY = 1 << 22
SEEDS = [1, 2, 3]


def graph_of(seed: int, domains: int = 60, links: int = 300) -> Links:
    """Each domain links to another one at least, so that no trust leaks away."""
    random = np.random.default_rng(seed)
    some = random.integers(1, domains + 1, (links, 2)).tolist()
    return [(source, target) for source, target in some if source != target] + list(
        pairwise([*range(1, domains + 1), 1])
    )


class Ranks:
    """Trust on several ranks that tell each other as `crawler.frontier.budgets.star` does."""

    def __init__(self, ranks: int, memory: int = PLENTY, seeds: Sequence[int] = SEEDS) -> None:
        self.parts = [Trust(memory, hashes(seeds)) for _ in range(ranks)]

    def step(self, links: Links = ()) -> None:  # type: ignore[assignment]
        sources, targets = columns(list(links))
        for rank, part in enumerate(self.parts):
            is_its = owners(sources, len(self.parts)) == rank
            part.add(Referrals(sources[is_its], targets[is_its]))
        for domains, amounts in [part.changes() for part in self.parts]:
            for rank, part in enumerate(self.parts):
                is_its = owners(domains, len(self.parts)) == rank
                part.receive(domains[is_its], amounts[is_its])

    def of(self, numbers: Sequence[int]) -> list[int]:
        domains = hashes(numbers)
        its = owners(domains, len(self.parts)).tolist()
        return [int(self.parts[rank].of(domains[[place]])[0]) for place, rank in enumerate(its)]

    def all(self) -> float:
        return sum(part.sums()[0] for part in self.parts)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_it_is_pagerank_from_the_seeds_on_any_number_of_ranks(ranks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOLD_AGAIN", 1 << 20)
    links = graph_of(7)
    some = Ranks(ranks)
    for start in range(0, len(links), 20):
        some.step(links[start : start + 20])
    for _ in range(80):
        some.step()
    graph = nx.DiGraph(link for link in links)
    expected = nx.pagerank(graph, 0.85, dict.fromkeys(SEEDS, 1.0), max_iter=500, tol=1e-12)
    others = [domain for domain in range(1, 61) if domain not in SEEDS]
    assert some.of(others) == pytest.approx([TOTAL * expected[domain] for domain in others], rel=1e-4)
    assert some.of(SEEDS) == [UNLIMITED] * 3


def test_what_is_told_seldom_is_near_enough() -> None:
    links = graph_of(8)
    some = Ranks(2)
    some.step(links)
    for _ in range(40):
        some.step()
    assert not any(len(part.changes()[0]) for part in some.parts), "it comes to rest"
    graph = nx.DiGraph(link for link in links)
    expected = nx.pagerank(graph, 0.85, dict.fromkeys(SEEDS, 1.0), max_iter=500, tol=1e-12)
    others = range(4, 61)
    ratios = [trust / TOTAL / expected[domain] for domain, trust in zip(others, some.of(others), strict=True)]
    assert 0.85 < min(ratios) <= max(ratios) < 1.15


@pytest.mark.parametrize("farms", [3, 30, 120])
def test_all_domains_of_a_farm_have_no_more_than_what_comes_in_allows(farms: int) -> None:
    farm = range(1000, 1000 + farms)
    links = [*graph_of(9), *((one, other) for one in farm for other in farm if one != other), (20, 1000)]
    some = Ranks(2)
    for _ in range(60):
        some.step(links)
    comes_in = some.of([20])[0] * 0.85 / len({target for source, target in links if source == 20})
    assert 0 < sum(some.of(farm)) <= 1.1 * comes_in / 0.15
    assert sum(some.of(farm)) < 0.05 * some.all()


def test_domains_that_no_seed_leads_to_have_none() -> None:
    some = Ranks(1)
    for _ in range(10):
        some.step([(1, 4), (50, 51), (51, 50)])
    assert some.of([50, 51, 99]) == [0, 0, 0]
    assert some.of([4])[0] > 0


def test_memory_is_bounded_and_what_is_not_kept_has_no_trust() -> None:
    some = Ranks(1, memory=1 << 16)
    before = [(1, 4)]
    some.step(before)
    for start in range(100, 8000, 100):
        some.step([(1, target) for target in range(start, start + 100)])
    (part,) = some.parts
    assert part.links < 8000
    assert sum(column.nbytes for column in (part._came, part._passes, part._told, part._targets)) < 1 << 16
    assert 0 < some.of([4])[0] <= TOTAL // 7900, "what is not kept gives the others nothing"
    assert some.of([7999]) == [0]


def test_an_in_degree_counts_as_far_as_trust_backs_it() -> None:
    degrees = np.array([0, 3, 3, 3, 3, 1_000_000], np.uint32)
    trust = np.array([1.0, 0.0, 0.1, 1.0, 2.0**40, 2.0**40])
    assert (supports(degrees, trust) / 1024).tolist() == [1, 0, 5, 31, 31, MOST]
