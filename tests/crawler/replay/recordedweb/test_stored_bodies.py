"""Pages with their bodies, out of WARC files."""

import gzip
from pathlib import Path

import pytest

from crawler.network.web import Request, Response
from crawler.pages.warc_import import import_warcs
from crawler.replay.recordedweb.stored_bodies import StoredBodies, index_of
from crawler.replay.recording import Recording, recording_of
from sessions.session import SessionError
from sessions.storage.warc import IDENTICAL, Revisit
from sessions.url import url_hash
from tests.crawler.replay.support.series import pages_of, write_warc
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import HOME, OTHERS, PAGES, START, Crawl

TEXT = b"<a href=/here>here</a>" * 9


def crawled(path: Path) -> Recording:
    """A page, one in an encoding, one that repeats the first, and one whose body was not kept."""
    crawl = Crawl(path, ranks=1)
    (rank,) = crawl.ranks
    rank.discover([HOME, *PAGES[:3]])
    rank.fetch(HOME, TEXT, lines=[b"Content-Type: text/html"])
    rank.fetch(PAGES[0], gzip.compress(TEXT, mtime=0), content=TEXT, lines=[b"Content-Encoding: gzip"])
    same = Revisit(IDENTICAL, HOME, START + 0.5)
    rank.fetch(PAGES[1], TEXT, revisit=same, duplicate_of=url_hash(HOME))
    rank.fetch(PAGES[2], TEXT, is_kept=False, truncated="length")
    crawl.commit("complete")
    crawl.close()
    return recording_of(path)


def responses(recording: Recording, urls: list[str]) -> list[Response]:
    return StoredBodies(recording, index_of(recording.session)).respond([Request(url, None) for url in urls])


def test_head_and_body_are_those_that_were_stored(tmp_path: Path) -> None:
    home, packed, repeated, lost = responses(crawled(tmp_path / "session"), [HOME, *PAGES[:3]])
    assert (home.status, home.body, home.recorded) == (200, TEXT, None)
    assert b"Content-Type: text/html" in {line.strip() for line in home.head}
    assert gzip.decompress(packed.body) == TEXT
    assert b"Content-Encoding: gzip" in {line.strip() for line in packed.head}
    assert (repeated.request.url, repeated.body, repeated.recorded) == (PAGES[1], TEXT, None)
    assert lost.recorded is not None, "as the tables have it"
    assert lost.recorded.page.url == PAGES[2]


def test_answers_come_in_the_order_of_the_requests(tmp_path: Path) -> None:
    asked = [PAGES[1], HOME, PAGES[2], HOME]
    assert [response.request.url for response in responses(crawled(tmp_path / "session"), asked)] == asked


def test_the_bodies_of_an_import_lie_in_its_files(tmp_path: Path) -> None:
    warc = write_warc(tmp_path / "web.warc", 12)
    import_warcs([warc], tmp_path / "session")
    recording = recording_of(tmp_path / "session")
    for response in responses(recording, pages_of(12)):
        assert response.recorded is None
        assert response.body.startswith(b"<html><body><a href=")
    warc.unlink()
    with pytest.raises(SessionError, match=r"web.warc: No such file or directory; the bodies of .*session lie there"):
        index_of(recording.session)


def test_the_files_of_an_import_are_found_from_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older session has their names as they were typed, most likely in the folder in which it lies."""
    write_warc(tmp_path / "web.warc", 12)
    monkeypatch.chdir(tmp_path)
    import_warcs([Path("web.warc")], tmp_path / "session")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert len(responses(recording_of(tmp_path / "session"), pages_of(12))) == 12
    edit_header(tmp_path / "session", lambda header: header["configuration"].update(warc=["web.warc"]))
    assert len(responses(recording_of(tmp_path / "session"), pages_of(12))) == 12


def test_a_session_without_bodies_says_so(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=1, store_bodies=False)
    crawl.ranks[0].discover([HOME, *OTHERS])
    crawl.ranks[0].fetch(HOME, TEXT)
    crawl.commit("max-pages")
    with pytest.raises(SessionError, match="has no bodies; replay it without --bodies"):
        index_of(recording_of(tmp_path / "session").session)
