"""One clock for ranks that are coroutines, whose events come from a heap."""

from collections.abc import Callable
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from crawler.replay.simulation.joint_time import JointTime
from crawler.replay.simulation.meetings import Meetings
from crawler.replay.simulation.seat import Seat
from crawler.replay.virtualtime.windows import TRAVEL_SECONDS

EVENTS = st.lists(st.floats(0.0, 3.0), max_size=6).map(sorted)
END = 2.0
Work = Callable[[Seat], None]


def seats_in(time: JointTime, works: list[Work]) -> list[Seat]:
    meetings = Meetings(None, may_be_away=True)
    seats = [Seat(rank, len(works), time, meetings) for rank in range(len(works))]
    time.open_window(END)
    for seat, work in zip(seats, works, strict=True):
        seat.begin(partial(work, seat))
    return seats


@given(st.lists(EVENTS, min_size=1, max_size=4))
def test_each_rank_is_woken_at_its_events_and_at_no_other_time(scripts: list[list[float]]) -> None:
    woken: list[tuple[int, float]] = []

    def work(script: list[float], seat: Seat) -> None:
        for event in [*script, 100.0]:
            seat.advance(event)
            woken.append((seat.rank, seat.now))

    time = JointTime(len(scripts))
    seats_in(time, [partial(work, script) for script in scripts])
    time.pass_window(lambda: ())
    for rank, script in enumerate(scripts):
        assert [now for its, now in woken if its == rank] == [event for event in script if event <= END]
    assert time.is_over
    assert time.now == END


def test_idle_time_is_passed_over_and_a_message_is_under_way_for_its_travel_at_most() -> None:
    time = JointTime(2)
    deliveries: list[float] = []
    heard: list[float] = []

    def writer(seat: Seat) -> None:
        seat.advance(1.0)
        seat.advance(100.0)

    def reader(seat: Seat) -> None:
        seat.advance(100.0)
        heard.append(seat.now)
        seat.advance(100.0)

    seats = seats_in(time, [writer, reader])

    def deliver() -> list[Seat]:
        deliveries.append(time.now)
        return [seats[1]] if seats[0].now == 1.0 and not heard else []

    time.pass_window(deliver)
    assert deliveries[:2] == [TRAVEL_SECONDS, 1.0 + TRAVEL_SECONDS]
    assert len(deliveries) <= 4
    assert heard == [1.0 + TRAVEL_SECONDS]


def test_a_window_ends_early_once_nobody_is_busy() -> None:
    time = JointTime(2)

    def work(seat: Seat) -> None:
        seat.say_idle(True)
        seat.advance(100.0)

    seats_in(time, [work, work])
    time.pass_window(lambda: ())
    assert time.now == TRAVEL_SECONDS
