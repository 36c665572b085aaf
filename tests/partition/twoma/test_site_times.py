"""What sites took, beside plain sums over the pages, and sessions that do not tell."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.twoma.site_times import NO_BLOCK, TimesError, address_block, site_times, whole_site_times
from sessions.importing.imported_session import imported_session
from sessions.session import Session
from tests.partition.twoma.support.crawled import Fetch, crawled, pages_of
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import GoingOn

FETCHES = st.lists(
    st.builds(
        Fetch,
        st.sampled_from(["a.example", "b.example", "c.example"]),
        st.integers(0, 2),
        st.one_of(st.none(), st.just(0.0), st.integers(1, 2000).map(float)),
        st.sampled_from([None, "192.0.2.1", "192.0.2.77", "198.51.100.1", "2001:db8:1::1", "2001:db8:1:2::1"]),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=25)
@given(fetches=FETCHES)
def test_sums_by_site_and_rank(tmp_path_factory: pytest.TempPathFactory, fetches: list[Fetch]) -> None:
    session = Session.open(crawled(tmp_path_factory.mktemp("crawls") / "crawl", fetches, ranks=3))
    known = [fetch for fetch in fetches if fetch.milliseconds]
    if not known:
        with pytest.raises(TimesError, match="no page has its time on record"):
            site_times(session, 3)
        return
    times = site_times(session, 3)
    assert sorted(times.names) == sorted({fetch.site for fetch in fetches})
    for site, name in enumerate(times.names):
        for rank in range(3):
            here = [fetch for fetch in fetches if (fetch.site, fetch.rank) == (name, rank)]
            took = [fetch.milliseconds / 1000 for fetch in here if fetch.milliseconds]
            assert times.fetched[site, rank] == len(here)
            assert times.measured[site, rank] == len(took)
            assert times.seconds[site, rank] == pytest.approx(sum(took))
            mean = times.means[site, rank]
            assert mean == pytest.approx(sum(took) / len(took)) if took else np.isnan(mean)
    of_site = {name: [fetch for fetch in fetches if fetch.site == name] for name in times.names}
    ranks = {name: Counter(fetch.rank for fetch in some) for name, some in of_site.items()}
    mains = [min(count, key=lambda rank, count=count: (-count[rank], rank)) for count in ranks.values()]
    assert times.main_ranks.tolist() == mains
    astray = sum(len(some) - max(ranks[name].values()) for name, some in of_site.items())
    assert times.share_astray == pytest.approx(astray / len(fetches))
    for one, first in zip(times.names, times.blocks, strict=True):
        blocks = Counter(address_block(fetch.ip) for fetch in of_site[one] if fetch.ip)
        assert (first == NO_BLOCK) == (not blocks)
        for other, second in zip(times.names, times.blocks, strict=True):
            if first == second != NO_BLOCK:
                others = Counter(address_block(fetch.ip) for fetch in of_site[other] if fetch.ip)
                assert {block for block in blocks if blocks[block] == max(blocks.values())} & set(others)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("192.0.2.1", "192.0.2.254", True),
        ("192.0.2.1", "192.0.3.1", False),
        ("2001:db8:1::1", "2001:db8:1:ffff::1", True),
        ("2001:db8:1::1", "2001:db8:2::1", False),
        ("0.0.0.1", "::1", False),
    ],
)
def test_blocks_of_addresses(one: str, other: str, alike: bool) -> None:
    assert (address_block(one) == address_block(other)) is alike
    assert address_block("not an address") is None


def test_few_pages_off_their_main_rank_are_left_out(tmp_path: Path) -> None:
    fetches = [*pages_of("a.example", 0, 19), *pages_of("a.example", 1, 1, 9000.0), *pages_of("b.example", 1, 20)]
    times = whole_site_times(Session.open(crawled(tmp_path / "crawl", fetches)), 2)
    assert times.fetched.tolist() == times.measured.tolist() == [[19, 0], [0, 20]]
    assert times.seconds == pytest.approx(np.array([[1.9, 0], [0, 2.0]]))


def test_many_pages_off_their_main_rank_are_refused(tmp_path: Path) -> None:
    fetches = [*pages_of("a.example", 0, 17), *pages_of("a.example", 1, 3), *pages_of("b.example", 1, 20)]
    session = Session.open(crawled(tmp_path / "crawl", fetches))
    assert site_times(session, 2).fetched.tolist() == [[17, 3], [0, 20]]
    with pytest.raises(TimesError) as refused:
        whole_site_times(session, 2)
    assert str(refused.value) == (
        f"{tmp_path / 'crawl'}: 7.5% of its pages lie off their site's main rank (of a.example 15.0%), and --model "
        "twoma moves whole sites; crawl by site-hash, or by a map of --model site or twoma with --unknown site"
    )


def test_sessions_that_do_not_tell(tmp_path: Path) -> None:
    session = crawled(tmp_path / "crawl", pages_of("a.example", 0, 3))
    with pytest.raises(TimesError, match=r"crawl: was crawled by K = 2, which says nothing of 4 ranks; give --parts 2"):
        site_times(Session.open(session), 4)
    with imported_session(tmp_path / "imported", "edges", {}):
        pass
    with pytest.raises(TimesError, match="imported: was imported and not crawled, so no rank's times were measured"):
        site_times(Session.open(tmp_path / "imported"), 1)
    edit_header(session, lambda header: header["configuration"].update(replay={"latency": None}))
    with pytest.raises(TimesError, match="crawl: was replayed without --latency, so its times are not those of its"):
        site_times(Session.open(session), 2)
    edit_header(session, lambda header: header["configuration"].update(replay={"latency": "0.1"}))
    assert site_times(Session.open(session), 2).names == ["a.example"]


def test_a_session_of_several_numbers_of_ranks(tmp_path: Path) -> None:
    session = crawled(tmp_path / "crawl", pages_of("a.example", 0, 3))
    going_on = GoingOn(session, "20260102T040405-fedcba", ranks=3, assignment="site-hash")
    going_on.commit("complete")
    going_on.close()
    with pytest.raises(TimesError, match="K = 2 and 3, which says nothing of 3 ranks; take a session of 3 ranks from"):
        site_times(Session.open(session), 3)


def test_a_session_without_pages(tmp_path: Path) -> None:
    session = crawled(tmp_path / "crawl", [])
    with pytest.raises(TimesError, match="no pages were downloaded, so there is nothing to learn from"):
        site_times(Session.open(session), 2)
