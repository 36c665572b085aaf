"""The web as a session recorded it, without a clock."""

from pathlib import Path

import pytest

from crawler.network.web import Lookup, Request, Response
from crawler.replay.recordedweb.recorded_pages import RecordedPages
from crawler.replay.recordedweb.recorded_web import RecordedWeb
from crawler.replay.recording import Recording, recording_of
from tests.crawler.replay.support.recorded import URLS, Drawn, Fetched, write

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
        assert response.recorded.links == [URLS[4]]
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
