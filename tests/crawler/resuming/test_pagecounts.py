"""Caps that go on from the pages table, against plain counts."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.caps import Caps, prefix_of
from crawler.politeness.placing import keeper_of
from crawler.resuming.pagecounts import COLUMNS, recount_pages
from sessions.url import site_of
from tests.crawler.resuming.tablerows import batches_of

URLS = [f"http://{site}.example{path}" for site in "abc" for path in ("/", "/x/1", "/x/y/2", "/z/3")]
CAPS = st.none() | st.integers(1, 12)
PLENTY = 1000


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(URLS), max_size=40), CAPS, CAPS, st.integers(1, 2), st.integers(1, 4))
def test_as_many_more_pages_are_granted_as_the_caps_leave(
    urls: list[str], per_site: int | None, per_prefix: int | None, segments: int, ranks: int
) -> None:
    """The caps of the earlier run may have been higher."""
    of_sites = Counter(map(site_of, urls))
    of_prefixes = Counter(prefix_of(url, segments) for url in urls)
    rows = [{"url": url, "site": site_of(url)} for url in urls]
    for rank in range(ranks):
        for url in URLS:
            caps = Caps(per_site, per_prefix, segments)
            recount_pages(batches_of("pages", rows, COLUMNS), caps, rank=rank, ranks=ranks)
            site, prefix = site_of(url), prefix_of(url, segments)
            is_own = keeper_of(site, ranks) == rank
            left = [
                max(0, cap - (count if is_own else 0))
                for cap, count in ((per_site, of_sites[site]), (per_prefix, of_prefixes[prefix]))
                if cap is not None
            ]
            assert caps.grant(site, prefix, PLENTY).pages == min([PLENTY, *left])
