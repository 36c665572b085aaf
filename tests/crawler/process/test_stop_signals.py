"""Signals that ask a crawl to stop."""

import os
import signal
from collections.abc import Iterator

import pytest

from crawler.process import stop_signals
from crawler.process.stop_signals import StopSignal, hold_stops, leave_no_more, leaving_if_stopped

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
