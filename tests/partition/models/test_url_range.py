"""Ranges of URLs: stretches of one order, of about equal weight."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partition.assignment.url_prefixes import url_key
from partition.cut.balance import balance_of
from partition.models.url_range import range_parts
from tests.partition.models.support.cases import WEBS, web_of
from tests.partition.quality.support.webs import SmallWeb


def in_url_order(web: SmallWeb) -> list[int]:
    """Pages by reversed host, then path."""

    def place(page: int) -> tuple[list[str], str]:
        host, _, path = url_key(list(web.sizes)[page]).partition("/")
        return list(reversed(host.split("."))), path

    return sorted(range(len(web.sizes)), key=place)


@settings(max_examples=150)
@given(WEBS, st.data())
def test_parts_are_stretches_and_none_is_empty(web: SmallWeb, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(web.sizes)))
    shares = np.array(data.draw(st.lists(st.integers(1, 1000), min_size=k, max_size=k)), np.float64)
    parts = range_parts(web.graph(), balance_of(web.graph().weights, k, 0.05, shares.tolist()))
    assert parts.dtype == np.int32
    stretch = parts[in_url_order(web)]
    assert set(np.diff(stretch).tolist()) <= {0, 1}
    assert (stretch[0], stretch[-1]) == (0, k - 1)


@pytest.mark.parametrize("shares", [[1, 1, 1, 1], [4, 3, 2, 1]])
def test_stretches_weigh_their_shares(shares: list[int]) -> None:
    sizes = np.random.default_rng(0).integers(1, 100, 1000)
    web = web_of({f"http://h{number % 7}.example/{number}": int(size) for number, size in enumerate(sizes)})
    graph = web.graph()
    wanted = np.array(shares) / sum(shares)
    parts = range_parts(graph, balance_of(graph.weights, 4, 0.05, shares))
    weights = graph.weights / graph.weights.sum(axis=0)
    loads = np.array([weights[parts == part].mean(axis=1).sum() for part in range(4)])
    assert loads == pytest.approx(wanted, abs=0.01)


@settings(max_examples=100)
@given(WEBS, st.integers(1, 4))
def test_no_other_way_of_cutting_the_list_is_more_even(web: SmallWeb, k: int) -> None:
    graph = web.graph()
    pages = len(graph)
    assume(k <= pages <= 9)
    weights = graph.weights[in_url_order(web)] / np.maximum(graph.weights.sum(axis=0), 1)

    def heaviest(ends: tuple[int, ...]) -> float:
        return max(weights[a:b].sum(axis=0).max() for a, b in pairwise((0, *ends, pages)))

    least = min(heaviest(ends) for ends in combinations(range(1, pages), k - 1))
    parts = range_parts(graph, balance_of(graph.weights, k))[in_url_order(web)]
    assert heaviest(tuple(np.flatnonzero(np.diff(parts)) + 1)) <= least * 1.001


@settings(max_examples=100)
@given(WEBS, st.integers(1, 4), st.sampled_from([(0.1, 0.1), (0.05, 0.2), (0.4, 0.1)]))
def test_imbalances_count_in_proportion_to_their_tolerances(
    web: SmallWeb, k: int, tolerances: tuple[float, float]
) -> None:
    graph = web.graph()
    pages = len(graph)
    assume(k <= pages <= 9)
    weights = graph.weights[in_url_order(web)] / np.maximum(graph.weights.sum(axis=0), 1)

    def worst(ends: tuple[int, ...]) -> float:
        loads = np.array([weights[a:b].sum(axis=0) for a, b in pairwise((0, *ends, pages))])
        return float(((loads * k - 1) / tolerances).max())

    least = min(worst(ends) for ends in combinations(range(1, pages), k - 1))
    parts = range_parts(graph, balance_of(graph.weights, k, tolerances))[in_url_order(web)]
    assert worst(tuple(np.flatnonzero(np.diff(parts)) + 1)) <= max(least, 0) * 1.001 + 0.01


def test_a_giant_page_leaves_pages_for_the_others() -> None:
    web = web_of({f"http://a.example/{number}": 10**9 if number == 0 else 1 for number in range(8)})
    assert sorted(set(range_parts(web.graph(), balance_of(web.graph().weights, 8)).tolist())) == list(range(8))


def test_hosts_of_a_domain_are_neighbours() -> None:
    web = web_of({f"http://{host}/": 1 for host in ("a.x.example", "a.y.example", "b.x.example", "b.y.example")})
    assert range_parts(web.graph(), balance_of(web.graph().weights, 2)).tolist() == [0, 1, 0, 1]
