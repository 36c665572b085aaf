"""New names for parts: the best of all there are, and the same partition."""

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.cut.balance import balance_of
from partition.cut.migration import away
from partition.cut.remap import relabelled
from tests.partition.cut.support.cases import partitions


@given(st.integers(1, 5), st.integers(1, 10), st.data())
def test_no_other_names_leave_more_where_it_was(k: int, count: int, data: st.DataObject) -> None:
    held = data.draw(st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=count, max_size=count))
    shares = data.draw(st.none() | st.lists(st.sampled_from([1.0, 2.0]), min_size=k, max_size=k).map(tuple))
    balance = balance_of(np.ones((count, 2), np.int64), k, 0.1, shares)
    parts, matrix = data.draw(partitions(count, k)), csr_array(np.array(held, np.int64))
    found = relabelled(parts, matrix, balance)
    allowed = [
        names
        for names in permutations(range(k))
        if all(balance.shares[part] == balance.shares[name] for part, name in enumerate(names))
    ]
    assert found.dtype == np.int32
    assert any(found.tolist() == [names[part] for part in parts] for names in allowed)
    kept = [sum(row[names[part]] for row, part in zip(held, parts, strict=True)) for names in allowed]
    assert sum(map(sum, held)) - away(found, matrix) == max(kept)


def test_what_nobody_held_keeps_its_names() -> None:
    parts = np.array([2, 0, 1], np.int32)
    held = csr_array((3, 3), dtype=np.int64)
    assert relabelled(parts, held, balance_of(np.ones((3, 2), np.int64), 3)).tolist() == [2, 0, 1]
