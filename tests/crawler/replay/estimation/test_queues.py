"""The queues of all ranks, against a deque for each."""

from collections import deque

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.estimation.queues import Queues

RANKS = 3
STEPS = st.lists(
    st.one_of(
        st.lists(st.tuples(st.integers(0, RANKS - 1), st.integers(0, 99)), max_size=40),
        st.tuples(*(st.integers(0, 15) for _ in range(RANKS))),
    ),
    max_size=20,
)


@settings(deadline=None, derandomize=True)
@given(STEPS)
def test_first_in_first_out(steps: list[list[tuple[int, int]] | tuple[int, ...]]) -> None:
    queues = Queues(RANKS)
    expected: list[deque[int]] = [deque() for _ in range(RANKS)]
    for step in steps:
        if isinstance(step, list):
            added = sorted(step, key=lambda pair: pair[0])
            queues.add(np.array([rank for rank, _ in added], np.int32), np.array([url for _, url in added], np.int64))
            for rank, url in added:
                expected[rank].append(url)
        else:
            counts = [min(count, len(queue)) for count, queue in zip(step, expected, strict=True)]
            ranks, urls = queues.take(np.array(counts))
            taken = [(rank, expected[rank].popleft()) for rank in range(RANKS) for _ in range(counts[rank])]
            assert list(zip(ranks.tolist(), urls.tolist(), strict=True)) == taken
        assert queues.lengths.tolist() == list(map(len, expected))
