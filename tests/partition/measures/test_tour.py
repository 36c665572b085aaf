"""Tours against all orders of few things, and against a path that is hidden in a matrix."""

from itertools import combinations, pairwise, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from partition.measures.tour import tour

MATRICES = st.integers(1, 6).flatmap(lambda k: arrays(np.int64, (k, k), elements=st.integers(0, 50)))


def held(weights: np.ndarray, order: list[int]) -> int:
    return sum(int(weights[a, b] + weights[b, a]) for a, b in pairwise(order))


@given(MATRICES)
def test_a_tour_has_each_once_and_no_reversal_makes_it_better(weights: np.ndarray) -> None:
    found = tour(weights).tolist()
    assert sorted(found) == list(range(len(weights)))
    for start, end in combinations(range(len(found) + 1), 2):
        turned = found[:start] + found[start:end][::-1] + found[end:]
        assert held(weights, turned) <= held(weights, found)
    best = max(held(weights, list(order)) for order in permutations(range(len(weights))))
    assert held(weights, found) >= 0.6 * best


@given(st.permutations(range(12)), st.integers(1, 9))
def test_a_path_is_found_again(hidden: list[int], weight: int) -> None:
    weights = np.zeros((12, 12), np.int64)
    for a, b in pairwise(hidden):
        weights[a, b] = weight
    assert tour(weights).tolist() in (hidden, hidden[::-1])


def test_the_matrix_is_left_as_it_was() -> None:
    weights = np.full((5, 5), 3, np.int64)
    tour(weights)
    assert (weights == 3).all()
