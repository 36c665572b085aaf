"""Limits of rules: shares of what is left, over ranks that begin pages in any order and whose requests may fail."""

import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetching.rule_quotas import LATER, Quota, RuleQuotas, give_back, obstacle, spend, take
from crawler.site_rules.rule_file import rules_in
from crawler.site_rules.rules_in_force import RulesInForce

Counts = npt.NDArray[np.int64]


class Adding:
    """Stands for the exchange of one rank: what all ranks have said has been added up."""

    def __init__(self, rank: int, said: list[Counts]) -> None:
        self.rank = rank
        self.ranks = len(said)
        self._said = said

    def sums(self, mine: Counts) -> tuple[Counts, Counts]:
        """As `crawler.exchange.link_exchange.LinkExchange.sums`."""
        assert (mine == self._said[self.rank]).all()
        before = np.zeros_like(mine) + sum(self._said[: self.rank], np.zeros_like(mine))
        return np.sum(self._said, axis=0), before


class Listening(Adding):
    """Takes down what a rank says."""

    def __init__(self) -> None:
        self.said: Counts | None = None

    def sums(self, mine: Counts) -> tuple[Counts, Counts]:
        """Nothing is added up."""
        self.said = mine.copy()
        raise StopIteration


def settle(ranks: list[RuleQuotas]) -> None:
    """All ranks add up, as at the end of a superstep."""
    said = []
    for rank in ranks:
        listening = Listening()
        with pytest.raises(StopIteration):
            rank.settle(listening)
        assert listening.said is not None
        said.append(listening.said)
    for number, rank in enumerate(ranks):
        rank.settle(Adding(number, said))


def quotas_for(text: str, ranks: int) -> tuple[RulesInForce, list[RuleQuotas]]:
    rules = RulesInForce(rules_in(text, "rules.toml"))
    return rules, [RuleQuotas(rules, rank, ranks) for rank in range(ranks)]


@given(
    st.integers(1, 5), st.integers(1, 40), st.lists(st.integers(0, 30), min_size=5, max_size=5), st.integers(0, 1 << 30)
)
def test_exactly_as_many_pages_come_as_there_may_if_there_are_as_many(
    ranks: int, most: int, queued: list[int], seed: int
) -> None:
    dice = random.Random(seed)
    rules, all_quotas = quotas_for(f'[[rule]]\nsite = "a"\nmax-pages = {most}\n', ranks)
    ruling = rules.book.of("a")
    left, flying = queued[:ranks], [0] * ranks
    fetched, refused = 0, 0
    for _ in range(200):
        for rank in range(ranks):
            quotas = all_quotas[rank].of(ruling)
            while left[rank] and dice.random() < 0.8:
                against = obstacle(quotas)
                if against == LATER:
                    break
                left[rank] -= 1
                if against:
                    assert against == "rule-pages"
                    refused += 1
                    continue
                take(quotas)
                flying[rank] += 1
            while flying[rank] and dice.random() < 0.6:
                flying[rank] -= 1
                if dice.random() < 0.2:
                    give_back(quotas)
                    left[rank] += 1
                else:
                    spend(quotas, 1)
                    fetched += 1
            assert fetched + sum(flying) <= most
        settle(all_quotas)
    assert sum(left) == sum(flying) == 0
    assert fetched == min(most, sum(queued[:ranks]))
    assert fetched + refused == sum(queued[:ranks])


def test_bytes_are_known_when_they_have_come() -> None:
    rules, (quotas,) = quotas_for('[[rule]]\ndomain = "a"\nmax-bytes = 100\n', 1)
    of_page = quotas.of(rules.book.of("www.a"))
    for received in (60, 39, 200):
        assert obstacle(of_page) == ""
        take(of_page)
        spend(of_page, received)
    assert obstacle(of_page) == "rule-bytes"


def test_each_limit_counts_what_its_rule_decides() -> None:
    text = '[[rule]]\nsite = "a"\nmax-pages = 2\n\n[[rule]]\ndomain = "a"\nmax-pages = 3\nmax-bytes = 50\n'
    rules, (quotas,) = quotas_for(text, 1)
    of_site, of_host = quotas.of(rules.book.of("a")), quotas.of(rules.book.of("b.a"))
    assert sorted((str(one.limit.target), one.limit.key) for one in of_site) == [
        ("domain a", "max-bytes"),
        ("site a", "max-pages"),
    ]
    assert len(of_host) == 2
    for _ in range(2):
        take(of_site)
        spend(of_site, 10)
    assert obstacle(of_site) == "rule-pages"
    assert obstacle(of_host) == ""


def test_a_limit_that_stays_goes_on_counting_and_a_new_one_begins() -> None:
    rules, (quotas,) = quotas_for('[[rule]]\nsite = "a"\nmax-pages = 2\n', 1)
    for _ in range(2):
        take(quotas.of(rules.book.of("a")))
        spend(quotas.of(rules.book.of("a")), 1)
    rules.change(rules_in('[[rule]]\nsite = "a"\nmax-pages = 3\n\n[[rule]]\nsite = "b"\nmax-pages = 1\n', "rules.toml"))
    assert obstacle(quotas.of(rules.book.of("b"))) == ""
    assert obstacle(quotas.of(rules.book.of("a"))) == LATER
    settle([quotas])
    of_a: tuple[Quota, ...] = quotas.of(rules.book.of("a"))
    assert obstacle(of_a) == ""
    take(of_a)
    spend(of_a, 1)
    assert obstacle(of_a) == "rule-pages"
    rules.change(())
    assert quotas.of(rules.book.of("a")) == ()


def test_without_limits_nothing_is_said() -> None:
    _, (quotas,) = quotas_for('[[rule]]\nsite = "a"\nblock = true\n', 1)
    quotas.settle(Listening())
    assert quotas.wire_bytes == 0
