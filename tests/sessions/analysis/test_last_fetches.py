"""What a session has of a page, and how much of a web."""

from hashlib import sha1
from pathlib import Path

import pytest

from sessions.analysis.completeness import incomplete
from sessions.analysis.last_fetches import last_fetches
from sessions.session import Session
from sessions.url import url_hash
from tests.sessions.support.builder import HOME, OTHERS, PAGES, Crawl


def test_a_page_is_what_its_last_row_says(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", assignment="discoverer")
    for rank, body in zip(crawl.ranks, (b"first", b"second!"), strict=True):
        rank.discover([HOME])
        rank.fetch(HOME, body, simhash=len(body))
    crawl.ranks[0].discover([PAGES[0]])
    crawl.ranks[0].fetch(PAGES[0], b"other")
    crawl.commit("complete")
    crawl.close()
    rows = {row["hash"]: row for row in last_fetches(Session.open(crawl.path)).to_pylist()}
    assert list(rows) == sorted([url_hash(HOME), url_hash(PAGES[0])])
    home = rows[url_hash(HOME)]
    assert (home["bytes"], home["size"], home["simhash"], home["site"]) == (7, 7, 7, "a.example")
    assert home["document"] == sha1(b"second!").digest()


def test_what_was_not_read_in_full_is_not_known(good_session: Path) -> None:
    session = Session.open(good_session)
    told = {row["hash"]: row for row in session.read("pages").to_pylist()}
    seen = set()
    for row in last_fetches(session).to_pylist():
        page = told[row["hash"]]
        is_whole = page["truncated"] is None
        seen.add(is_whole)
        assert row["bytes"] == page["decoded_bytes"]
        assert row["size"] == (page["decoded_bytes"] if is_whole else None)
        assert row["document"] == (page["content_digest"] or sha1(b"").digest() if is_whole else None)
    assert seen == {True, False}


def test_a_session_without_pages_has_no_rows(tmp_path: Path) -> None:
    Crawl(tmp_path / "new").close()
    assert last_fetches(Session.open(tmp_path / "new")).num_rows == 0


# Whether a session is a whole crawl, and what it left queued if it is not.


def crawled(path: Path, ending: str | None) -> Session:
    """A session of two ranks that fetched two of six URLs and ended so; None: it was killed after an epoch."""
    crawl = Crawl(path, ranks=2)
    first, second = crawl.ranks
    first.discover([HOME, *PAGES[:3]])
    second.discover(OTHERS[:2])
    first.fetch(HOME)
    second.fetch(OTHERS[0])
    crawl.commit(ending)
    crawl.close()
    return Session.open(path)


@pytest.mark.parametrize(
    ("ending", "how"),
    [
        (None, "it was killed, or is still running"),
        ("signal", "it was stopped by a signal"),
        ("max-pages", "it ended at its limit max-pages"),
        ("max-seconds", "it ended at its limit max-seconds"),
        ("max-wait", "it ended at its limit max-wait"),
    ],
)
def test_a_crawl_that_ended_early_is_named_with_what_it_left_queued(
    tmp_path: Path, ending: str | None, how: str
) -> None:
    session = crawled(tmp_path / "crawl-1", ending)
    found = incomplete(session)
    queued = sum(report["queued"] for report in session.rank_reports())
    assert queued > 1
    assert str(found) == f"session crawl-1 is not complete: {how} and left {queued:,} URLs queued"


@pytest.mark.parametrize("ending", ["complete", "imported"])
def test_a_whole_session_is_not(tmp_path: Path, ending: str) -> None:
    assert incomplete(crawled(tmp_path / "crawl-1", ending)) is None
