"""Rates as options spell them, and the hours in which they hold."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.network.timetable import Hours, Timetable, parse_rate

MONDAY = datetime(2024, 1, 1)
WEEK = [MONDAY + timedelta(minutes=minute) for minute in range(7 * 24 * 60)]


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("40M", 40_000_000),
        ("800k", 800_000),
        ("1.5M", 1_500_000),
        ("2G", 2 * 10**9),
        ("123456", 123_456),
        ("none", None),
    ],
)
def test_rates(text: str, rate: int | None) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "40m", "40 M", "40MB", "-1M", "1e6", "nan", "99k", "2000G", "٤M", "0"])
def test_what_is_no_rate(text: str) -> None:
    with pytest.raises(ValueError, match="bits per second"):
        parse_rate(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is not DAYS"),
        ("Mon-Fri 08:00-18:00", "is not DAYS"),
        ("Mon-Fri 8:00-18:00 10M", "is not DAYS"),
        ("Mon-Fri 08:00 10M", "is not DAYS"),
        ("Mo-Fri 08:00-18:00 10M", "is not DAYS"),
        ("Mon-Fry 08:00-18:00 10M", "'Fry' is none of Mon, Tue"),
        ("Mon-Fri 08:60-18:00 10M", "08:60 is no time of day"),
        ("Mon-Fri 08:00-24:01 10M", "24:01 is no time of day"),
        ("Mon-Fri 08:00-08:00 10M", "has no time between"),
        ("Mon-Fri 24:00-08:00 10M", "has no time between"),
        ("Mon-Fri 08:00-18:00 10X", "is neither bits per second"),
    ],
)
def test_what_are_no_hours(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Hours.parse(text)


def minutes_held(text: str) -> int:
    hours = Hours.parse(text)
    return sum(map(hours.holds, WEEK))


def test_hours_of_the_week() -> None:
    hours = Hours.parse("Mon-Fri 08:00-18:00 10M")
    assert hours.holds(MONDAY.replace(hour=8))
    assert not hours.holds(MONDAY.replace(hour=7, minute=59))
    assert not hours.holds(MONDAY.replace(hour=18))
    assert not hours.holds(MONDAY.replace(day=6, hour=9))
    assert minutes_held("Mon-Fri 08:00-18:00 10M") == 5 * 10 * 60
    assert minutes_held("sun 00:00-24:00 none") == 24 * 60
    assert minutes_held("Sat-Mon 00:00-24:00 1M") == 3 * 24 * 60


def test_hours_after_midnight_belong_to_the_day_before() -> None:
    hours = Hours.parse("Fri 22:00-06:00 10M")
    assert hours.holds(MONDAY.replace(day=5, hour=23))
    assert hours.holds(MONDAY.replace(day=6, hour=5, minute=59))
    assert not hours.holds(MONDAY.replace(day=5, hour=5))
    assert minutes_held("Fri 22:00-06:00 10M") == 8 * 60


@settings(max_examples=25)
@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 1439), st.integers(1, 1439))
def test_hours_last_as_long_as_they_say(first: int, last: int, begin: int, span: int) -> None:
    end = (begin + span) % 1440
    hours = Hours(first, last, begin, end, None)
    days = (last - first) % 7 + 1
    assert sum(map(hours.holds, WEEK)) == days * span


def test_the_first_hours_that_hold_count_and_the_usual_limit_otherwise() -> None:
    timetable = Timetable(5, ["Mon 12:00-13:00 none", "Mon-Fri 08:00-18:00 10M"])
    assert timetable.at(MONDAY.replace(hour=12)) is None
    assert timetable.at(MONDAY.replace(hour=13)) == 10_000_000
    assert timetable.at(MONDAY.replace(hour=20)) == 5
    assert Timetable(5).now() == 5
    assert Timetable(None, ["Mon-Sun 00:00-24:00 3M"]).now() == 3_000_000
