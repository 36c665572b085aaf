"""When epochs close."""

import pytest

from crawler.rank.epoch_schedule import EARLY_SECONDS, EPOCHS_SHARE, FIRST_EPOCH_SECONDS, EpochSchedule


def closed_at(schedule: EpochSchedule, now: float, pause: float = 0.0, *, has_long_rest: bool = False) -> None:
    schedule.pauses(now - pause)
    schedule.closes(has_long_rest=has_long_rest)
    schedule.closed(now)


def ends(seconds: float, until: float, *, is_pressed: bool, pause: float = 0.0) -> list[float]:
    """The times at which epochs close, looked for ten times a second; if pressed, some site always asks for a rest."""
    schedule, times, now = EpochSchedule(seconds, 0.0), [], 0.0
    while now < until:
        now += 0.1
        if schedule.is_due(now) or (is_pressed and schedule.may_be_early(now)):
            now += pause
            closed_at(schedule, now, pause, has_long_rest=is_pressed)
            times.append(now)
    return times


def test_young_sessions_are_committed_sooner() -> None:
    times = ends(60.0, 400.0, is_pressed=False)
    assert times == pytest.approx([2, 4, 8, 16, 32, 64, 124, 184, 244, 304, 364], abs=3.0)
    assert times[0] == pytest.approx(FIRST_EPOCH_SECONDS, abs=0.2)


def test_a_long_pause_puts_off_the_next_epoch() -> None:
    schedule = EpochSchedule(60.0, 0.0)
    closed_at(schedule, 1000.0, pause=6.0)
    assert not schedule.is_due(1000.0 + 6.0 / EPOCHS_SHARE - 1.0)
    assert schedule.is_due(1000.0 + 6.0 / EPOCHS_SHARE)


def test_one_long_rest_is_committed_soon() -> None:
    schedule = EpochSchedule(60.0, 0.0)
    closed_at(schedule, 1000.0)
    assert not schedule.may_be_early(1000.0 + EARLY_SECONDS - 0.1)
    assert schedule.may_be_early(1000.0 + EARLY_SECONDS)
    assert not schedule.is_due(1000.0 + EARLY_SECONDS)


def test_but_within_the_share_of_time() -> None:
    schedule = EpochSchedule(60.0, 0.0)
    closed_at(schedule, 1000.0, pause=0.9)
    assert not schedule.may_be_early(1000.0 + 0.9 / EPOCHS_SHARE - 0.1)
    assert schedule.may_be_early(1000.0 + 0.9 / EPOCHS_SHARE)


@pytest.mark.parametrize("pause", [0.0, 0.05, 0.5])
def test_a_crowd_that_always_asks_for_long_rests_closes_few_epochs_more(pause: float) -> None:
    usual = ends(60.0, 5000.0, is_pressed=False, pause=pause)
    pressed = ends(60.0, 5000.0, is_pressed=True, pause=pause)
    assert len(pressed) <= len(usual) + 5
    assert pause * len(pressed) / 5000.0 <= EPOCHS_SHARE


def test_after_a_quiet_epoch_the_next_long_rest_is_committed_soon_again() -> None:
    schedule = EpochSchedule(60.0, 0.0)
    for now in (1000.0, 1005.0, 1015.0):
        closed_at(schedule, now, has_long_rest=True)
    assert not schedule.may_be_early(1015.0 + 39.0)
    closed_at(schedule, 1075.0)
    assert schedule.may_be_early(1080.0)
