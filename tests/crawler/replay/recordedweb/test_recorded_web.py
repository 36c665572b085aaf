"""The web as a session recorded it: its answers, its pages, and what has none."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.admission import ADMITTED
from crawler.network.web import Lookup, Recorded, Request, Response
from crawler.replay.recordedweb.recorded_admission import RecordedAdmission
from crawler.replay.recordedweb.recorded_pages import RecordedPages
from crawler.replay.recordedweb.recorded_web import RecordedWeb
from crawler.replay.recording import NOT_RECORDED, Recording, recording_of
from sessions.schema import FILTERED
from sessions.session import Session
from sessions.url import url_hash, url_hashes
from tests.crawler.replay.support.recorded import URLS, Drawn, Fetched, drawn, plain, write
from tests.sessions.support.builder import HOME, OTHERS, PAGES, Crawl

FETCHED = [Fetched(url, 2 + place, place, 0, {URLS[4]: 0}) for place, url in enumerate(URLS[:4])]


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return recording_of(write(tmp_path / "session", Drawn(False, [URLS, []], [FETCHED, []], [{}, {}])))


def test_all_that_is_asked_for_is_answered_in_that_order_when_it_is_waited_for(recording: Recording) -> None:
    web = RecordedWeb(RecordedPages(recording))
    assert (web.wait(0.0), web.in_flight) == ([], 0)
    requests = [Request(url, number) for number, url in enumerate([URLS[2], URLS[0], URLS[3]])]
    for number, request in enumerate(requests):
        assert web.in_flight == number
        web.start(request)
    responses = web.wait(float("inf"))
    assert (web.in_flight, web.wait(0.0)) == (0, [])
    for request, response in zip(requests, responses, strict=True):
        assert isinstance(response, Response)
        assert response.request is request
        assert response.recorded is not None
        assert response.recorded.page.url == request.url
        assert list(links_of(response.recorded)) == [URLS[4]]
        assert (response.status, response.milliseconds, response.ip) == (200, 12.5, "192.0.2.1")
        assert (response.error, response.head, response.body) == ("", [], b"")
    assert [response.started for response in responses if isinstance(response, Response)] == [4.0, 2.0, 5.0]


def test_what_is_broken_off_is_returned_and_never_answered(recording: Recording) -> None:
    web = RecordedWeb(RecordedPages(recording))
    request = Request(URLS[0], None)
    web.start(request)
    assert web.cancel() == [request]
    assert (web.in_flight, web.cancel(), web.wait(0.0)) == (0, [], [])
    web.start(request)
    web.close()
    assert web.in_flight == 0


def test_only_pages_are_asked_for_and_no_addresses(recording: Recording) -> None:
    web = RecordedWeb(RecordedPages(recording))
    with pytest.raises(NotImplementedError, match="connects to nothing"):
        web.look_up(Lookup("http://a.example", None))
    for url in (URLS[4], "http://never.example/"):
        web.start(Request(url, None))
        with pytest.raises(AssertionError, match="only pages are asked for"):
            web.wait(0.0)


def test_its_time_does_not_run_backwards(recording: Recording) -> None:
    web = RecordedWeb(RecordedPages(recording))
    assert web.now() <= web.now()


# Recorded pages as a rank takes them in.


def links_of(recorded: Recorded) -> dict[str, int]:
    targets, flags, dropped = recorded.links
    assert dropped == 0
    return dict(zip(targets.urls(range(len(flags))), flags.tolist(), strict=True))


@settings(derandomize=True, deadline=None, max_examples=40)
@given(drawn(), st.data())
def test_pages_come_with_their_rows_and_links_in_the_order_in_which_they_are_asked_for(
    what: Drawn, data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        session = Session.open(write(Path(folder) / "session", what))
        recording, told = recording_of(session.path), plain(session)
        numbers = data.draw(st.lists(st.integers(0, recording.page_count - 1), max_size=6))
        taken = list(map(RecordedPages(recording).take, numbers))
        urls = [list(told.pages)[number] for number in numbers]
        assert [recorded.page._asdict() for recorded in taken] == [told.pages[url] for url in urls]
        assert [list(links_of(recorded).items()) for recorded in taken] == [
            list(told.links[url].items()) for url in urls
        ]
        for targets in (recorded.links.targets for recorded in taken):
            assert targets.hashes.tolist() == url_hashes(targets.urls(range(len(targets.hashes)))).tolist()
            assert targets.nbytes > 0 or not len(targets.hashes)


def test_what_a_page_was_in_its_own_session_is_left_out(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=1)
    crawl.ranks[0].discover([HOME, PAGES[0]])
    crawl.ranks[0].fetch(HOME, b"home", links=[(OTHERS[0], 0)])
    crawl.ranks[0].fetch(PAGES[0], b"home", duplicate_of=url_hash(HOME))
    crawl.commit("max-pages")
    crawl.close()
    recording = recording_of(tmp_path / "session")
    assert None not in recording.pages["warc_offset"].to_pylist()
    for recorded in map(RecordedPages(recording).take, [1, 0]):
        page = recorded.page
        assert (page.warc_file, page.warc_offset, page.duplicate_of, page.unchanged_since) == (None,) * 4
        assert (page.status, page.content_type, page.etag) == (200, "text/html", '"1"')
        assert links_of(recorded) == {}, "nobody discovered what it led to"


# What has no page in a recording is not asked for, for the same reason as then.

STRANGE = "http://never.example/"


@settings(derandomize=True, deadline=None, max_examples=40)
@given(drawn())
def test_pages_are_admitted_and_the_others_refused_for_their_reasons(what: Drawn) -> None:
    with TemporaryDirectory() as folder:
        session = Session.open(write(Path(folder) / "session", what))
        admission, told = RecordedAdmission(recording_of(session.path)), plain(session)
        urls = [STRANGE, *URLS]
        codes = admission.codes(url_hashes(urls), urls)
        assert codes.dtype == np.uint8
        assert [code == ADMITTED for code in codes.tolist()] == [url in told.pages for url in urls]
        assert {
            url: admission.outcome(code) for url, code in zip(urls, codes.tolist(), strict=True) if code != ADMITTED
        } == {url: told.reasons.get(url, (FILTERED, NOT_RECORDED)) for url in urls if url not in told.pages}
        assert admission.is_everything == (not told.others)


def test_where_every_url_has_a_page_nothing_is_refused(tmp_path: Path) -> None:
    pages = [Fetched(url, 1, 0, 0, {}) for url in URLS]
    path = write(tmp_path / "session", Drawn(False, [URLS, []], [pages, []], [{}, {}]))
    assert RecordedAdmission(recording_of(path)).is_everything
