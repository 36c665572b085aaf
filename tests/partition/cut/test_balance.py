"""What parts may weigh, against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.balance import balance_of
from partition.graphs.link_graph import GraphError
from tests.partition.cut.support.cases import PAIRS, loads_by_definition, partitions

WEIGHTS = st.lists(PAIRS, min_size=1, max_size=12).map(lambda pairs: np.array(pairs, np.int64))


@settings(max_examples=150)
@given(WEIGHTS, st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(0, 300), st.data())
def test_limits_and_excess_by_definition(
    weights: np.ndarray, shares: list[int], percent: int, data: st.DataObject
) -> None:
    k = len(shares)
    balance = balance_of(weights, k, percent / 100, shares)
    parts = data.draw(partitions(len(weights), k))
    loads = loads_by_definition(weights, parts.tolist(), k)
    totals = weights.sum(axis=0).tolist()
    wanted = [[Fraction(share, sum(shares)) * total for total in totals] for share in shares]
    allowed = [[want * (1 + Fraction(percent, 100)) // 1 for want in row] for row in wanted]
    assert balance.parts == k
    assert balance.limits.tolist() == allowed
    over = [
        (loads[part][weight] - allowed[part][weight]) / wanted[part][weight]
        for part in range(k)
        for weight in (0, 1)
        if totals[weight]
    ]
    is_empty = len(set(parts.tolist())) < k
    assert balance.excess(weights, parts) == pytest.approx(float(max([0, *over])) + is_empty)
    is_kept = all(load <= most for rows in zip(loads, allowed, strict=True) for load, most in zip(*rows, strict=True))
    assert (balance.excess(weights, parts) == 0) == (is_kept and not is_empty)


@pytest.mark.parametrize("tolerance", [0.01, 0.05, 0.1, 0.15, 0.3, 0.7])
def test_a_limit_that_is_a_whole_number_is_allowed(tolerance: float) -> None:
    for total in range(100, 3001, 100):
        weights = np.array([[total, total * 7]])
        limit = round(total * (100 + round(tolerance * 100))) // 100
        assert balance_of(weights, 1, tolerance).limits.tolist() == [[limit, 7 * limit]]


def test_weights_of_nothing_are_balanced() -> None:
    weights = np.array([[0, 1]] * 4)
    balance = balance_of(weights, 2)
    assert balance.excess(weights, np.array([0, 0, 1, 1])) == 0
    assert balance.excess(weights, np.zeros(4, np.int32)) > 1


@pytest.mark.parametrize("shares", [(1e308, 1e308, 1e308), (1e-308, 1e-308, 1e-308), (5e-324,) * 3])
def test_shares_may_be_of_any_size(shares: tuple[float, ...]) -> None:
    assert balance_of(np.array([[30, 3]]), 3, 0, shares).limits.tolist() == [[10, 1]] * 3


@pytest.mark.parametrize(
    ("k", "tolerance", "shares", "message"),
    [
        (0, 0.05, None, "0 parts: there must be at least one"),
        (2, -0.1, None, "the tolerance must be from 0 up, not -0.1"),
        (2, float("nan"), None, "the tolerance must be from 0 up, not nan"),
        (2, float("inf"), None, "the tolerance must be from 0 up, not inf"),
        (2, 0.05, (1.0,), "shares must be 2 positive numbers"),
        (2, 0.05, (1.0, 0.0), "shares must be 2 positive numbers"),
        (2, 0.05, (1.0, -1.0), "shares must be 2 positive numbers"),
        (2, 0.05, (1.0, float("nan")), "shares must be 2 positive numbers"),
        (2, 0.05, (1.0, float("inf")), "shares must be 2 positive numbers"),
        (2, 0.05, (1.0, 1e-10), "the smallest share is less than a billionth"),
    ],
)
def test_what_makes_no_sense_is_refused(k: int, tolerance: float, shares: tuple[float, ...], message: str) -> None:
    with pytest.raises(GraphError, match=message) as raised:
        balance_of(np.array([[1, 1]] * 4), k, tolerance, shares)
    assert "\n" not in str(raised.value)
