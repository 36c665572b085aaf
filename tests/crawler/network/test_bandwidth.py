"""The token bucket of a rank, by a clock that is made up."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.network.bandwidth import AS_MUCH_AS_IT_GETS, Bandwidth

RATE = 1_000_000.0


def test_without_a_limit_nothing_waits() -> None:
    bandwidth = Bandwidth()
    bandwidth.begin("page")
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
    bandwidth.begin("page")
    assert bandwidth.starting_from(0.0) > 0.0
    assert bandwidth.reading_from(0.0) == 0.0


def test_small_answers_say_nothing_of_the_size_of_pages() -> None:
    bandwidth = Bandwidth(RATE)
    for number in range(40):
        bandwidth.begin(number, is_small=True)
        bandwidth.arrive(300)
        bandwidth.end(number, 300, is_small=True)
    now = 10.0
    assert bandwidth.starting_from(now) == now
    for number in range(100):
        bandwidth.begin(number)  # of which nobody knows the size: as if all that the kernel takes were to come
    assert bandwidth.starting_from(now) == pytest.approx(now + 100 * RATE / 16 / RATE - 1.0 + 1 / 16)


def test_one_large_answer_does_not_hide_the_others_that_are_on_their_way() -> None:
    """What it has beyond what was expected of it is in debt, and is not taken off what the others are to take."""
    bandwidth = Bandwidth(RATE)
    bandwidth.end("before", 20_000)
    now = 10.0
    bandwidth.reading_from(now)
    for number in range(20):
        bandwidth.begin(number)
    for count in (50_000, 50_000):
        bandwidth.arrive(count)
        bandwidth.read(0, count)
    bandwidth.end(0, 100_000)
    from_now = 100_000 + 19 * 20_000 + bandwidth_margin(20_000 + 80_000 / 2) - RATE / 4
    assert bandwidth.starting_from(now) - now == pytest.approx(from_now / (1.25 * RATE))


def bandwidth_margin(mean: float) -> float:
    """What is to be left over when a request begins."""
    return min(mean, RATE / 16, RATE / 8)


def test_an_answer_that_was_shorter_than_expected_makes_room_for_the_next() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.end("before", 60_000)
    now = bandwidth.starting_from(0.0)
    bandwidth.begin("short")
    assert bandwidth.starting_from(now) > now + 0.02
    bandwidth.arrive(100)
    bandwidth.end("short", 100)
    assert bandwidth.starting_from(now) <= now + 0.001
    bandwidth.read("short", 5)  # nobody counts on it any more
    assert bandwidth.starting_from(now) <= now + 0.001


def test_long_silence_lets_a_quarter_of_a_second_come_at_once_and_a_second_in_all() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.starting_from(1000.0)
    bandwidth.arrive(300_000)
    assert bandwidth.reading_from(1000.0) == pytest.approx(1000.0 + 0.05 / 1.25)
    bandwidth.arrive(900_000)
    assert bandwidth.reading_from(1000.0) == pytest.approx(1000.0 + 0.95 / 1.25)
    bandwidth.arrive(10_000_000)
    assert bandwidth.reading_from(1000.0) == pytest.approx(1000.0 + 10.2)


def test_a_higher_rate_holds_at_once_and_no_limit_leaves_no_debt() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.arrive(1_000_000)
    bandwidth.replace(2 * RATE, 0.0)
    assert bandwidth.reading_from(0.0) == pytest.approx(0.5)
    bandwidth.replace(inf, 0.1)
    bandwidth.arrive(10**9)
    bandwidth.replace(RATE, 0.2)
    assert bandwidth.reading_from(0.2) == 0.2


def test_the_need_is_what_came_while_nothing_was_kept_waiting_or_as_much_as_there_is() -> None:
    bandwidth = Bandwidth(RATE)
    bandwidth.arrive(200_000)
    assert bandwidth.use(2.0) == (110_000, 400_000)  # of two seconds one is kept, and what came
    assert bandwidth.use(3.0) == (0, RATE)
    bandwidth.arrive(200_000)
    bandwidth.hold(3.0, 3.25)
    bandwidth.hold(3.1, 3.4)
    bandwidth.hold(3.9, 4.1)
    assert bandwidth.use(4.0).need == 440_000  # it was kept waiting for half of the time, until now
    assert bandwidth.use(4.1).need == AS_MUCH_AS_IT_GETS
    assert bandwidth.use(5.1).need == 0
    bandwidth.arrive(100_000)
    told = bandwidth.use(6.1)
    assert bandwidth.use(6.101) == told._replace(lost=0)


def test_who_waits_no_longer_at_another_rate_needs_no_more_than_comes() -> None:
    bandwidth = Bandwidth(1.0)
    bandwidth.hold(0.0, 400.0)
    assert bandwidth.use(1.0).need == AS_MUCH_AS_IT_GETS
    bandwidth.replace(RATE, 1.0)
    assert bandwidth.use(2.0).need == 0


@pytest.mark.parametrize("sizes", [[20_000], [1_000], [60_000], [5_000, 5_000, 5_000, 60_000]])
@pytest.mark.parametrize("latency", [0.01, 2.0])
def test_answers_that_come_whole_come_at_the_rate(sizes: list[int], latency: float) -> None:
    """However late they come: what they are expected to take is not lost while they are on their way."""
    now, bandwidth, under_way = 0.0, Bandwidth(RATE), [(0.0, 0, 0)][:0]
    arrived, started = 0, 0
    while now < 100.0:
        while under_way and under_way[0][0] <= now:
            number, size = under_way.pop(0)[1:]
            bandwidth.arrive(size)
            bandwidth.end(number, size)
            arrived += size if now > 50 else 0
        while len(under_way) < 2000 and bandwidth.starting_from(now) <= now:
            bandwidth.begin(started)
            under_way.append((now + latency, started, sizes[started % len(sizes)]))
            started += 1
        now += 0.01
    assert arrived / 50 == pytest.approx(RATE, rel=0.02)


@given(st.lists(st.tuples(st.integers(0, 400_000), st.floats(0.0, 0.5)), min_size=1, max_size=60))
def test_who_reads_only_when_that_may_be_gets_the_rate_at_most(bursts: list[tuple[int, float]]) -> None:
    now, bandwidth = 0.0, Bandwidth(RATE)
    for size, pause in bursts:
        now = bandwidth.reading_from(now + pause)
        bandwidth.arrive(size)
    largest = max(size for size, _ in bursts)
    assert bandwidth.received <= RATE * (now + 1.0) + largest + 1
    assert bandwidth.received <= 1.25 * RATE * (now + 0.25) + largest + 1
