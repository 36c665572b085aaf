"""What the tables say of discovered URLs, against sets and dictionaries."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.own_urls import SETTLED
from crawler.rank.resuming.frontier import discovered
from crawler.urls.batch import Mask
from sessions.url import Hashes, url_hash
from tests.crawler.rank.resuming.support.table_rows import FakeRows

URLS = [f"http://a.example/{number}" for number in range(12)]
WAYS = st.tuples(st.integers(0, 6), st.integers(0, 3))


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from(URLS), WAYS), unique_by=lambda row: row[0]),
    st.sets(st.sampled_from(URLS)),
    st.sets(st.sampled_from(URLS)),
    st.lists(st.tuples(st.sampled_from(URLS), WAYS)),
    st.integers(1, 20),
)
def test_what_was_discovered_comes_back_in_order_on_its_shortest_way(
    urls: list[tuple[str, tuple[int, int]]],
    pages: set[str],
    outcomes: set[str],
    nearer: list[tuple[str, tuple[int, int]]],
    most: int,
) -> None:
    tables = {
        "urls": [{"url": url, "hash": url_hash(url), "depth": depth, "hops": hops} for url, (depth, hops) in urls],
        "pages": [{"hash": url_hash(url)} for url in sorted(pages)],
        "outcomes": [{"hash": url_hash(url)} for url in sorted(outcomes)],
        "nearer": [{"hash": url_hash(url), "depth": depth, "hops": hops} for url, (depth, hops) in nearer],
    }
    batches = list(discovered(FakeRows(tables), most=most))
    assert [url for batch in batches for url in batch.urls] == [url for url, _ in urls]
    for batch in batches:
        assert batch.hashes.tolist() == [url_hash(url) for url in batch.urls]
        for place, url in enumerate(batch.urls):
            ways = [dict(urls)[url], *(way for other, way in nearer if other == url)]
            if url in pages | outcomes:
                ways = [(0, 0)]
            assert batch.depths[place] == min(depth for depth, _ in ways)
            assert batch.hops[place] == min(hops for _, hops in ways)
            assert batch.flags[place] == (SETTLED if url in pages | outcomes else 0)


def test_only_what_is_mine_comes_back() -> None:
    tables = {"urls": [{"url": url, "hash": url_hash(url), "depth": 0, "hops": 0} for url in URLS]}

    def is_mine(folder: int, hashes: Hashes, urls: Sequence[str]) -> Mask:
        assert folder == 0
        return np.array([url.endswith("7") for url in urls], bool)

    assert [url for batch in discovered(FakeRows(tables), is_mine) for url in batch.urls] == [URLS[7]]
