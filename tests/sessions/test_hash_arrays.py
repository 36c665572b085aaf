"""Places in spans, against a loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler.urls.concatenated_ranges import concatenated_ranges


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9))))
def test_the_places_of_all_spans_stand_one_after_the_other(spans: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(spans, np.int64).reshape(-1, 2).T
    found = concatenated_ranges(starts, lengths)
    assert found.dtype == np.int64
    assert found.tolist() == [start + place for start, length in spans for place in range(length)]
