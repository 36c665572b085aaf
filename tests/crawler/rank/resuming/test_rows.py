"""Rows of a session's tables, and what gatekeepers learn from them: how many pages there are."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.messages import keeper_of
from crawler.politeness.page_caps import REACHED, Account, Caps, PageCaps, network_of, prefix_of
from crawler.rank.resuming.page_counts import COLUMNS, recount_pages
from crawler.rank.resuming.rows import column, rows_of, share_of
from sessions.session import Session
from sessions.url import domain_of, site_of
from tests.crawler.rank.resuming.support.table_rows import batches_of
from tests.sessions.support.builder import GoingOn, small_session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Two ranks' session, as it was begun."""
    small_session(tmp_path / "session", end=None)
    return Session.open(tmp_path / "session")


def test_where_nothing_has_moved_a_rank_reads_what_it_wrote(session: Session) -> None:
    for rank in range(2):
        read = column(list(rows_of(session, rank).read("urls", ["hash"])), "hash").tolist()
        assert read == session.read("urls", ["hash"], rank)["hash"].to_pylist()


def test_where_urls_have_moved_every_rank_reads_all(session: Session) -> None:
    GoingOn(session.path, "later", ranks=3).close()
    moved = Session.open(session.path)
    assert moved.has_moved
    every = sorted(moved.read("urls", ["hash"])["hash"].to_pylist())
    for rank in range(3):
        rows = rows_of(moved, rank)
        assert sorted(column(list(rows.read("urls", ["hash"])), "hash").tolist()) == every
        assert {folder for folder, _ in rows.read_by_folder("urls", ["hash"])} == {0, 1}
    assert moved.most_ranks == 3


def test_each_row_is_in_one_rank_s_share(session: Session) -> None:
    for ranks in (1, 2, 3):
        read = [
            hash_
            for rank in range(ranks)
            for batch in share_of(session, rank, ranks).read("urls", ["hash"])
            for hash_ in column([batch], "hash").tolist()
        ]
        assert sorted(read) == sorted(session.read("urls", ["hash"])["hash"].to_pylist())


def test_groups_have_as_many_rows_as_asked_for_or_a_few_more(session: Session) -> None:
    rows = share_of(session, 0, 1)
    groups = list(rows.groups("urls", ["hash"], 1))
    assert [len(group) for group in groups] == [1] * len(groups)
    assert sum(map(len, groups[0])) >= 1
    assert len(list(rows.groups("urls", ["hash"], 1 << 30))) == 1


# Caps that go on from the pages table, against plain counts.

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
