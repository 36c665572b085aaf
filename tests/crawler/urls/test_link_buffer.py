"""Links that wait, beside a list of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler.urls.link_buffer import LinkBuffer

Page = tuple[int, int, list[tuple[str, int]]]

LINKS = st.lists(st.tuples(st.sampled_from(["http://a/", "http://b/"]), st.integers(0, 255)), max_size=4)
PAGES = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 255), LINKS), max_size=5)


@given(st.lists(PAGES, min_size=1, max_size=3))
def test_all_links_come_out_once_in_order_with_what_their_pages_have(rounds: list[list[Page]]) -> None:
    buffer = LinkBuffer(np.uint64, np.uint8)
    for pages in rounds:
        for source, hops, links in pages:
            buffer.add((source, hops), [url for url, _ in links], [flags for _, flags in links])
        expected = [(url, flags, source, hops) for source, hops, links in pages for url, flags in links]
        assert len(buffer) == len(expected)
        taken = buffer.take()
        sources, hops_ = taken.columns
        assert [taken.flags.dtype, sources.dtype, hops_.dtype] == [np.uint8, np.uint64, np.uint8]
        assert list(zip(taken.urls, taken.flags.tolist(), sources.tolist(), hops_.tolist(), strict=True)) == expected
        assert len(buffer) == 0
