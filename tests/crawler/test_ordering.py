"""The orderings, as the rank's loop uses them."""

from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.ordering import BreadthFirst, ordering_named
from tests.crawler.batches import batch_of

STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=40)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(STEPS, st.integers(1, 40))
def test_breadth_first_is_first_found_first_fetched(steps: list[tuple[bool, int]], memory: int) -> None:
    with TemporaryDirectory() as folder:
        ordering = ordering_named("bfs", Path(folder), memory)
        expected: deque[str] = deque()
        found = 0
        for is_found, count in steps:
            if is_found:
                urls = [f"http://a.example/{found + number}" for number in range(count)]
                found += count
                ordering.add(batch_of(urls))
                expected.extend(urls)
            else:
                taken = ordering.take(count).urls
                assert taken == [expected.popleft() for _ in range(min(count, len(expected)))]
            assert len(ordering) == len(expected)


def test_an_ordering_is_found_by_its_name(tmp_path: Path) -> None:
    assert isinstance(ordering_named("bfs", tmp_path, 8), BreadthFirst)
    with pytest.raises(KeyError):
        ordering_named("no-such", tmp_path, 8)
