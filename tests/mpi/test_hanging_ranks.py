"""Ranks that hang are named, and neither keep a crawl from ending nor from going on later."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from crawler.commands.follow import Follower
from crawler.main import cutweb
from crawler.process.shared_memory import FOLDER, shared_memory_of
from sessions.checking.check import check_session
from sessions.localweb.generate.make import MadeWeb
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from tests.mpi.conftest import SOON_SECONDS, Run
from tests.mpi.running_crawl import RunningCrawl
from tests.mpi.search import pages_by_search

HOST = os.uname().nodename


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def running(
    crawl_arguments: list[str], tmp_path: Path, port: int, request: pytest.FixtureRequest
) -> Iterator[RunningCrawl]:
    more = [*getattr(request, "param", []), "--metrics-port", str(port), "--epoch-seconds", "0.5"]
    crawl = RunningCrawl(crawl_arguments, tmp_path / "session", *more)
    crawl.wait_for_an_epoch()
    yield crawl
    crawl.kill_all()


def metrics(port: int) -> str:
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        return str(answer.read(), "utf-8")


def test_a_rank_that_hangs_is_named_until_it_is_back(running: RunningCrawl, port: int) -> None:
    assert "cutweb_silent_seconds{" not in metrics(port)
    follower = Follower(running.out)
    running.stop_rank(2)
    words = f"cutweb crawl: rank 0 of 3: rank 2 on {HOST} has given no sign of life"
    running.wait_for("word of the silent rank", lambda: words in running.complained)
    assert f'cutweb_silent_seconds{{host="{HOST}",rank="2"}}' in metrics(port)
    running.wait_for("word to those who watch", lambda: [s.rank for s in follower.look().standing.silences] == [2])
    os.kill(running.ranks()[2], signal.SIGCONT)
    running.wait_for("word of its return", lambda: f"rank 2 on {HOST} is back" in running.complained)
    running.process.send_signal(signal.SIGTERM)
    assert running.wait() == 0
    assert not (running.out / "alive").exists()
    assert check_session(running.out).is_good


def test_a_crawl_that_pauses_does_not_look_as_if_it_hung(running: RunningCrawl, port: int) -> None:
    for command, is_paused in (("pause", 1.0), ("continue", 0.0)):
        assert f"cutweb_paused {1 - is_paused}" in metrics(port)
        assert CliRunner().invoke(cutweb, [command, str(running.out)]).exit_code == 0
        running.wait_for(command, lambda is_paused=is_paused: f"cutweb_paused {is_paused}" in metrics(port))  # type: ignore[misc]
    found = metrics(port)
    assert "cutweb_silent_seconds{" not in found
    assert "cutweb_standstill_seconds{" not in found
    assert "cutweb_superstep_seconds " in found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_all_ranks_though_one_hangs(running: RunningCrawl, number: signal.Signals) -> None:
    running.stop_rank(0)
    end_by_second_signal(running, number)
    assert running.complained.count("the crawl was cut off") == 1


def test_ranks_that_nothing_reaches_are_killed(running: RunningCrawl) -> None:
    for pid in running.tree()[1:]:
        os.kill(pid, signal.SIGSTOP)
    end_by_second_signal(running, signal.SIGTERM)


def end_by_second_signal(running: RunningCrawl, number: int) -> None:
    ranks = running.ranks()

    def is_second() -> bool:
        running.process.send_signal(number)
        return "asked to stop a second time" in running.complained

    running.wait_for("second signal that counts", is_second)
    began = time.monotonic()
    assert running.wait() == 128 + number
    assert time.monotonic() - began < SOON_SECONDS
    assert len(ranks) == 3
    assert running.ranks() == []
    assert Session.open(running.out).ended is None
    assert check_session(running.out).is_good


@pytest.mark.parametrize("running", [["--max-silence", "1"]], indirect=True)
def test_ranks_wait_only_so_long_for_one_that_hangs(
    running: RunningCrawl, run_ranks: Run, made: MadeWeb, web: LocalWeb
) -> None:
    running.stop_rank(1)
    assert running.wait() == 5
    assert "--max-silence 1 is over; everything up to epoch" in running.complained
    assert running.ranks() == []
    assert check_session(running.out).is_good
    fast = ["--delay", "0", "--metrics-port", "0"]
    done = run_ranks(3, "-m", "crawler", "crawl", "--resume", str(running.out), *fast)
    assert done.returncode == 0, done.stderr
    session = Session.open(running.out)
    assert sorted(session.read("pages", ["url"])["url"].to_pylist()) == sorted(pages_by_search(made))
    assert check_session(running.out).is_good


def test_a_session_is_taken_only_from_who_is_asked_for_it(running: RunningCrawl, run_ranks: Run) -> None:
    resume = ["-m", "crawler", "crawl", "--resume", str(running.out), "--metrics-port", "0", "--max-pages", "1"]
    refused = run_ranks(2, *resume)
    assert refused.returncode == 2
    assert (
        f"is crawling it, on {HOST}; stop that run (cutweb stop {running.out}), or give --take-over" in refused.stderr
    )
    assert running.process.poll() is None
    assert run_ranks(2, *resume, "--take-over").returncode == 0
    assert running.wait() == 3


def test_what_killed_ranks_leave_is_removed_by_the_next(running: RunningCrawl, run_ranks: Run) -> None:
    """A killed hydra_pmi_proxy takes its ranks along, which have no time to clean up either."""
    first = running.ranks()[0]
    (shared,) = shared_memory_of(first)
    proxy = int(Path(f"/proc/{first}/stat").read_text().rpartition(")")[2].split()[1])
    ranks = running.ranks()
    os.kill(ranks[2], signal.SIGSTOP)  # so that it cannot clean up
    os.kill(proxy, signal.SIGKILL)
    running.wait_for("end of the others", lambda: len(running.ranks()) == 1)
    os.kill(ranks[2], signal.SIGKILL)
    assert running.wait() not in (0, 2)
    assert list((running.out / "alive").glob("rank-0002-*"))
    done = run_ranks(
        2, "-m", "crawler", "crawl", "--resume", str(running.out), "--metrics-port", "0", "--max-pages", "1"
    )
    assert done.returncode == 0, done.stderr
    assert not (FOLDER / shared).exists()
    assert not (running.out / "alive").exists()
    assert check_session(running.out).is_good
