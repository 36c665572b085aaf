"""Whether a transfer goes on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.network.stall_detector import StallDetector


def judged(pace: StallDetector, *moments: tuple[float, int]) -> list[str]:
    return [pace.judge(now, received) for now, received in moments]


def test_silence_is_idle_after_its_time() -> None:
    pace = StallDetector(20.0, 0.0, 30.0)
    assert judged(pace, (100, 0), (110, 0), (119.9, 0), (120, 0)) == ["", "", "", "idle"]


def test_every_byte_ends_a_silence() -> None:
    pace = StallDetector(20.0, 0.0, 30.0)
    assert judged(pace, (100, 0), (119, 1), (138, 2), (157, 2), (158, 2)) == ["", "", "", "", "idle"]


def test_a_byte_now_and_then_is_slow_after_a_window() -> None:
    pace = StallDetector(20.0, 64.0, 30.0)
    moments = [(100.0 + second, second) for second in range(31)]
    assert judged(pace, *moments) == [""] * 30 + ["slow"]


def test_each_window_counts_for_itself() -> None:
    pace = StallDetector(100.0, 10.0, 30.0)
    assert judged(pace, (0, 0), (30, 300), (45, 599), (60, 599)) == ["", "", "", "slow"]
    pace.restart()
    assert judged(pace, (0, 0), (30, 300), (60, 600), (90, 900)) == [""] * 4


def test_without_a_least_speed_nothing_is_slow() -> None:
    pace = StallDetector(1e9, 0.0, 30.0)
    assert judged(pace, (0, 0), (31, 0), (1000, 0)) == [""] * 3


def test_time_runs_from_when_a_transfer_is_first_judged() -> None:
    pace = StallDetector(20.0, 64.0, 30.0)
    judged(pace, (0, 0), (19, 0))
    pace.restart()
    assert judged(pace, (1000, 5), (1019, 5), (1020, 5)) == ["", "", "idle"]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50)), max_size=60), st.integers(1, 30))
def test_silences_are_found_as_by_looking_at_all_that_came(steps: list[tuple[int, int]], longest: int) -> None:
    pace, now, received = StallDetector(longest, 0.0, 12.0), 0, 0
    history: list[tuple[int, int]] = []
    for seconds, count in [(0, 0), *steps]:
        now, received = now + seconds, received + count
        history.append((now, received))
        silent_since = min(time for time, had in history if had == received)
        is_idle = now - silent_since >= longest
        assert pace.judge(now, received) == ("idle" if is_idle else "")
        if is_idle:
            return


@pytest.mark.parametrize("speed", [1, 63, 64, 65, 1000])
def test_a_steady_stream_is_slow_if_it_is_slower_than_the_least(speed: int) -> None:
    pace = StallDetector(20.0, 64.0, 30.0)
    verdicts = judged(pace, *[(float(second), speed * second) for second in range(100)])
    assert ("slow" in verdicts) == (speed < 64)
