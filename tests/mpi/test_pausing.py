"""Crawls that pause and go on find what undisturbed ones find, and ask for nothing while they pause."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.commands.follow import Follower
from crawler.launch.operator_wish import NAME
from crawler.main import cutweb
from crawler.monitoring.live_file import read_live
from sessions.checking.check import check_session
from sessions.localweb.generate.make import MadeWeb
from sessions.localweb.serve.connection import Answer
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from tests.mpi.conftest import PATIENCE_SECONDS
from tests.mpi.running_crawl import RunningCrawl
from tests.mpi.search import pages_by_search

ANSWERS = 60
"""robots.txt and some pages of every site of the web."""


class Gate:
    """Lets a web give some answers, and the others when it is opened: until then no crawl of it comes to its end."""

    def __init__(self, web: LocalWeb, answers: int) -> None:
        self._answer, self._left = web.answer, answers
        self._opened = threading.Event()

    def answer(self, *request: str) -> Answer:
        self._left -= 1
        if self._left < 0:
            self._opened.wait(PATIENCE_SECONDS)
        return self._answer(*request)

    def open(self) -> None:
        self._opened.set()


@pytest.fixture
def gate(web: LocalWeb, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate(web, ANSWERS)
    monkeypatch.setattr(web, "answer", gate.answer)
    yield gate
    gate.open()


@pytest.fixture
def running(crawl_arguments: list[str], tmp_path: Path, gate: Gate) -> Iterator[RunningCrawl]:
    """A crawl in its midst, which has most pages before it once the gate is opened."""
    crawl = RunningCrawl(
        crawl_arguments, tmp_path / "session", "--log-json", "--delay", "0.02", "--max-seconds", "60", "--max-wait", "2"
    )
    crawl.wait_for("pages", lambda: pages_of(crawl) > 0)
    yield crawl
    crawl.kill_all()


def pages_of(crawl: RunningCrawl) -> int:
    live = read_live(crawl.out)
    return sum(rank.pages for rank in live.ranks) if live is not None else 0


def events(out: Path) -> str:
    return "".join(path.read_text() for path in sorted((out / "log").glob("rank-0000-*")))


def cutweb_says(*words: str) -> str:
    done = CliRunner().invoke(cutweb, words)
    assert done.exit_code == 0, done.output
    return done.output


def is_quiet(running: RunningCrawl) -> bool:
    """Has an epoch been committed since the crawl was to pause, and all that goes on in its log ended with it?"""
    return '"event": "epoch committed"' in events(running.out).partition('"wish": "pause"')[2]


def assert_all_was_found(running: RunningCrawl, made: MadeWeb) -> None:
    assert running.wait() == 0, running.complained
    session = Session.open(running.out)
    assert session.ended is not None
    assert session.ended["reason"] == "complete"
    assert sorted(session.read("pages", ["url"])["url"].to_pylist()) == sorted(pages_by_search(made))
    assert not (running.out / NAME).exists()
    assert check_session(running.out).is_good


@pytest.mark.parametrize("seconds", [0.5, pytest.param(60.0, marks=pytest.mark.long)])
def test_a_crawl_that_pauses_asks_for_nothing_and_goes_on(
    running: RunningCrawl, gate: Gate, made: MadeWeb, web: LocalWeb, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """A pause of a minute is as long as all that --max-seconds gives the crawl, and far longer than --max-wait."""
    asked: list[str] = []
    answer = web.answer
    cutweb_says("pause", str(running.out))
    gate.open()
    running.wait_for("pause", lambda: is_quiet(running))
    monkeypatch.setattr(web, "answer", lambda *request: asked.append(request[3]) or answer(*request))
    pages = Session.open(running.out).read("pages").num_rows
    before = os.stat(running.out / "live.json").st_mtime_ns
    assert Follower(running.out).look().standing.pauses
    until = time.monotonic() + seconds
    running.wait_for("end of the pause", lambda: time.monotonic() >= until)
    for _ in range(5):  # the ranks give their signs of life all the same
        sign = next((running.out / "alive").glob("rank-0001-*"))
        text = sign.read_text()
        running.wait_for("sign of life", lambda text=text, sign=sign: sign.read_text() != text)  # type: ignore[misc]
    assert asked == []
    assert os.stat(running.out / "live.json").st_mtime_ns == before
    assert 0 < pages < len(pages_by_search(made))
    assert check_session(running.out).is_good
    cutweb_says("continue", str(running.out))
    assert_all_was_found(running, made)
    assert asked


def test_a_launcher_that_is_suspended_has_its_crawl_pause(running: RunningCrawl, gate: Gate, made: MadeWeb) -> None:
    running.process.send_signal(signal.SIGTSTP)
    gate.open()
    running.wait_for("pause", lambda: is_quiet(running))
    running.process.send_signal(signal.SIGCONT)
    assert_all_was_found(running, made)


@pytest.mark.parametrize("words", [["stop"], ["pause", "stop"]])
def test_a_crawl_is_stopped_by_its_folder(running: RunningCrawl, gate: Gate, words: list[str]) -> None:
    for word in words:
        cutweb_says(word, str(running.out))
        gate.open()
        if word == "pause":
            running.wait_for("pause", lambda: is_quiet(running))
    assert running.wait() == 0, running.complained
    session = Session.open(running.out)
    assert session.ended is not None
    assert session.ended["reason"] == "signal"
    assert check_session(running.out).is_good
    done = CliRunner().invoke(cutweb, ["pause", str(running.out)])
    assert done.exit_code == 2
    assert f"{running.out}: no crawl runs on it that could pause" in done.output
