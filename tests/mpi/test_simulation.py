"""Replays in virtual time under mpiexec, beside simulations of them in one process."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from crawler.launch.plan import with_assignment
from crawler.replay.as_crawl import crawl_options, latencies_of
from crawler.replay.command_line import parsed, settings_of
from crawler.replay.course import course_of
from crawler.replay.ownership import ownership_by_hash, ownership_by_map
from crawler.replay.recording import as_replayed, recording_of
from crawler.replay.replay_options import ReplayOptions
from crawler.replay.simulation.simulate import Simulated, simulate
from crawler.replay.source import recorded_session
from sessions.localweb.generate.make import make_web
from sessions.session import Session
from sessions.url import site_of
from tests.mpi.conftest import Run
from tests.mpi.maps import known_among, write_random_map
from tests.mpi.search import pages_by_search

RANKS = (1, 3)
OF_THE_MACHINE = {"cpu", "peak_rss", "written_bytes"}
CASES = {
    "page-hash": ["--assign", "page-hash"],
    "site-hash": ["--assign", "site-hash", "--delay-factor", "0"],
    "discoverer": ["--partition", "MAP", "--unknown", "discoverer", "--replicate", "9", "--latency", "@LATENCIES"],
    "some": ["--assign", "page-hash", "--max-pages", "30"],
    "on disk": ["--assign", "page-hash", "--sent-memory", "0.001", "--epoch-seconds", "1"],
    "budget": ["--assign", "page-hash", "--order", "budget"],
}

Runs = Callable[[int], Path]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("recorded")
    made = make_web(folder / "web.warc.gz", sites=6, pages=60, seed=3, links=9.0)
    slow = site_of(made.seeds[0])
    for ranks in RANKS:
        write_random_map(folder / f"map-{ranks}", known_among(pages_by_search(made)), ranks)
        (folder / f"latencies-{ranks}").write_text(f"* * 0.05+1e6/s\n{ranks - 1} * 0.01\n* {slow} 0.2\n")
    with recorded_session(made.path, folder) as session:
        yield session.rename(folder / "session")


@pytest.fixture(scope="module")
def runs(recorded: Path, run_in_turn: Run, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The folder of all replays at a K: one MPI run makes them, when it is first asked."""

    @cache
    def run(ranks: int) -> Path:
        folder = tmp_path_factory.mktemp(f"ranks-{ranks}-")
        commands = [["replay without report", *arguments(recorded, folder, case, ranks)] for case in CASES]
        done = run_in_turn(ranks, *commands)
        assert done.returncode == 0, done.stderr[-3000:]
        return folder

    return run


def arguments(recorded: Path, folder: Path, case: str, ranks: int) -> list[str]:
    near = {"MAP": f"{recorded.parent}/map-{ranks}", "@LATENCIES": f"@{recorded.parent}/latencies-{ranks}"}
    asked = [near.get(word, word) for word in CASES[case]]
    latency = [] if "--latency" in asked else ["--latency", "0.02+1e6/s"]
    delays = ["--delay", "0.1", "--server-delay", "0.02"]
    return [str(recorded), *latency, *delays, *asked, "--out", str(folder / case)]


def simulated(recorded: Path, words: list[str], ranks: int, scratch: Path) -> Simulated:
    options = parsed(words)
    assert isinstance(options, ReplayOptions)
    recording = recording_of(recorded)
    settings = settings_of(options).with_end(recording.page_count)
    assigned = with_assignment(crawl_options(options, settings, recording.session), ranks, ())
    latencies = latencies_of(options, ranks, recording)
    assert latencies is not None
    crawl = assigned.options
    if crawl.partition is not None:
        ownership = ownership_by_map(recording, crawl.partition, crawl.unknown)
    else:
        ownership = ownership_by_hash(recording, str(crawl.assign), ranks)
    return simulate(recording, ownership, crawl, settings, latencies, scratch)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("ranks", RANKS)
def test_a_simulation_shows_what_a_replay_under_mpi_does(
    recorded: Path, runs: Runs, tmp_path: Path, ranks: int, case: str
) -> None:
    session = Session.open(runs(ranks) / case)
    found = simulated(recorded, arguments(recorded, runs(ranks), case, ranks), ranks, tmp_path)
    for mine, told in zip(found.reports, session.rank_reports(), strict=True):
        assert {name: value for name, value in mine.items() if name not in OF_THE_MACHINE} == {
            name: value for name, value in told.items() if name not in OF_THE_MACHINE
        }
    assert session.ended is not None
    assert session.ended["seconds"] == pytest.approx(found.seconds, abs=1e-3)
    course = course_of(session, recording_of(recorded))
    assert course.supersteps == found.course.supersteps
    for part in ("fetches", "messages"):
        mine, told = getattr(found.course, part), getattr(course, part)
        for field in fields(told):
            np.testing.assert_array_equal(getattr(mine, field.name), getattr(told, field.name), field.name)
    as_read = as_replayed(recording_of(recorded), session, has_links=False)
    np.testing.assert_allclose(found.milliseconds, as_read.milliseconds, rtol=1e-6)
