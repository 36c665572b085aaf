"""Limits of rules: shares of what is left, over ranks that begin pages in any order and whose requests may fail."""

import random
from unittest import mock

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetching import rule_quotas
from crawler.fetching.rule_quotas import LATER, Quota, RuleQuotas, give_back, obstacle, spend, take
from crawler.site_rules.rule_file import rules_in
from crawler.site_rules.rules_in_force import RulesInForce

Counts = npt.NDArray[np.int64]


class Said(Exception):  # noqa: N818 - that is what it is
    """What a rank says, before the others have said theirs."""


class Exchange:
    """Stands for that of one rank: ``said`` has what all ranks say, call by call, as far as they have been called."""

    def __init__(self, rank: int, ranks: int, said: list[list[Counts]]) -> None:
        self.rank = rank
        self.ranks = ranks
        self._said = iter(said)

    def union(self, mine: Counts) -> Counts:
        """As `crawler.exchange.link_exchange.LinkExchange.union`."""
        return np.unique(np.concatenate(self._all(mine)))

    def sums(self, mine: Counts) -> tuple[Counts, Counts]:
        """As `crawler.exchange.link_exchange.LinkExchange.sums`."""
        said = self._all(mine)
        return np.sum(said, axis=0), sum(said[: self.rank], np.zeros_like(mine))

    def _all(self, mine: Counts) -> list[Counts]:
        said = next(self._said, None)
        if said is None:
            raise Said(mine.copy())
        assert (mine == said[self.rank]).all()
        return said


def settle(ranks: list[RuleQuotas]) -> None:
    """All ranks add up, as at the end of a superstep."""
    said: list[list[Counts]] = []
    while True:
        new: list[Counts] = []
        for number, rank in enumerate(ranks):
            try:
                rank.settle(Exchange(number, len(ranks), said))
            except Said as words:
                new.append(words.args[0])
        if not new:
            return
        said.append(new)


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
    quotas.settle(Exchange(0, 1, []))
    assert quotas.wire_bytes == 0


@given(st.integers(1, 3), st.integers(0, 1 << 30))
def test_many_limits_have_the_shares_that_they_have_if_all_are_added_up(ranks: int, seed: int) -> None:
    """Some pages come and some do not, of sites that are chosen anew in each superstep; rules change now and then."""
    dice = random.Random(seed)
    names = [f"s{number}" for number in range(20)]
    rules, some = quotas_for(limits_on(names, dice), ranks)
    both = [some, [RuleQuotas(rules, rank, ranks) for rank in range(ranks)]]
    flying: list[list[tuple[Quota, ...]]] = [[], []]
    for _ in range(20):
        for rank, name in [(dice.randrange(ranks), dice.choice(names)) for _ in range(dice.randrange(5))]:
            against = set()
            for all_quotas, its in zip(both, flying, strict=True):
                quotas = all_quotas[rank].of(rules.book.of(name))
                against.add(obstacle(quotas))
                if not obstacle(quotas):
                    take(quotas)
                    its.append(quotas)
            assert len(against) == 1
        for end in [spend if dice.random() < 0.7 else give_back for _ in flying[0] if dice.random() < 0.5]:
            place = dice.randrange(len(flying[0]))
            for its in flying:
                end_page(its.pop(place), came=end is spend)
        if dice.random() < 0.1:
            rules.change(rules_in(limits_on(dice.sample(names, 15), dice), "rules.toml"))
        for most, all_quotas in zip((0, 64), both, strict=True):
            with mock.patch.object(rule_quotas, "_FEW", most):
                settle(all_quotas)
        for rank in range(ranks):
            one, other = ([standing(all_quotas[rank], rules, name) for name in names] for all_quotas in both)
            assert one == other


def limits_on(names: list[str], dice: random.Random) -> str:
    return "".join(f'[[rule]]\nsite = "{name}"\nmax-pages = {dice.randint(1, 9)}\n' for name in names)


def end_page(quotas: tuple[Quota, ...], *, came: bool) -> None:
    if came:
        spend(quotas, 1)
    else:
        give_back(quotas)


def standing(quotas: RuleQuotas, rules: RulesInForce, name: str) -> list[tuple[int, int, int, int]]:
    limits = {limit: quota for limit, quota in quotas._quotas.items() if limit.target.name == name}
    return [(quota.most, quota.used, quota.share, quota.in_flight) for quota in limits.values()]


def test_what_ranks_say_of_many_limits_goes_by_the_pages_that_they_concern() -> None:
    names = [f"s{number}" for number in range(1000)]
    rules, ranks = quotas_for(limits_on(names, random.Random(1)), 2)
    settle(ranks)
    before = ranks[0].wire_bytes
    for rank, name in enumerate(names[:2]):
        quotas = ranks[rank].of(rules.book.of(name))
        assert obstacle(quotas) == ""
        take(quotas)
        spend(quotas, 1)
    settle(ranks)
    assert ranks[0].wire_bytes - before < 200
    assert [ranks[0]._quotas[limit].used for limit in list(ranks[0]._quotas)[:3]] == [1, 1, 0]
