"""Many batches as columns."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler.urls.batch import UrlBatch
from crawler.urls.batch_columns import BatchColumns
from tests.crawler.support.batches import rows_of
from tests.crawler.support.url_strategies import BATCHES


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
    columns = BatchColumns.of(batches)
    assert len(columns) == len(batches)
    assert rows_in(columns) == expected
    assert columns.batch_of_each.tolist() == [place for place, rows in enumerate(expected) for _ in rows]
    mask = [[random.random() < 0.5 for _ in rows] for rows in expected]
    kept = columns.where(np.array([choice for choices in mask for choice in choices], bool))
    assert rows_in(kept) == [
        [row for row, is_kept in zip(rows, choices, strict=True) if is_kept]
        for rows, choices in zip(expected, mask, strict=True)
    ]
