"""Virtual time that all ranks share, and the windows of it that are supersteps."""

from collections.abc import Iterator

import pytest
from mpi4py import MPI

from crawler.politeness.messages import Forget
from crawler.replay.virtualtime.round_mailbox import RoundMailbox
from crawler.replay.virtualtime.shared_clock import CommonTime
from crawler.replay.virtualtime.windows import TRAVEL_SECONDS


@pytest.fixture
def time() -> Iterator[CommonTime]:
    mailbox = RoundMailbox(MPI.COMM_SELF)
    yield CommonTime(MPI.COMM_SELF, mailbox)
    mailbox.close()


def test_idle_time_is_passed_over_but_never_the_end(time: CommonTime) -> None:
    time.open_window(100.0)
    assert time.now == 0.0
    steps = [time.now]
    while time.now < 40.0:
        time.advance(40.0)
        steps.append(time.now)
    assert steps == [0.0, TRAVEL_SECONDS, 40.0]
    for _ in range(5):
        time.advance(1e9)
    assert time.now == 100.0


def test_time_does_not_run_backwards(time: CommonTime) -> None:
    time.open_window(1.0)
    time.advance(0.005)
    time.advance(0.001)
    assert time.now == 0.005


def test_events_before_the_horizon_come_at_their_time(time: CommonTime) -> None:
    time.open_window(1.0)
    for event in (0.002, 0.004, TRAVEL_SECONDS):
        time.advance(event)
        assert time.now == event


@pytest.mark.parametrize("is_idle", [False, True])
def test_all_are_idle_if_everybody_has_said_so(time: CommonTime, is_idle: bool) -> None:
    time.open_window(1.0)
    time.say_idle(is_idle)
    assert not time.is_over, "not before all have been asked"
    time.advance(9.0)
    assert time.is_over == is_idle
    time.open_window(2.0)
    assert not time.is_over


def test_what_a_rank_says_to_itself_comes_at_once() -> None:
    mailbox = RoundMailbox(MPI.COMM_SELF)
    mailbox.send(0, Forget("a.example"))
    assert not mailbox.is_idle
    mailbox.dispatch()
    assert mailbox.packets_out() == [b""]
    assert mailbox.next() == (0, Forget("a.example"))
    assert mailbox.next() is None
    assert mailbox.is_idle
    assert (mailbox.sent, mailbox.received, mailbox.packets) == (1, 1, 0)
    mailbox.close()
