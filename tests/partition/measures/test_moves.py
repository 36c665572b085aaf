"""Moves, by definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partition.measures.moves import Moves, moves


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3), st.integers(0, 100))))
def test_moves(pages: list[tuple[int, int, int]]) -> None:
    old, new, sizes = np.array(pages, np.int64).reshape(-1, 3).T
    had = [(before, after, size) for before, after, size in pages if before >= 0]
    moved = [size for before, after, size in had if before != after]
    found = moves(old.astype(np.int32), new.astype(np.int32), sizes)
    assert found == Moves(len(had), sum(size for _, _, size in had), len(moved), sum(moved))
    assert found.share_of_pages * max(1, len(had)) == len(moved)
    assert 0 <= found.share_of_bytes <= 1
