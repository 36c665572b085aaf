"""Integers of any number of bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.map.packed_integers import PackedIntegers, packed, packed_bytes, width_for


@given(st.integers(1, 8), st.lists(st.integers(0, 2**64 - 1), max_size=20), st.randoms(use_true_random=False))
def test_what_is_packed_is_read_at_any_place(width: int, values: list[int], random) -> None:  # type: ignore[no-untyped-def]
    data = packed(np.array(values, np.uint64), width)
    assert len(data) == packed_bytes(len(values), width)
    integers = PackedIntegers(data, len(values), width)
    places = random.choices(range(len(values)), k=30) if values else []
    assert len(integers) == len(values)
    assert integers.take(np.array(places, np.int64)).tolist() == [values[place] % 256**width for place in places]


@pytest.mark.parametrize(
    ("largest", "width"), [(0, 1), (255, 1), (256, 2), (65535, 2), (65536, 3), (2**24, 4), (2**64 - 1, 8)]
)
def test_as_few_bytes_as_it_takes(largest: int, width: int) -> None:
    assert width_for(largest) == width
