"""Pages as their last fetches tell them; tests of the difference say what comes of it."""

from hashlib import sha1
from pathlib import Path

from sessions.analysis.last_fetches import last_fetches
from sessions.session import Session
from sessions.url import url_hash
from tests.sessions.support.builder import HOME, PAGES, Crawl


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
