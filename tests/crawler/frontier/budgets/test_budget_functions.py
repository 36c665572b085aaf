"""From in-degrees to budgets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets.budget_functions import B0, BUDGETS, MOST, by_degree, by_rank
from crawler.frontier.budgets.ranking import Degrees, Histogram, Ranking, bins_of


def uint32(degrees: object) -> Degrees:
    return np.array(degrees, np.uint32).reshape(-1)


def ranking(degrees: Degrees) -> Ranking:
    histogram = Histogram()
    histogram.move(np.zeros(len(degrees), np.uint32), degrees)
    return histogram.ranking()


def by_full_list(degrees: Degrees) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """What the text says, for domains that are sorted; of equal ones whichever came first stands first."""
    linked = int((degrees > 0).sum())
    ranked = min(10_000, linked // 100)
    budgets = np.full(len(degrees), 10.0)
    order = np.argsort(-degrees.astype(np.int64), kind="stable")[:ranked]
    for place, domain in enumerate(order.tolist()):
        budgets[domain] = 10_000 - (10_000 - 10) * (place / (ranked - 1) if ranked > 1 else 0)
    return budgets


def test_by_degree() -> None:
    budgets = by_degree(uint32([0, 1, 2, 998, 999, 1000, 2**32 - 1]), Ranking())
    assert budgets.tolist() == [10, 20, 30, 9990, 10_000, 10_000, 10_000]
    assert budgets.dtype == np.int64


def test_by_rank_is_linear_from_the_first_to_the_last_of_the_ranked() -> None:
    degrees = uint32(np.arange(1, 1001))
    budgets = by_rank(degrees, ranking(degrees))
    assert budgets[-10:].tolist() == [10, 1120, 2230, 3340, 4450, 5560, 6670, 7780, 8890, 10_000]
    assert (budgets[:-10] == B0).all()


def test_a_single_ranked_domain_has_the_highest_budget() -> None:
    degrees = uint32([1] * 99 + [2])
    assert by_rank(degrees, ranking(degrees)).tolist() == [10] * 99 + [10_000]


def test_of_fewer_than_a_hundred_nobody_is_ranked() -> None:
    degrees = uint32([1] * 98 + [500])
    assert set(by_rank(degrees, ranking(degrees)).tolist()) == {B0}
    assert by_rank(uint32([0, 7]), Ranking()).tolist() == [B0, B0]


def test_equals_share_what_their_ranks_give() -> None:
    degrees = uint32([1] * 198 + [8, 8])
    assert by_rank(degrees, ranking(degrees))[-2:].tolist() == [5005, 5005]
    across_the_cut = uint32([1] * 195 + [7] * 4 + [8])
    assert by_rank(across_the_cut, ranking(across_the_cut))[-6:].tolist() == [10, 10, 10, 10, 10, 10_000]
    at_the_top = uint32([1] * 195 + [7] * 5)
    assert by_rank(at_the_top, ranking(at_the_top))[-6:].tolist() == [10] + [round((10_000 + 4 * 10) / 5)] * 5


def test_an_in_degree_that_the_ranking_has_not_heard_of_stands_below_the_higher_ones() -> None:
    degrees = uint32(np.arange(1, 1001))
    budgets = by_rank(uint32([0, 995, 1500]), ranking(degrees[degrees != 995]))
    assert budgets.tolist() == [10, 10_000 - round(5 * 9990 / 8), 10_000]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(1, 4000), st.sampled_from([1.2, 1.6, 2.5]), st.integers(0, 2**32 - 1))
def test_by_rank_is_within_what_a_bin_holds_of_the_full_list(domains: int, exponent: float, seed: int) -> None:
    """Power laws as on the web; with few domains and steep ones many are equal, with flat ones bins are wide."""
    degrees = uint32(np.minimum(np.random.default_rng(seed).zipf(exponent, domains), 2**31))
    degrees[:: max(2, domains // 50)] = 0
    ranks = ranking(degrees)
    budgets, exact = by_rank(degrees, ranks), by_full_list(degrees)
    in_bin = np.where(degrees > 0, np.bincount(bins_of(degrees))[bins_of(degrees)], 1)
    step = (MOST - B0) / max(1, ranks.ranked - 1)
    # A domain alone in its bin is exact; others are off by less than the ranks that the bin spans.
    assert (np.abs(budgets - exact) <= 0.5 + (in_bin - 1) * step).all()
    assert abs(budgets.sum() - exact.sum()) <= 0.5 * (budgets > B0).sum() + 1e-6 * exact.sum() + 0.5 * in_bin.max()
    assert budgets.min() >= B0
    assert budgets.max() <= MOST
    assert (np.diff(budgets[np.argsort(degrees, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("name", BUDGETS)
def test_every_function_answers_no_question_with_nothing(name: str) -> None:
    budgets = BUDGETS[name](np.empty(0, np.uint32), Ranking())
    assert budgets.tolist() == []
    assert budgets.dtype == (np.float64 if name == "trust" else np.int64)
