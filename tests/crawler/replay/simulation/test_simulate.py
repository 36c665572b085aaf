"""Simulations of ranks that sleep, beside those of ranks that never do; tests/mpi has them beside MPI."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crawler.config.crawl_options import CrawlOptions
from crawler.launch.plan import with_assignment
from crawler.replay.as_crawl import crawl_options, latencies_of
from crawler.replay.ownership import ownership_by_hash
from crawler.replay.recording import Recording, recording_of
from crawler.replay.replay_options import ReplayOptions
from crawler.replay.settings import ReplaySettings
from crawler.replay.simulation import joint_outboxes
from crawler.replay.simulation import simulate as module
from crawler.replay.simulation.joint_links import JointLinks, may_settle
from crawler.replay.simulation.meetings import Meetings
from crawler.replay.simulation.seat import Seat
from crawler.replay.simulation.simulate import Simulated, simulate
from crawler.replay.source import recorded_session
from sessions.localweb.generate.make import make_web

OF_THE_MACHINE = {"cpu", "peak_rss"}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recording]:
    folder = tmp_path_factory.mktemp("recorded")
    made = make_web(folder / "web.warc.gz", sites=6, pages=60, seed=5, links=6.0)
    with recorded_session(made.path, folder) as session:
        yield recording_of(session)


def simulated(recording: Recording, ranks: int, scratch: Path, assign: str) -> Simulated:
    options = ReplayOptions(sessions=(recording.session.path,), out=scratch / "out", assign=assign, latency="0.1+1e6/s")
    crawl = crawl_options(options, ReplaySettings(), recording.session)
    latencies = latencies_of(options, ranks, recording)
    assert latencies is not None
    scratch.mkdir()
    ownership = ownership_by_hash(recording, assign, ranks)
    crawl = with_assignment(crawl, ranks, ()).options
    return simulate(recording, ownership, crawl, ReplaySettings(), latencies, scratch)


@pytest.mark.parametrize("assign", ["page-hash", "site-hash"])
@pytest.mark.parametrize("ranks", [2, 3, 7])
@pytest.mark.parametrize("at_once", [True, False])
def test_ranks_that_sleep_show_what_ranks_that_never_do_show(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranks: int, assign: str, at_once: bool
) -> None:
    monkeypatch.setattr(module, "may_settle", lambda *_: at_once)
    asleep = simulated(recording, ranks, tmp_path / "asleep", assign)
    monkeypatch.setattr(module, "Meetings", lambda links, may_be_away: Meetings(links, may_be_away=False))
    awake = simulated(recording, ranks, tmp_path / "awake", assign)
    assert_same(asleep, awake)


@pytest.mark.parametrize("ranks", [1, 2, 7])
@pytest.mark.parametrize("assign", ["page-hash", "site-hash"])
def test_links_settled_for_all_ranks_at_once_go_where_each_rank_would_send_them(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranks: int, assign: str
) -> None:
    monkeypatch.setattr(joint_outboxes, "_WEIGHED_AT_ONCE", 20)
    at_once = simulated(recording, ranks, tmp_path / "at once", assign)
    monkeypatch.setattr(module, "may_settle", lambda *_: False)
    by_each = simulated(recording, ranks, tmp_path / "by each", assign)
    assert_same(at_once, by_each)


@pytest.mark.parametrize("memory", ["sent_memory", "seen_memory"])
def test_each_rank_settles_by_itself_where_its_memory_would_not_do(recording: Recording, memory: str) -> None:
    ownership = ownership_by_hash(recording, "page-hash", 2)
    assert may_settle(recording, ownership, CrawlOptions(), ReplaySettings())
    assert not may_settle(recording, ownership, CrawlOptions(**{memory: 0.001}), ReplaySettings())


def assert_same(mine: Simulated, told: Simulated) -> None:
    assert mine.seconds == told.seconds
    assert [counted(report) for report in mine.reports] == [counted(report) for report in told.reports]
    for part in ("fetches", "messages"):
        its, others = getattr(mine.course, part), getattr(told.course, part)
        for field in fields(others):
            np.testing.assert_array_equal(getattr(its, field.name), getattr(others, field.name), field.name)


@pytest.fixture
def seats(monkeypatch: pytest.MonkeyPatch) -> list[Seat]:
    """The seats of all simulations in this test."""
    seats: list[Seat] = []

    class Watched(Seat):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            seats.append(self)

    monkeypatch.setattr(module, "Seat", Watched)
    return seats


def test_ranks_sleep_through_urls_that_they_know(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seats: list[Seat]
) -> None:
    asleep = simulated(recording, 7, tmp_path / "asleep", "page-hash")
    monkeypatch.setattr(JointLinks, "_news", lambda links, found: found)
    woken = simulated(recording, 7, tmp_path / "woken", "page-hash")
    assert [counted(report) for report in asleep.reports] == [counted(report) for report in woken.reports]
    assert asleep.seconds == woken.seconds
    pauses = [sum(seat.pauses for seat in its) for its in (seats[:7], seats[7:])]
    assert pauses[0] < pauses[1]


def test_ranks_to_which_nothing_comes_cost_nothing(recording: Recording, tmp_path: Path, seats: list[Seat]) -> None:
    found = simulated(recording, 40, tmp_path / "many", "site-hash")
    assert sum(report["fetched"] for report in found.reports) == recording.page_count
    pauses = [
        seat.pauses for seat, report in zip(seats, found.reports, strict=True) if seat.rank and not report["fetched"]
    ]
    assert len(pauses) > 30
    assert max(pauses) < 20 < found.course.supersteps
    assert len({report["supersteps"] for report in found.reports}) == 1


def counted(report: Any) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name not in OF_THE_MACHINE}
