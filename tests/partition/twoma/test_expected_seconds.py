"""Expected seconds beside the definition, one site and rank at a time."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from partition.twoma.expected_seconds import expected_seconds, rank_ratios
from partition.twoma.site_times import NO_BLOCK

NAN = float("nan")


def mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else NAN


def by_definition(means: list[list[float]], blocks: list[int], site: int, rank: int) -> float:
    sites, ranks = range(len(means)), range(len(means[0]))

    def lent(of: int, at: int) -> float:
        if not math.isnan(means[of][at]) or blocks[of] == NO_BLOCK:
            return means[of][at]
        return mean([means[other][at] for other in sites if blocks[other] == blocks[of]])

    def elsewhere(values: list[float]) -> float:
        return mean([value for at, value in enumerate(values) if at != rank])

    logs = [
        math.log(values[rank] / elsewhere(values))
        for values in means
        if not math.isnan(values[rank]) and not math.isnan(elsewhere(values))
    ]
    ratio = math.exp(sum(logs) / len(logs)) if logs else 1.0
    ways = (
        lent(site, rank),
        elsewhere([lent(site, at) for at in ranks]) * ratio,
        mean([values[rank] for values in means]),
        mean([value for values in means for value in values]),
    )
    return next(way for way in ways if not math.isnan(way))


@given(st.data())
def test_what_is_known_first_holds(data: st.DataObject) -> None:
    sites, k = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    value = st.one_of(st.just(NAN), st.integers(1, 100).map(float))
    means = data.draw(st.lists(st.lists(value, min_size=k, max_size=k), min_size=sites, max_size=sites))
    assume(any(not math.isnan(one) for row in means for one in row))
    blocks = data.draw(st.lists(st.integers(NO_BLOCK, 2), min_size=sites, max_size=sites))
    found = expected_seconds(np.array(means), np.array(blocks))
    for site in range(sites):
        for rank in range(k):
            assert found[site, rank] == pytest.approx(by_definition(means, blocks, site, rank))


def test_a_rank_that_takes_twice_as_long_is_expected_to() -> None:
    means = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, NAN]])
    assert rank_ratios(means) == pytest.approx([0.5, 2.0])
    assert expected_seconds(means, np.full(3, NO_BLOCK))[2] == pytest.approx([5.0, 10.0])


def test_neighbours_lend_each_other_their_seconds() -> None:
    means = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, NAN]])
    assert expected_seconds(means, np.array([0, 1, 1]))[2] == pytest.approx([5.0, 6.0])


def test_nothing_is_expected_of_nothing() -> None:
    with pytest.raises(ValueError, match="no site was measured at any rank"):
        expected_seconds(np.full((2, 2), NAN), np.array([0, 1]))
