"""The orderings, as the rank's loop uses them."""

from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.ordering import BreadthFirst, OwnFirst, ordering_named
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


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["own", "later", "take"]), st.integers(0, 5)), max_size=40))
def test_what_is_for_later_is_taken_when_there_is_nothing_else(steps: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        later = BreadthFirst(Path(folder) / "later", 8)
        both = OwnFirst(BreadthFirst(Path(folder), 8), later)
        expected: dict[str, list[str]] = {"own": [], "later": []}
        for number, (what, count) in enumerate(steps):
            urls = [f"http://a.example/{number}/{place}" for place in range(count)]
            if what == "take":
                queue = expected["own"] or expected["later"]
                assert both.take(count).urls == queue[:count]
                del queue[:count]
            else:
                (both if what == "own" else later).add(batch_of(urls))
                expected[what] += urls
            assert len(both) == sum(map(len, expected.values()))


def test_an_ordering_is_found_by_its_name(tmp_path: Path) -> None:
    assert isinstance(ordering_named("bfs", tmp_path, 8), BreadthFirst)
    with pytest.raises(KeyError):
        ordering_named("no-such", tmp_path, 8)
