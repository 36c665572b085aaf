"""Signals that ask a crawl to stop."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from crawler.process import stop_signals
from crawler.process.mpi_environment import RANK_VARIABLES
from crawler.process.stop_signals import StopSignal, hold_early, hold_stops, leave_no_more, leaving_if_stopped

ASKING = [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT]


@pytest.fixture(autouse=True)
def _nothing_held() -> Iterator[None]:
    yield
    stop_signals._held.clear()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_a_signal_is_taken_note_of(number: int) -> None:
    stop = StopSignal()
    stop.listen()
    assert not stop.is_set
    os.kill(os.getpid(), number)
    assert stop.is_set


def test_launchers_may_repeat_themselves() -> None:
    stop = StopSignal()
    stop.listen()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), number)
    assert stop.is_set


@pytest.mark.parametrize("number", ASKING)
def test_what_came_before_anything_listened_is_held(number: int) -> None:
    hold_stops()
    os.kill(os.getpid(), number)
    stop = StopSignal()
    assert not stop.is_set
    stop.listen()
    assert stop.is_set
    another = StopSignal()
    another.listen()
    assert not another.is_set


def test_what_was_held_in_another_run_does_not_count() -> None:
    hold_stops()
    os.kill(os.getpid(), signal.SIGTERM)
    hold_stops()
    stop = StopSignal()
    stop.listen()
    assert not stop.is_set


@pytest.mark.parametrize("number", ASKING)
def test_what_can_be_left_is_left_once(number: int) -> None:
    hold_stops()
    cleaned = []

    def work() -> None:
        with leaving_if_stopped():
            try:
                os.kill(os.getpid(), number)
            finally:
                os.kill(os.getpid(), number)  # a launcher that repeats itself
                cleaned.append(number)

    with pytest.raises(SystemExit) as caught:
        work()
    assert caught.value.code == 128 + number
    assert cleaned == [number]


def test_what_was_held_is_left_at_once() -> None:
    hold_stops()
    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(SystemExit), leaving_if_stopped():
        pytest.fail("it has begun")


@pytest.mark.parametrize("number", ASKING)
def test_what_has_begun_is_left_no_more(number: int) -> None:
    hold_stops()
    stop = StopSignal()
    with leaving_if_stopped():
        leave_no_more()
        os.kill(os.getpid(), number)
    stop.listen()
    assert stop.is_set
    hold_stops()
    with pytest.raises(SystemExit), leaving_if_stopped():
        os.kill(os.getpid(), number)


def test_afterwards_signals_are_held_again() -> None:
    hold_stops()
    with leaving_if_stopped():
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    stop = StopSignal()
    stop.listen()
    assert stop.is_set


EARLY = """
import os, signal, sys

class Asking:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            os.kill(os.getpid(), signal.SIGUSR1)

sys.meta_path.insert(0, Asking())
sys.argv = ["cutweb", *sys.argv[1:]]
from cutweb.__main__ import main
main()
"""


@pytest.mark.parametrize("is_rank", [True, False])
def test_a_rank_that_is_still_importing_is_not_ended_by_sigusr1(is_rank: bool) -> None:
    environment = {name: text for name, text in os.environ.items() if name not in RANK_VARIABLES}
    command = [sys.executable, "-c", EARLY, "crawl", "--help"]
    done = subprocess.run(command, env=environment | ({"PMI_RANK": "0"} if is_rank else {}), capture_output=True)
    assert done.returncode == (0 if is_rank else -signal.SIGUSR1)


def test_what_was_held_early_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RANK_VARIABLES[0], "0")
    hold_early()
    os.kill(os.getpid(), signal.SIGUSR1)
    hold_stops()
    stop = StopSignal()
    stop.listen()
    assert stop.is_set
