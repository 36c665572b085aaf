"""Who links to whom afterwards: the plan against networkx, and counts against the rates."""

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.localweb.evolve.rates import Rates
from sessions.localweb.evolve.reach import Reach
from sessions.localweb.evolve.rewiring import Rewiring, rewire
from sessions.localweb.evolve.snapshot import Snapshot, take_snapshot
from sessions.localweb.evolve.turnover import Turnover, turn_over
from sessions.localweb.generate.make import MadeWeb
from sessions.storage.warc_index import build_index

Plan = tuple[Turnover, Rewiring]
Rewire = Callable[[Rates, int, int], Plan]


@pytest.fixture(scope="module")
def web(made: MadeWeb) -> Snapshot:
    return take_snapshot(made.path, build_index([made.path]), lambda *_: None)


@pytest.fixture(scope="module")
def planned(web: Snapshot) -> Rewire:
    def plan(rates: Rates, days: int, seed: int) -> Plan:
        rng = np.random.default_rng(seed)
        turnover = turn_over(web, rates, days, rng)
        return turnover, rewire(web, turnover, rates, days, rng)

    return plan


def graph_after(web: Snapshot, turnover: Turnover, plan: Rewiring) -> nx.DiGraph:
    """The links that a crawler follows, between pages that are there."""
    born = range(len(web.urls), len(web.urls) + len(turnover.born_urls))
    graph = nx.DiGraph()
    graph.add_nodes_from([*np.flatnonzero(turnover.lives).tolist(), *born])
    for page in list(graph):
        kept: set[int] = set()
        if page < len(web.urls):
            cut = plan.cut.get(page, np.zeros(0, np.int64))
            kept = set(web.targets[page][web.is_followed[page]].tolist()) - set(cut.tolist())
        graph.add_edges_from((page, target) for target in kept | plan.added(page) if target in graph)
    return graph


def reached(graph: nx.DiGraph, seeds: list[int]) -> set[int]:
    return set(seeds).union(*(nx.descendants(graph, seed) for seed in seeds))


@pytest.mark.parametrize(("days", "seed"), [(1, 1), (7, 2), (60, 3), (365, 4)])
def test_every_page_born_is_reached_and_few_others_are_not(
    web: Snapshot, planned: Rewire, days: int, seed: int
) -> None:
    turnover, plan = planned(Rates(), days, seed)
    graph = graph_after(web, turnover, plan)
    found = reached(graph, plan.seeds)
    assert set(range(len(web.urls), len(web.urls) + len(turnover.born_urls))) <= found
    living = set(np.flatnonzero(web.is_page & turnover.lives).tolist())
    assert plan.unreached == len(living - found)
    assert plan.unreached <= 0.02 * len(living) + 2
    assert plan.unreached_before == 0


def test_few_lost_pages_stay_lost_even_where_links_are_cut_by_the_half(web: Snapshot, planned: Rewire) -> None:
    """With hardly a link left to lead there, nineteen in twenty are linked again."""
    turnover, plan = planned(Rates(edits=10, link_edits=0.3, births=0, deaths=0.03), 60, 1)
    found = reached(graph_after(web, turnover, plan), plan.seeds)
    living = set(np.flatnonzero(web.is_page & turnover.lives).tolist())
    assert plan.unreached == len(living - found)
    assert plan.unreached < 0.05 * len(living)
    assert any(plan.listed.values())


def test_new_pages_are_linked_from_pages_that_change_anyway(web: Snapshot, planned: Rewire) -> None:
    turnover, plan = planned(Rates(), 7, 1)
    edited = {page for page in np.flatnonzero(web.is_page).tolist() if plan.is_revised(page)}
    without_edits = {page for page in edited if not plan.edits[page]}
    assert len(without_edits) <= len(web.seeds)
    assert all(turnover.lives[page] for page in edited)
    new = {len(web.urls) + born for born in range(len(turnover.born_urls))}
    assert new <= set().union(*(plan.added(page) for page in [*edited, *new]))


def test_edits_and_links_follow_the_rates(web: Snapshot, planned: Rewire) -> None:
    _, plan = planned(Rates(births=0, deaths=0, new_sites=0, site_deaths=0), 7, 5)
    pages = int(web.is_page.sum())
    assert np.count_nonzero(plan.edits) / pages == pytest.approx(0.35, abs=0.04)
    rates = Rates().edit_rates(web.urls[: len(web.entries)])[web.is_page]
    assert plan.edits.sum() == pytest.approx(7 * rates.sum(), rel=0.05)
    loose = np.array([np.count_nonzero(loose) for loose in web.is_loose])
    lost = 1 - (1 - Rates().link_edits_per_edit) ** plan.edits
    cut = sum(map(len, plan.cut.values()))
    drawn = sum(map(len, plan.drawn.values()))
    assert cut == pytest.approx(float(lost @ loose), rel=0.03)
    assert drawn == pytest.approx(cut, rel=0.06)


