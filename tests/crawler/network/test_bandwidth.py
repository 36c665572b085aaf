"""The token bucket of a rank, by a clock that is made up."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.network.bandwidth import AS_MUCH_AS_IT_GETS, Bandwidth

RATE = 1_000_000.0


def test_without_a_limit_nothing_waits() -> None:
    bandwidth = Bandwidth()
    bandwidth.begin()
    bandwidth.arrive(10**12)
    assert (bandwidth.starting_from(5.0), bandwidth.reading_from(5.0)) == (5.0, 5.0)
    assert bandwidth.received == 10**12


def test_what_has_arrived_is_waited_for() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.arrive(500_000)
    assert bandwidth.reading_from(0.0) == pytest.approx(0.5)
    assert bandwidth.reading_from(0.4) == pytest.approx(0.5)
    assert bandwidth.reading_from(0.6) == 0.6


def test_what_is_about_to_arrive_holds_up_requests_and_no_reading() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.begin()
    assert bandwidth.starting_from(0.0) > 0.0
    assert bandwidth.reading_from(0.0) == 0.0


def test_small_answers_say_nothing_of_the_size_of_pages() -> None:
    bandwidth = Bandwidth(RATE)
    for _ in range(40):
        bandwidth.begin(is_small=True)
        bandwidth.arrive(300)
        bandwidth.end(300, is_small=True)
    now = 10.0
    assert bandwidth.starting_from(now) == now
    bandwidth.begin()
    assert bandwidth.starting_from(now) >= now  # one page is all that may be asked for at first
    bandwidth.begin()
    assert bandwidth.starting_from(now) > now + 0.2


def test_long_silence_lets_no_more_come_than_a_quarter_of_a_second_stands_for() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.starting_from(1000.0)
    bandwidth.arrive(300_000)
    assert bandwidth.reading_from(1000.0) == pytest.approx(1000.05)


def test_a_higher_rate_holds_at_once_and_no_limit_leaves_no_debt() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.arrive(1_000_000)
    bandwidth.replace(2 * RATE, 0.0)
    assert bandwidth.reading_from(0.0) == pytest.approx(0.5)
    bandwidth.replace(inf, 0.1)
    bandwidth.arrive(10**9)
    bandwidth.replace(RATE, 0.2)
    assert bandwidth.reading_from(0.2) == 0.2


def test_the_need_is_what_came_or_as_much_as_there_is() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.arrive(200_000)
    assert bandwidth.need(2.0) == 110_000
    assert bandwidth.need(3.0) == 0
    bandwidth.hold()
    assert bandwidth.need(4.0) == AS_MUCH_AS_IT_GETS
    assert bandwidth.need(5.0) == 0


@pytest.mark.parametrize("sizes", [[20_000], [1_000], [400_000], [5_000, 5_000, 5_000, 300_000]])
@pytest.mark.parametrize("latency", [0.01, 2.0])
def test_answers_that_come_whole_come_at_the_rate(sizes: list[int], latency: float) -> None:
    """However late they come: what they are expected to take is not lost while they are on their way."""
    now, bandwidth, under_way = 0.0, Bandwidth(RATE), [(0.0, 0)][:0]
    arrived, started = 0, 0
    while now < 200.0:
        while under_way and under_way[0][0] <= now:
            size = under_way.pop(0)[1]
            bandwidth.arrive(size)
            bandwidth.end(size)
            arrived += size if now > 50 else 0
        while len(under_way) < 2000 and bandwidth.starting_from(now) <= now:
            bandwidth.begin()
            under_way.append((now + latency, sizes[started % len(sizes)]))
            started += 1
        now += 0.01
    assert arrived / 150 == pytest.approx(RATE, rel=0.02)


@given(st.lists(st.tuples(st.integers(0, 400_000), st.floats(0.0, 0.5)), min_size=1, max_size=60))
def test_who_reads_only_when_that_may_be_gets_the_rate_at_most(bursts: list[tuple[int, float]]) -> None:
    now, bandwidth = 0.0, Bandwidth(RATE)
    for size, pause in bursts:
        now = bandwidth.reading_from(now + pause)
        bandwidth.arrive(size)
    largest = max(size for size, _ in bursts)
    assert bandwidth.received <= RATE * (now + 0.25) + largest + 1
