"""Virtual time that all ranks share, and the windows of it that are supersteps."""

from collections.abc import Iterator
from typing import cast

import pytest
from mpi4py import MPI

from crawler.politeness.messages import Forget
from crawler.replay.virtualtime.round_mailbox import RoundMailbox
from crawler.replay.virtualtime.shared_clock import TRAVEL_SECONDS, CommonTime, WindowPacing


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
    assert not time.all_idle, "not before all have been asked"
    time.advance(9.0)
    assert time.all_idle == is_idle
    time.open_window(2.0)
    assert not time.all_idle


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


# Supersteps in virtual time.


class Time:
    """A common time that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        self.ends: list[float] = []
        self.idle: list[bool] = []
        self.all_idle = False

    def open_window(self, end: float) -> None:
        self.ends.append(end)

    def say_idle(self, is_idle: bool) -> None:
        self.idle.append(is_idle)


def test_windows_grow_with_the_replay_up_to_their_length() -> None:
    time = Time()
    pacing = WindowPacing(cast(CommonTime, time), 2.0)
    lengths = []
    while time.now < 60.0:
        pacing.begin()
        lengths.append(round(time.ends[-1] - time.now, 6))
        time.now = time.ends[-1]
        assert pacing.is_over(False)
    assert lengths[0] == 0.05
    assert lengths == sorted(lengths)
    assert lengths[-1] == 2.0


def test_a_window_is_over_at_its_end_and_not_before() -> None:
    time = Time()
    pacing = WindowPacing(cast(CommonTime, time), 2.0)
    pacing.begin()
    assert not pacing.is_over(False)
    time.now = 0.049
    assert not pacing.is_over(True), "the others may have something to do"
    time.now = 0.05
    assert pacing.is_over(False)
    assert time.idle == [False, True, False]


def test_a_window_is_over_when_no_rank_has_anything_to_do() -> None:
    time = Time()
    pacing = WindowPacing(cast(CommonTime, time), 2.0)
    pacing.begin()
    time.all_idle = True
    assert pacing.is_over(True)


def test_nobody_waits_beyond_the_end() -> None:
    time = Time()
    pacing = WindowPacing(cast(CommonTime, time), 2.0)
    pacing.begin()
    assert [pacing.at_most(0.0, until) for until in (0.02, 9.0, float("inf"))] == [0.02, 0.05, 0.05]
    assert pacing.at_most(0.04, 0.02) == 0.04
