"""Canonical URLs and batches of them, as hypothesis draws them."""

from hypothesis import strategies as st

from sessions.url import canonical
from tests.crawler.support.batches import batch_of

SITES = st.sampled_from(["a.example", "b.example", "www.b.example:8080", "xn--bcher-kva.example", "[::1]"])
PATHS = st.lists(st.sampled_from(["x", "page", "x" * 50, "%C3%BC", "index.html", "1", "22"]), max_size=4).map("/".join)
CANONICAL_URLS = st.one_of(
    st.builds("http://{}/{}".format, SITES, PATHS),
    st.builds("https://{}/{}?q={}".format, SITES, PATHS, st.text(max_size=20)).map(canonical).filter(bool),
    st.integers(1, 3000).map(lambda length: "http://long.example/" + "y" * length),
)
BATCHES = st.lists(
    st.tuples(CANONICAL_URLS, st.integers(0, 0xFFFF), st.integers(0, 0xFF), st.integers(0, 7)), max_size=30
).map(lambda rows: batch_of(*map(list, zip(*rows, strict=True))) if rows else batch_of([]))
