"""Batches of URLs: alone, many as columns, on their shortest ways; and links that wait to be one."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.urls.batch import UrlBatch, empty_batch, joined
from crawler.urls.batch_columns import BatchColumns
from crawler.urls.link_buffer import LinkBuffer
from crawler.urls.shortest_ways import shortest_ways
from crawler.urls.targets import listed
from tests.crawler.support.batches import batch_of, bounds_of, rows_of
from tests.crawler.support.url_strategies import BATCHES


@settings(derandomize=True, deadline=None)
@given(BATCHES, st.randoms(use_true_random=False))
def test_every_column_moves_with_its_url(batch: UrlBatch, random) -> None:  # type: ignore[no-untyped-def]
    rows = rows_of(batch)
    mask = [random.random() < 0.5 for _ in rows]
    order = [random.randrange(len(rows)) for _ in rows]
    start = random.randint(0, len(rows))
    stop = random.randint(start, len(rows))
    assert rows_of(batch.where(np.array(mask, bool))) == [row for row, is_in in zip(rows, mask, strict=True) if is_in]
    assert rows_of(batch.take(np.array(order, np.intp))) == [rows[position] for position in order]
    assert rows_of(batch.between(start, stop)) == rows[start:stop]


@settings(derandomize=True, deadline=None)
@given(st.lists(BATCHES, max_size=4))
def test_batches_are_joined_in_order(batches: list[UrlBatch]) -> None:
    whole = joined(batches)
    assert rows_of(whole) == [row for batch in batches for row in rows_of(batch)]
    assert len(whole) == sum(map(len, batches))


def test_an_empty_batch_has_the_columns_of_others() -> None:
    one = batch_of(["http://a.example/"])
    for column in ("hashes", "depths", "hops", "flags"):
        assert getattr(empty_batch(), column).dtype == getattr(one, column).dtype
    assert rows_of(joined([empty_batch(), one, empty_batch()])) == rows_of(one)


# Many batches as columns.


def rows_in(columns: BatchColumns) -> list[list[tuple[object, ...]]]:
    """The rows of each batch: URL, depth, hops, flags."""
    text = columns.text.tobytes()
    places = zip(columns.starts.tolist(), columns.lengths.tolist(), strict=True)
    urls = [text[start : start + length].decode() for start, length in places]
    others = (columns.depths.tolist(), columns.hops.tolist(), columns.flags.tolist())
    rows = list(zip(urls, *others, strict=True))
    return [rows[start:end] for start, end in pairwise(columns.bounds.tolist())]


@given(st.lists(BATCHES, max_size=5), st.randoms(use_true_random=False))
def test_columns_hold_the_batches_and_parts_of_them(batches: list[UrlBatch], random) -> None:  # type: ignore[no-untyped-def]
    expected = [[(url, *rest) for url, _, *rest in rows_of(batch)] for batch in batches]
    columns = BatchColumns.of(joined(batches), bounds_of(batches))
    assert len(columns) == len(batches)
    assert rows_in(columns) == expected
    assert columns.batch_of_each.tolist() == [place for place, rows in enumerate(expected) for _ in rows]
    mask = [[random.random() < 0.5 for _ in rows] for rows in expected]
    kept = columns.where(np.array([choice for choices in mask for choice in choices], bool))
    assert rows_in(kept) == [
        [row for row, is_kept in zip(rows, choices, strict=True) if is_kept]
        for rows, choices in zip(expected, mask, strict=True)
    ]


# URLs that were found on several ways, beside a dictionary.

FOUND = st.lists(st.tuples(st.integers(0, 5) | st.integers(0, 2**64 - 1), st.integers(0, 65535), st.integers(0, 255)))


@given(FOUND)
def test_each_once_at_its_first_place_on_its_shortest_way(found: list[tuple[int, int, int]]) -> None:
    least: dict[int, tuple[int, int]] = {}
    for key, depth, hops in found:
        least[key] = min(least.get(key, (depth, hops))[0], depth), min(least.get(key, (depth, hops))[1], hops)
    keys = [key for key, _, _ in found]
    ways = shortest_ways(
        np.array(keys, np.uint64),
        np.array([depth for _, depth, _ in found], np.uint16),
        np.array([hops for _, _, hops in found], np.uint8),
    )
    if len(least) == len(found):
        assert ways is None
        return
    assert ways is not None
    assert ways.firsts.tolist() == [keys.index(key) for key in least]
    assert list(zip(ways.depths.tolist(), ways.hops.tolist(), strict=True)) == list(least.values())
    assert (ways.depths.dtype, ways.hops.dtype) == (np.uint16, np.uint8)


# Links that wait, beside a list of them.

Page = tuple[int, int, list[tuple[str, int]]]

LINKS = st.lists(st.tuples(st.sampled_from(["http://a/", "http://b/"]), st.integers(0, 255)), max_size=4)
PAGES = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 255), LINKS), max_size=5)


@given(st.lists(PAGES, min_size=1, max_size=3))
def test_all_links_come_out_once_in_order_with_what_their_pages_have(rounds: list[list[Page]]) -> None:
    buffer = LinkBuffer(np.uint64, np.uint8)
    for pages in rounds:
        for source, hops, links in pages:
            buffer.add((source, hops), listed([url for url, _ in links], [flags for _, flags in links]))
        expected = [(url, flags, source, hops) for source, hops, links in pages for url, flags in links]
        assert len(buffer) == len(expected)
        taken = buffer.take()
        sources, hops_ = taken.columns
        assert [taken.flags.dtype, sources.dtype, hops_.dtype] == [np.uint8, np.uint64, np.uint8]
        assert list(zip(taken.urls(), taken.flags.tolist(), sources.tolist(), hops_.tolist(), strict=True)) == expected
        assert len(buffer) == 0
