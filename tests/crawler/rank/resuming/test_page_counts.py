"""Caps that go on from the pages table, against plain counts."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.gatekeeper_of import keeper_of
from crawler.politeness.page_caps import REACHED, Account, Caps, PageCaps, network_of, prefix_of
from crawler.rank.resuming.page_counts import COLUMNS, recount_pages
from sessions.url import domain_of, site_of
from tests.crawler.rank.resuming.support.table_rows import batches_of

SITES = ("a.b.example", "b.example", "c.example:81")
URLS = [f"http://{site}{path}" for site in SITES for path in ("/", "/x/1", "/x/y/2", "/z/3")]
IPS = ("192.0.2.1", "192.0.2.2", "::ffff:192.0.2.2", "2001:db8::1", "2001:db8::2", None)
CAPS = st.none() | st.integers(1, 12)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(URLS), st.sampled_from(IPS)), max_size=40),
    st.tuples(CAPS, CAPS, CAPS, CAPS),
    st.integers(1, 2),
    st.integers(1, 4),
)
def test_the_gatekeeper_of_an_account_counts_what_all_ranks_have_fetched(
    pages: list[tuple[str, str | None]], most: tuple[int | None, ...], segments: int, ranks: int
) -> None:
    """The caps of the earlier run may have been higher."""
    limits = PageCaps(*most, segments=segments)
    counted: Counter[tuple[str, Account]] = Counter()
    for url, ip in pages:
        site = site_of(url)
        domain = domain_of(site)
        counted[domain, Account("site-cap", site)] += 1
        counted[domain, Account("prefix-cap", prefix_of(url, segments))] += 1
        counted[domain, Account("domain-cap", domain)] += 1
        if ip is not None:
            counted[network_of(ip), Account("address-cap", network_of(ip))] += 1
    rows = [{"url": url, "site": site_of(url), "ip": ip} for url, ip in pages]
    for rank in range(ranks):
        caps = Caps(limits)
        recount_pages(batches_of("pages", rows, COLUMNS), limits, caps, rank=rank, ranks=ranks)
        for (key, account), count in counted.items():
            cap = most[REACHED.index(account.cap)]
            if cap is not None:
                fetched = count if keeper_of(key, ranks) == rank else 0
                assert caps.left(account) == max(0, cap - fetched)
