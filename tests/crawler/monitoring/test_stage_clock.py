"""CPU time by stage."""

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.monitoring.stage_clock import STAGES, StageClock


def test_time_goes_to_the_stage_that_is_on() -> None:
    times = iter([10.0, 11.0, 13.0, 16.0, 20.0])
    clock = StageClock(lambda: next(times))
    assert clock.enter("fetch") == "other"
    assert clock.enter("links") == "fetch"
    assert clock.enter("fetch") == "links"
    assert clock.seconds() == dict.fromkeys(STAGES, 0.0) | {"other": 1.0, "fetch": 2.0 + 4.0, "links": 3.0}


def test_what_is_told_does_not_change_afterwards() -> None:
    clock = StageClock()
    told = clock.seconds()
    before = dict(told)
    for _ in range(1000):
        clock.enter("parse")
    assert told == before


class HandClock:
    """CPU seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


MOVES = st.lists(
    st.tuples(st.one_of(st.none(), st.sampled_from(STAGES)), st.sampled_from([0.0, 0.25, 1.0, 64.0])), max_size=30
)


@settings(derandomize=True, deadline=None)
@given(MOVES)
def test_every_second_goes_to_the_stage_that_is_on(moves: list[tuple[str | None, float]]) -> None:
    hand = HandClock()
    clock = StageClock(hand)
    stage, expected = "other", dict.fromkeys(STAGES, 0.0)
    for entered, seconds in moves:
        if entered is None:  # asking for the times changes none of them
            assert clock.seconds() == expected
        else:
            assert clock.enter(entered) == stage
            stage = entered
        hand.time += seconds
        expected[stage] += seconds
    assert clock.seconds() == expected
    assert sum(expected.values()) == hand.time - 1000.0


def test_it_counts_the_work_of_this_thread() -> None:
    clock = StageClock()
    clock.enter("parse")
    sum(range(300_000))
    clock.enter("links")
    seconds = clock.seconds()
    assert seconds["parse"] > seconds["links"]
    assert seconds["parse"] > 0.0005


def test_time_spent_on_a_stage_counts_from_when_it_was_entered() -> None:
    hand = HandClock()
    clock = StageClock(hand)
    hand.time += 3.0
    clock.enter("parse")
    assert clock.spent() == 0.0
    hand.time += 2.0
    assert clock.spent() == clock.spent() == 2.0
    clock.enter("links")
    assert clock.spent() == 0.0
