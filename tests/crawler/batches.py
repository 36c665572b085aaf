"""Batches of URLs to test with."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from crawler.urlbatch import UrlBatch
from sessions.url import canonical, url_hashes

SITES = st.sampled_from(["a.example", "b.example", "www.b.example:8080", "xn--bcher-kva.example", "[::1]"])
PATHS = st.lists(st.sampled_from(["x", "page", "x" * 50, "%C3%BC", "index.html", "1", "22"]), max_size=4).map("/".join)
CANONICAL_URLS = st.one_of(
    st.builds("http://{}/{}".format, SITES, PATHS),
    st.builds("https://{}/{}?q={}".format, SITES, PATHS, st.text(max_size=20)).map(canonical).filter(bool),
    st.integers(1, 3000).map(lambda length: "http://long.example/" + "y" * length),
)


def batch_of(
    urls: Sequence[str],
    depths: Sequence[int] | None = None,
    hops: Sequence[int] | None = None,
    flags: Sequence[int] | None = None,
) -> UrlBatch:
    """The URLs as a batch; what is not given is 0."""
    zeros = [0] * len(urls)
    return UrlBatch(
        list(urls),
        url_hashes(urls),
        np.array(depths or zeros, np.uint16),
        np.array(hops or zeros, np.uint8),
        np.array(flags or zeros, np.uint8),
    )


def rows_of(batch: UrlBatch) -> list[tuple[str, int, int, int, int]]:
    """A batch as a list of rows: URL, hash, depth, hops, flags."""
    columns = (batch.hashes, batch.depths, batch.hops, batch.flags)
    return list(zip(batch.urls, *(column.tolist() for column in columns), strict=True))


BATCHES = st.lists(
    st.tuples(CANONICAL_URLS, st.integers(0, 0xFFFF), st.integers(0, 0xFF), st.integers(0, 7)), max_size=30
).map(lambda rows: batch_of(*map(list, zip(*rows, strict=True))) if rows else batch_of([]))
