"""Rests by budget: of sites, of servers, and how often budgets are asked for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets import budget_delays
from crawler.frontier.budgets.budget_delays import BudgetRests
from crawler.frontier.budgets.budget_functions import B0, MOST
from crawler.politeness.delays import Delays
from sessions.url import domain_of


class Told:
    """Budgets by domain; what is not told has the least.  ``asked`` counts the questions."""

    def __init__(self, **budgets: int) -> None:
        self.budgets = {f"{name}.com": budget for name, budget in budgets.items()}
        self.asked = 0

    def of_site(self, site: str) -> int:
        self.asked += 1
        return self.budgets.get(domain_of(site), B0)


def rests_of(told: Told) -> BudgetRests:
    return BudgetRests(told)


@pytest.mark.parametrize(("budget", "seconds"), [(10, 40.0), (20, 20.0), (400, 1.0), (10_000, 0.04)])
def test_a_site_rests_the_shorter_the_larger_the_budget_of_its_domain(budget: int, seconds: float) -> None:
    assert rests_of(Told(a=budget)).site_rest("www.a.com") == pytest.approx(seconds)


def test_a_site_that_nobody_links_to_rests_longest() -> None:
    assert rests_of(Told()).site_rest("a.com") == 40.0


@settings(deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(B0, MOST), min_size=1), st.data())
def test_a_server_rests_by_the_mean_over_its_domains_however_many_hosts_they_have(
    budgets: dict[str, int], data: st.DataObject
) -> None:
    sites = [f"{host}.{name}.com" for name in budgets for host in range(data.draw(st.integers(1, 5)))]
    said = rests_of(Told(**budgets)).server_rest("192.0.2.1", data.draw(st.permutations(sites)))
    assert said == pytest.approx(1.0 * B0 / (sum(budgets.values()) / len(budgets)))
    assert B0 / MOST <= said <= 1.0 + 1e-9


def test_a_server_of_whose_sites_none_is_known_any_more_does_not_rest_for_them() -> None:
    assert rests_of(Told()).server_rest("192.0.2.1", []) == 0.0


def test_budgets_that_grow_shorten_the_rests() -> None:
    told = Told(a=10)
    by_budget = rests_of(told)
    assert by_budget.server_rest("192.0.2.1", ["a.com"]) == 1.0
    told.budgets["a.com"] = 1000
    assert by_budget.site_rest("a.com") == pytest.approx(0.4)
    assert by_budget.server_rest("192.0.2.1", ["a.com"]) == pytest.approx(0.01)


@pytest.mark.parametrize("sites", [1, 7, 1000])
def test_a_visit_asks_for_one_budget_however_many_sites_a_server_has(sites: int) -> None:
    told = Told()
    by_budget, names = rests_of(told), [f"s{number}.com" for number in range(sites)]
    for _ in range(5 * sites):
        by_budget.server_rest("192.0.2.1", names)
    assert told.asked == 5 * sites


def test_a_server_is_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_delays, "_SERVERS_REMEMBERED", 3)
    told = Told(a=10)
    by_budget = rests_of(told)
    for _ in range(2):
        for number in range(9):
            assert by_budget.server_rest(f"192.0.2.{number}", ["a.com", "b.com"]) == 1.0
    assert len(by_budget._servers) == 3


# with the delays that hold in any case


def test_the_largest_of_the_delays_counts_and_one_of_0_stays_0() -> None:
    by_budget = rests_of(Told(a=10_000, b=100))
    usual = Delays(delay=0.5, server_delay=0.05, rests=by_budget)
    assert usual.site_rest("a.com", 0.0, 0.0, 0) == pytest.approx(0.5, abs=0.005)
    assert usual.site_rest("b.com", 0.0, 0.0, 0) == pytest.approx(4.0, abs=0.005)
    assert usual.site_rest("b.com", 9.0, 0.0, 0) == pytest.approx(9.0, abs=0.005)
    assert usual.site_rest("b.com", 0.0, 0.0, 3) == pytest.approx(8.0, abs=0.005)
    assert usual.server_rest("192.0.2.1", ["a.com"]) == pytest.approx(0.05, abs=0.005)
    assert usual.server_rest("192.0.2.2", ["b.com"]) == pytest.approx(0.1, abs=0.005)
    own = Delays(delay=0.0, server_delay=0.0, rests=by_budget)
    assert own.site_rest("b.com", 0.0, 0.0, 0) == 0.0
    assert own.site_rest("b.com", 3.0, 0.0, 0) == pytest.approx(3.0, abs=0.005)
    assert own.server_rest("192.0.2.2", ["b.com"]) == 0.0
