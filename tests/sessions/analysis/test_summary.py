"""Sessions summed up."""

from pathlib import Path

import pytest

from sessions.analysis.summary import summarise
from sessions.session import Session
from tests.sessions.support.builder import HOME, Crawl, small_session


def test_totals(good_session: Path) -> None:
    summary = summarise(Session.open(good_session))
    total = summary.total
    assert [total[name] for name in ("discovered", "fetched", "failed", "filtered", "queued")] == [21, 14, 2, 1, 4]
    assert total["reasons"] == {
        "failed": {"dns": 1, "timeout": 1},
        "filtered": {"robots": 1},
        "queued": {"max-pages": 4},
    }
    assert total.status_classes == {"2xx": 12, "3xx": 1, "4xx": 1}
    assert total["statuses"] == {"200": 12, "302": 1, "404": 1}
    assert total.sites == 2
    assert (total["links"], total["links_nofollow"]) == (31, 2)
    assert total.links_per_page == pytest.approx(31 / 14)
    assert total["sent_urls"] == 10
    assert total["sent_numbers"] == 2
    assert (summary.previous, summary.overlap) == (None, None)
    assert total.sent_per_page == pytest.approx(10 / 14)
    assert total["messages"] == 2
    assert total.cpu_ms_per_page == pytest.approx({"fetch": 1000 / 14, "parse": 500 / 14, "other": 250 / 14})
    assert total["peak_rss"] == 100 << 20
    assert (summary.k, summary.epochs) == (2, 3)
    assert summary.ended is not None
    assert summary.ended["reason"] == "max-pages"


def test_ranks_add_up(good_session: Path) -> None:
    summary = summarise(Session.open(good_session))
    assert len(summary.ranks) == 2
    for counter in ("discovered", "fetched", "queued", "links", "bytes", "sent_bytes", "wire_bytes"):
        assert sum(rank[counter] for rank in summary.ranks) == summary.total[counter]
    assert [rank.sites for rank in summary.ranks] == [1, 1]
    assert summary.ranks[0]["sent_urls"] == 8


def test_a_site_on_two_ranks_is_one_site(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", assignment="discoverer")
    for rank in crawl.ranks:
        rank.discover([HOME])
        rank.fetch(HOME)
    crawl.commit("complete")
    summary = summarise(Session.open(tmp_path / "session"))
    assert summary.total.sites == 1
    assert (summary.total["fetched"], summary.overlap) == (2, 1)


def test_a_killed_session(tmp_path: Path) -> None:
    small_session(tmp_path / "killed", end=None)
    summary = summarise(Session.open(tmp_path / "killed"))
    assert summary.ended is None
    assert summary.committed is not None
    assert summary.total["fetched"] == 14


def test_no_epochs(tmp_path: Path) -> None:
    Crawl(tmp_path / "new").close()
    summary = summarise(Session.open(tmp_path / "new"))
    assert summary.committed is None
    assert summary.ranks == []
    assert summary.total["fetched"] == 0
    assert summary.total.pages_per_second is None
