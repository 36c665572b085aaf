"""The web as a session recorded it, in virtual time."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from mpi4py import MPI

from crawler.network.web import Endpoint, Found, Lookup, Request, Response
from crawler.replay.recordedweb.recorded_pages import RecordedPages
from crawler.replay.recordedweb.recorded_sites import RecordedSites
from crawler.replay.recording import Recording, recording_of
from crawler.replay.virtualtime.latency import RECORDED, Latencies, latency_of
from crawler.replay.virtualtime.round_mailbox import RoundMailbox
from crawler.replay.virtualtime.shared_clock import CommonTime
from crawler.replay.virtualtime.virtual_web import VirtualWeb
from sessions.url import url_hash
from tests.sessions.support.builder import Crawl

A, B, C = (f"http://a.example/{name}" for name in "abc")
Webs = Callable[[str], VirtualWeb]


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    crawl = Crawl(tmp_path / "session", ranks=1, store_bodies=False)
    (rank,) = crawl.ranks
    rank.discover([A, B, C])
    for url, milliseconds, size in ((A, 40.0, 1000), (B, 20.0, 4000), (C, 40.0, 0)):
        rank.fetch(url, b"x" * size, milliseconds=milliseconds)
    rank.ask_robots("http://a.example", crawl_delay=3.0)
    crawl.commit("complete")
    crawl.close()
    return recording_of(tmp_path / "session")


@pytest.fixture
def webs(recording: Recording) -> Iterator[Webs]:
    with closing(RoundMailbox(MPI.COMM_SELF)) as mailbox:

        def make(latency: str) -> VirtualWeb:
            time = CommonTime(MPI.COMM_SELF, mailbox)
            time.open_window(1000.0)
            latencies = Latencies(None if latency == RECORDED else latency_of(latency))
            return VirtualWeb(RecordedSites(recording), RecordedPages(recording), time, latencies)

        yield make


def came(web: VirtualWeb, count: int) -> list[tuple[float, Response]]:
    """So many responses, with the time at which each came."""
    arrived: list[tuple[float, Response]] = []
    while len(arrived) < count:
        arrived += [(round(web.now(), 6), arrival) for arrival in web.wait(900.0) if isinstance(arrival, Response)]
    return arrived


@pytest.mark.parametrize(
    ("latency", "times"),
    [
        ("recorded", {A: 0.04, B: 0.02, C: 0.04}),
        ("0.5", {A: 0.5, B: 0.5, C: 0.5}),
        ("0.1+10000/s", {A: 0.2, B: 0.5, C: 0.1}),
    ],
)
def test_answers_come_when_the_model_says_and_at_one_time_by_hash(
    webs: Webs, recording: Recording, latency: str, times: dict[str, float]
) -> None:
    web = webs(latency)
    for url in (C, B, A):
        web.start(Request(url, url))
    assert web.in_flight == 3
    arrived = came(web, 3)
    assert [(time, response.request.url) for time, response in arrived] == sorted(
        ((time, url) for url, time in times.items()), key=lambda item: (item[0], url_hash(item[1]))
    )
    assert web.in_flight == 0
    for time, response in arrived:
        assert response.milliseconds == pytest.approx(1000 * time)
        assert response.started == recording.first_fetched
        assert response.recorded is not None
        page = response.recorded.page
        assert page.fetched.timestamp() == pytest.approx(recording.first_fetched)
        assert page.milliseconds == response.milliseconds


def test_waiting_ends_at_its_time_and_nothing_comes_too_early(webs: Webs) -> None:
    web = webs("0.5")
    web.start(Request(A, None))
    while web.now() < 0.3:
        assert web.wait(0.3) == []
    assert web.now() == 0.3
    (arrived,) = came(web, 1)
    assert arrived[0] == 0.5
    web.start(Request(B, None))
    (arrived,) = came(web, 1)
    assert arrived[0] == 1.0
    assert arrived[1].started == pytest.approx(web._zero + 0.5)


def test_a_site_is_found_where_it_was(webs: Webs) -> None:
    web = webs("0.5")
    web.look_up(Lookup("http://a.example", "why"))
    assert web.in_flight == 0
    (found,) = web.wait(900.0)
    assert isinstance(found, Found)
    assert found.endpoints == (Endpoint("192.0.2.1", 80),)
    assert (found.error, found.seconds, found.lookup.purpose) == ("", float("inf"), "why")
    assert web.now() == 0.0


def test_a_robots_txt_asks_for_the_delay_and_forbids_nothing(webs: Webs) -> None:
    web = webs("0.5")
    for origin in ("http://a.example", "http://b.example"):
        web.start(Request(f"{origin}/robots.txt", None, body_limit=1000))
    of = {response.request.url: response for _, response in came(web, 2)}
    asked, nothing = of["http://a.example/robots.txt"], of["http://b.example/robots.txt"]
    assert (asked.status, asked.body) == (200, b"User-agent: *\nCrawl-delay: 3\n")
    assert (nothing.status, nothing.body) == (404, b"")
    assert asked.recorded is nothing.recorded is None


def test_what_is_broken_off_never_comes(webs: Webs) -> None:
    web = webs("0.5")
    web.start(Request(A, None))
    web.look_up(Lookup("http://a.example", None))
    assert [request.url for request in web.cancel()] == [A]
    assert web.in_flight == 0
    while web.now() < 2.0:
        assert web.wait(2.0) == []
    web.close()
