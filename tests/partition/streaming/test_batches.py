"""A session in batches on disk is the session: each page once, in order, and each link beside its ends."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.graphs.link_graph import PLACEHOLDER_HOST, GraphError
from partition.shares.page_order import order_keys
from partition.streaming.batches import Batches, distinct_of, in_batches
from sessions.session import Session
from tests.partition.graphs.support.webs import FILLED_WEBS, Fetch, Web, remembered


@contextmanager
def batched(session: Session, batch_pages: int) -> Iterator[Batches]:
    """A session in batches; hypothesis wants a folder of its own for each example."""
    with tempfile.TemporaryDirectory() as folder:
        with in_batches(session, Path(folder), batch_pages) as batches:
            yield batches
        assert not list(Path(folder).iterdir())


def urls_of(batches: Batches) -> list[str]:
    return [url for batch in range(len(batches)) for url in batches.rows(batch)["url"].to_pylist()]


@given(FILLED_WEBS, st.integers(1, 8))
def test_pages_are_all_there_once_and_in_order(web: Web, batch_pages: int) -> None:
    with batched(remembered(web), batch_pages) as batches:
        urls = urls_of(batches)
        sizes = [size for batch in range(len(batches)) for size in batches.bytes(batch).tolist()]
        assert dict(zip(urls, sizes, strict=True)) == web.sizes
        assert len(urls) == len(web.sizes) == len(batches.pages)
        keys = order_keys(pa.array(urls, pa.large_string()), has_urls=True).to_pylist()
        assert keys == sorted(keys, key=str.encode)
        assert batches.pages.url_bytes.tolist() == [len(url.encode()) for url in urls]
        assert np.diff(batches.pages.offsets).min() > 0
        spans = [batches.span(batch) for batch in range(len(batches))]
        assert [first for first, _ in spans] == batches.pages.offsets[:-1].tolist()


@given(FILLED_WEBS, st.integers(1, 8))
def test_links_lie_with_both_ends(web: Web, batch_pages: int) -> None:
    with batched(remembered(web), batch_pages) as batches:
        urls = urls_of(batches)
        leaving, inner, coming = [], [], set()
        for batch in range(len(batches)):
            first, size = batches.span(batch)
            sources, targets = batches.links_from(batch)
            leaving += [(urls[first + s], urls[t]) for s, t in zip(sources.tolist(), targets.tolist(), strict=True)]
            sources, targets = batches.inner_links(batch)
            inner += [
                (urls[first + s], urls[first + t]) for s, t in zip(sources.tolist(), targets.tolist(), strict=True)
            ]
            for sources, targets in batches.links_to(batch):
                assert not ((sources >= first) & (sources < first + size)).any()
                coming |= {(urls[s], urls[first + t]) for s, t in zip(sources.tolist(), targets.tolist(), strict=True)}
        assert sorted(leaving) == sorted(web.links)
        assert len(inner) == len(set(inner))
        assert sorted([*inner, *coming]) == sorted(web.links)


def test_a_web_without_urls_goes_by_numbers_and_counts_links(tmp_path: Path) -> None:
    pages = [f"http://{PLACEHOLDER_HOST}/{number}" for number in (10, 9, 100)]
    web = Web(tuple(Fetch(0, url, 5, ()) for url in pages), ())
    with in_batches(remembered(web), tmp_path) as batches:
        assert urls_of(batches) == [pages[1], pages[0], pages[2]]
        assert not batches.pages.has_urls
        assert batches.pages.url_bytes.tolist() == [1, 1, 1]


def test_no_pages(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="no pages were downloaded"), in_batches(remembered(Web((), ())), tmp_path):
        pass
    assert not list(tmp_path.iterdir())


@given(st.lists(st.lists(st.integers(0, 20)), max_size=6))
def test_distinct_numbers_of_pieces(pieces: list[list[int]]) -> None:
    found = distinct_of(np.array(piece, np.int64) for piece in pieces)
    assert found.tolist() == sorted({number for piece in pieces for number in piece})
