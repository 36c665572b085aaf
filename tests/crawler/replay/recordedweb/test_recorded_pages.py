"""Recorded pages as a rank takes them in."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.recordedweb.recorded_pages import RecordedPages
from crawler.replay.recording import recording_of
from sessions.session import Session
from sessions.url import url_hash
from tests.crawler.replay.support.recorded import Drawn, drawn, plain, write
from tests.sessions.support.builder import HOME, OTHERS, PAGES, Crawl


@settings(derandomize=True, deadline=None, max_examples=40)
@given(drawn(), st.data())
def test_pages_come_with_their_rows_and_links_in_the_order_in_which_they_are_asked_for(
    what: Drawn, data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        session = Session.open(write(Path(folder) / "session", what))
        recording, told = recording_of(session.path), plain(session)
        numbers = data.draw(st.lists(st.integers(0, recording.page_count - 1), max_size=6))
        taken = RecordedPages(recording).take(np.array(numbers, np.int64))
        urls = [list(told.pages)[number] for number in numbers]
        assert [recorded.page._asdict() for recorded in taken] == [told.pages[url] for url in urls]
        assert [recorded.links for recorded in taken] == [list(told.links[url]) for url in urls]
        assert [recorded.flags for recorded in taken] == [list(told.links[url].values()) for url in urls]


def test_what_a_page_was_in_its_own_session_is_left_out(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=1)
    crawl.ranks[0].discover([HOME, PAGES[0]])
    crawl.ranks[0].fetch(HOME, b"home", links=[(OTHERS[0], 0)])
    crawl.ranks[0].fetch(PAGES[0], b"home", duplicate_of=url_hash(HOME))
    crawl.commit("max-pages")
    crawl.close()
    recording = recording_of(tmp_path / "session")
    assert None not in recording.pages["warc_offset"].to_pylist()
    for recorded in RecordedPages(recording).take(np.array([1, 0])):
        page = recorded.page
        assert (page.warc_file, page.warc_offset, page.duplicate_of, page.unchanged_since) == (None,) * 4
        assert (page.status, page.content_type, page.etag) == (200, "text/html", '"1"')
        assert recorded.links == [], "nobody discovered what it led to"
