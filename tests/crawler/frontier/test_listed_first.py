"""The ordering of a crawl by a worklist, against taking one URL at a time."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.listed_first import WHOLE, ListedFirst, in_millionths, old_ones_of
from crawler.urls.batch import UrlBatch
from crawler.urls.kinds import flag_of
from crawler.worklist.rows import NEW, OLD
from tests.crawler.support.batches import batch_of

MEMORY = 20_000


def urls_of(kind: str, count: int) -> UrlBatch:
    return batch_of([f"http://a.example/{kind}{place}" for place in range(count)], flags=[flag_of(kind)] * count)


def filled(folder: Path, new: int, old: int, unlisted: int, share: float, **others: bool | int) -> ListedFirst:
    ordering = ListedFirst(folder, MEMORY, share=in_millionths(share), handed_out=Counter(), **others)  # type: ignore[arg-type]
    for batch in (urls_of("", unlisted), urls_of(NEW, new), urls_of(OLD, old)):
        ordering.add(batch)
    return ordering


def by_definition(new: int, old: int, share: float, first: int = 0) -> list[str]:
    """The URLs one at a time, by the issue's formula in whole numbers."""
    left = {NEW: list(urls_of(NEW, new).urls), OLD: list(urls_of(OLD, old).urls)}
    taken = []
    of_old = WHOLE - in_millionths(share)
    for m in range(first, first + new + old):
        kind, other = (OLD, NEW) if (m + 1) * of_old // WHOLE > m * of_old // WHOLE else (NEW, OLD)
        taken.append((left[kind] or left[other]).pop(0))
    return taken


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    st.integers(0, 30),
    st.integers(0, 30),
    st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.999999, 1.0]) | st.floats(0, 1),
    st.integers(0, 50),
    st.lists(st.integers(1, 9)),
)
def test_kinds_take_turns_by_their_shares(new: int, old: int, share: float, earlier: int, counts: list[int]) -> None:
    with TemporaryDirectory() as name:
        ordering = filled(Path(name), new, old, 3, share, earlier=earlier)
        taken: list[str] = []
        for count in [*counts, new + old]:
            if len(ordering):
                taken += ordering.take(count).urls
        assert taken == by_definition(new, old, share, earlier)
        assert not len(ordering)
        assert [url for batch in ordering.drain() for url in batch.urls] == urls_of("", 3).urls


def test_every_prefix_has_the_share_within_one_url(tmp_path: Path) -> None:
    ordering = filled(tmp_path, 900, 300, 0, 0.7)
    old = 0
    for m in range(1, 900):
        old += OLD in ordering.take(1).urls[0].rpartition("/")[2]
        assert abs(Fraction(3, 10) * m - old) < 1


def test_unlisted_urls_follow_only_beyond_the_list(tmp_path: Path) -> None:
    ordering = filled(tmp_path, 2, 1, 4, 0.9, goes_beyond=True)
    assert len(ordering) == 7
    assert ordering.take(7).urls == by_definition(2, 1, 0.9)
    ordering.add(urls_of("", 1))
    assert ordering.take(9).urls == [*urls_of("", 4).urls, urls_of("", 1).urls[0]]


def test_what_was_taken_is_counted_by_kind(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    ordering = ListedFirst(tmp_path, MEMORY, share=in_millionths(0.5), handed_out=counted)
    ordering.add(urls_of(NEW, 3))
    ordering.take(2)
    assert counted == {NEW: 2}
    assert ordering.left == {NEW: 1, OLD: 0}


@pytest.mark.parametrize("share", [0, 1, 100_000, 999_999, WHOLE])
def test_old_ones_are_counted_in_whole_numbers_however_many_there_are(share: int) -> None:
    numbers = [0, 1, 9, 10, WHOLE - 1, WHOLE, 10**12 + 7]
    found = old_ones_of(np.array(numbers, np.int64), share)
    assert found.tolist() == [number * share // WHOLE for number in numbers]
