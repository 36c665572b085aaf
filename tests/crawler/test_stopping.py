"""Signals that ask a crawl to stop."""

import os
import signal

import pytest

from crawler.stopping import StopSignal


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_a_signal_is_taken_note_of(number: int, same_signals_afterwards: None) -> None:
    stop = StopSignal()
    stop.listen()
    assert not stop.is_set
    os.kill(os.getpid(), number)
    assert stop.is_set


def test_launchers_may_repeat_themselves(same_signals_afterwards: None) -> None:
    stop = StopSignal()
    stop.listen()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGTERM):
        os.kill(os.getpid(), number)
    assert stop.is_set


def test_a_second_interrupt_ends_the_process(same_signals_afterwards: None) -> None:
    stop = StopSignal()
    stop.listen()
    os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
