"""Sums by group, against plain addition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partition.graphs.group_sums import summed

LARGE = st.integers(0, 1 << 55)  # beyond what floating point tells apart


@given(st.lists(st.tuples(st.integers(0, 4), LARGE, LARGE), max_size=30))
def test_sums_are_exact(rows: list[tuple[int, int, int]]) -> None:
    groups = np.array([group for group, _, _ in rows], np.int32)
    values = np.array([pair for _, *pair in rows], np.int64).reshape(-1, 2)
    wanted = [[sum(row[weight] for row in rows if row[0] == group) for weight in (1, 2)] for group in range(5)]
    assert summed(values, groups, 5).tolist() == wanted
    assert summed(values[:, 0], groups, 5).tolist() == [row[0] for row in wanted]
    assert summed(values, groups, 5).dtype == np.int64
