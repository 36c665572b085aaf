"""Sums of what has the same key."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partition.shares.keyed_sums import summed_by_key


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-9, 9))))
def test_each_key_once_ascending_with_its_sum(pairs: list[tuple[int, int]]) -> None:
    keys, sums = summed_by_key(*np.array(pairs, np.int64).reshape(-1, 2).T)
    expected: Counter[int] = Counter()
    for key, value in pairs:
        expected[key] += value
    assert dict(zip(keys.tolist(), sums.tolist(), strict=True)) == expected
    assert keys.tolist() == sorted(expected)
