"""Batches of URLs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.urls.batch import UrlBatch, empty_batch, joined
from tests.crawler.support.batches import batch_of, rows_of
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