def test_a_quarter_of_the_links_is_new_after_a_week(web: Snapshot, planned: Rewire) -> None:
    """What Ntoulas, Cho and Olston found, links of new pages among them, in the mean of some weeks."""
    shares = []
    for seed in range(1, 9):
        turnover, plan = planned(Rates(), 7, seed)
        born = range(len(web.urls), len(web.urls) + len(turnover.born_urls))
        kept = new = sum(len(plan.added(page)) for page in born)
        for page in np.flatnonzero(turnover.lives & web.is_page).tolist():
            targets = set(web.targets[page].tolist())
            added = len(plan.added(page) - targets)
            new += added
            kept += added + len(targets - set(plan.cut.get(page, np.zeros(0, np.int64)).tolist()))
        shares.append(new / kept)
    assert np.mean(shares) == pytest.approx(0.25, abs=0.015)


def test_links_replaced_in_two_weeks_are_those_of_two_single_weeks(web: Snapshot) -> None:
    """A link outlives n edits with a chance of (1 - q)^n, however the edits are spread over the weeks."""
    rates = Rates(births=0, deaths=0, new_sites=0, site_deaths=0)
    own = rates.edit_rates(web.urls[: len(web.entries)])
    q = rates.link_edits_per_edit
    rng = np.random.default_rng(1)
    once = np.mean([np.mean((1 - q) ** rng.poisson(own * 14)) for _ in range(50)])
    twice = np.mean([np.mean((1 - q) ** rng.poisson(own * 7) * (1 - q) ** rng.poisson(own * 7)) for _ in range(50)])
    assert once == pytest.approx(float(np.mean(np.exp(-q * own * 14))), rel=0.01)
    assert twice == pytest.approx(once, rel=0.01)


def test_nothing_changes_at_rate_0(web: Snapshot, planned: Rewire) -> None:
    still = Rates(births=0, deaths=0, edits=0, link_edits=0, new_sites=0, site_deaths=0)
    _, plan = planned(still, 365, 1)
    assert not any(plan.is_revised(page) for page in range(len(web.entries)))
    assert not plan.cut
    assert not plan.drawn
    assert [web.urls[seed] for seed in plan.seeds] == web.seeds


def test_drawn_links_are_new_and_alive(web: Snapshot, planned: Rewire) -> None:
    turnover, plan = planned(Rates(), 60, 6)
    for page, drawn in plan.drawn.items():
        old = set(web.targets[page].tolist()) if page < len(web.urls) else set()
        assert len(set(drawn)) == len(drawn)
        assert not set(drawn) & (old | {page})
        assert all(target >= len(web.urls) or turnover.lives[target] for target in drawn)


# What can be reached_by_networkx, against networkx.

SIZE = 12
LINKS = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE + 3)), max_size=40)


def reached_by_networkx(links: list[tuple[int, int]], exists: list[bool], seeds: set[int]) -> set[int]:
    graph = nx.DiGraph((a, b) for a, b in links if b < SIZE and exists[a] and exists[b])
    graph.add_nodes_from(range(SIZE))
    starts = {seed for seed in seeds if exists[seed]}
    return starts.union(*(nx.descendants(graph, seed) for seed in starts))


@settings(deadline=None, derandomize=True)
@given(LINKS, st.lists(st.booleans(), min_size=SIZE, max_size=SIZE), st.sets(st.integers(0, SIZE - 1)), LINKS)
def test_it_is_what_networkx_reaches_even_while_links_are_added(
    links: list[tuple[int, int]], exists: list[bool], seeds: set[int], more: list[tuple[int, int]]
) -> None:
    follow: list[list[int]] = [[b for a, b in links if a == page] for page in range(SIZE)]
    reach = Reach(follow, exists, sorted(seeds))
    assert {page for page in range(SIZE) if page in reach} == reached_by_networkx(links, exists, seeds)
    for source, target in more:
        follow[source].append(target)
        if source in reach and target < SIZE:
            reach.grow(target)
    expected = reached_by_networkx([*links, *more], exists, seeds)
    assert {page for page in range(SIZE) if page in reach} <= expected
    assert {page for page in range(SIZE) if page in Reach(follow, exists, sorted(seeds))} == expected
