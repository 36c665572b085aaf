"""Sums by group and largest columns, against lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.graphs.group_sums import largest_columns, summed, summed_rows

ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 3), min_size=width, max_size=width), min_size=1, max_size=8)
)


@given(ROWS)
def test_the_largest_of_each_row_and_of_equals_the_first(rows: list[list[int]]) -> None:
    matrix = csr_array(np.array(rows, np.int64))
    found = largest_columns(matrix)
    assert found.dtype == np.int32
    assert found.tolist() == [row.index(max(row)) for row in rows]


def test_no_columns_and_columns_out_of_order() -> None:
    assert largest_columns(csr_array((3, 0), dtype=np.int64)).tolist() == [0, 0, 0]
    unsorted = csr_array((np.array([5, 5, 4]), np.array([2, 0, 1]), np.array([0, 3])), shape=(1, 3))
    assert largest_columns(unsorted).tolist() == [0]


@given(ROWS, st.data())
def test_sums_of_groups(rows: list[list[int]], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    values = np.array(rows, np.int64)
    wanted = [values[np.array(groups) == group].sum(axis=0).tolist() for group in range(3)]
    assert summed(values, np.array(groups), 3).tolist() == wanted
    assert summed_rows(csr_array(values), np.array(groups), 3).toarray().tolist() == wanted
