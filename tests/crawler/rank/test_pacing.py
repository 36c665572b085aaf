"""How long the supersteps of a live crawl last."""

import os
import signal
from typing import cast

import pytest

from crawler.exchange.link_exchange import LinkExchange
from crawler.network.web import Web
from crawler.process.stop_signals import StopSignal
from crawler.rank.pacing import TimedPacing


class Clock:
    """Of a web and an exchange, what tells the time and whether others have come."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.arrivals = 0
        self.others_are_there = False

    def now(self) -> float:
        return self.time

    def arrive(self) -> None:
        self.arrivals += 1

    def all_have_arrived(self) -> bool:
        return self.others_are_there


@pytest.fixture
def clock() -> Clock:
    return Clock()


def pacing_by(clock: Clock, *, most: float | None = None, stop: StopSignal | None = None) -> TimedPacing:
    exchange, web = cast(LinkExchange, clock), cast(Web, clock)
    return TimedPacing(web, exchange, stop or StopSignal(), seconds=2.0, most_seconds=most)


def length_of(pacing: TimedPacing, clock: Clock) -> float:
    """How long the superstep lasts that begins now, in hundredths of a second as they pass."""
    began, clock.arrivals = clock.time, 0
    pacing.begin()
    while not clock.arrivals:
        clock.time = round(clock.time + 0.01, 6)
        pacing.is_over(False)
    return round(clock.time - began, 2)


def test_supersteps_grow_with_the_crawl_up_to_their_length(clock: Clock) -> None:
    pacing = pacing_by(clock)
    lengths = [length_of(pacing, clock)]
    assert lengths == [0.05]
    while clock.time < 1060.0:
        spent = clock.time - 1000.0
        lengths.append(length_of(pacing, clock))
        assert lengths[-1] <= max(0.05, 0.1 * spent) + 0.011
    assert lengths == sorted(lengths)
    assert lengths[-1] == 2.0


def test_no_superstep_goes_beyond_the_end(clock: Clock) -> None:
    pacing = pacing_by(clock, most=30.5)
    while clock.time < 1030.5:
        length_of(pacing, clock)
    assert clock.time < 1030.52


def test_a_rank_says_once_that_it_has_come_to_the_end_and_waits_for_the_others(clock: Clock) -> None:
    pacing = pacing_by(clock)
    pacing.begin()
    assert not pacing.is_over(False)
    assert clock.arrivals == 0
    clock.others_are_there = True
    assert not pacing.is_over(False), "it is not at the end itself"
    clock.others_are_there = False
    clock.time += 0.06
    for _ in range(3):
        assert not pacing.is_over(False)
    clock.others_are_there = True
    assert pacing.is_over(False)
    assert clock.arrivals == 1
    pacing.begin()
    assert not pacing.is_over(False)


def test_out_of_work_is_the_end_for_a_rank(clock: Clock) -> None:
    pacing = pacing_by(clock)
    pacing.begin()
    pacing.is_over(True)
    pacing.is_over(False)
    assert clock.arrivals == 1


def test_a_signal_is_the_end_for_a_rank(clock: Clock) -> None:
    stop = StopSignal()
    stop.listen()
    pacing = pacing_by(clock, stop=stop)
    pacing.begin()
    pacing.is_over(False)
    os.kill(os.getpid(), signal.SIGUSR1)
    pacing.is_over(False)
    assert clock.arrivals == 1


def test_nobody_waits_past_the_end_nor_so_long_that_a_signal_is_late(clock: Clock) -> None:
    pacing = pacing_by(clock)
    pacing.begin()
    assert pacing.at_most(1000.0, 1000.02) == 1000.02
    assert pacing.at_most(1000.0, 1009.0) == 1000.05
    assert pacing.at_most(1000.0, 999.0) == 1000.0
    clock.time = 1100.0
    pacing.begin()
    assert pacing.at_most(1100.0, 1109.0) == 1100.25


def test_the_others_are_looked_for_often_at_first_and_then_less(clock: Clock) -> None:
    pacing = pacing_by(clock)
    pacing.begin()
    pacing.is_over(True)
    polls = [round(pacing.at_most(0.0, 99.0), 4) for _ in range(6)]
    assert polls == [0.001, 0.002, 0.004, 0.008, 0.01, 0.01]
    pacing.begin()
    pacing.is_over(True)
    assert pacing.at_most(0.0, 99.0) == 0.001
