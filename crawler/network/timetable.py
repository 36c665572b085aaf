"""Hours of the week in which another limit holds: ``Mon-Fri 08:00-18:00 10M``.

Reads the clock: only people's hours say what holds now, those of the machine that asks.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Self

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FACTORS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
_RATE = re.compile(r"(?P<number>\d{1,15}(\.\d{1,6})?)(?P<unit>[kMG]?)", re.ASCII)
_TIME = r"(\d\d):(\d\d)"
_HOURS = re.compile(rf"([A-Za-z]{{3}})(?:-([A-Za-z]{{3}}))?\s+{_TIME}-{_TIME}\s+(\S+)", re.ASCII)
_DAY_MINUTES = 24 * 60
SMALLEST_RATE, LARGEST_RATE = 10**5, 10**12
NO_LIMIT = "none"


def parse_rate(text: str) -> int | None:
    """Return the bits per second that a text like 40M says, k, M and G being powers of 1,000; None for ``none``.

    Raises ValueError for what is no such text, or beyond `SMALLEST_RATE` and `LARGEST_RATE`.
    """
    if text == NO_LIMIT:
        return None
    match = _RATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is neither bits per second, as in 40M or 800k, nor {NO_LIMIT}")
    rate = round(float(match["number"]) * _FACTORS[match["unit"]])
    if not SMALLEST_RATE <= rate <= LARGEST_RATE:
        raise ValueError(f"{text!r} is not from 100k to 1000G bits per second")
    return rate


class Hours(NamedTuple):
    """A span of days of the week (0 is Monday, 7 lie in a circle) and of minutes of the day, and its limit in bits/s.

    If the span of minutes ends before it begins, it goes on after midnight.
    """

    first_day: int
    last_day: int
    begin: int
    end: int
    rate: int | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the hours that an option's value spells.  Raises ValueError for what is of another form."""
        match = _HOURS.fullmatch(text.strip())
        if match is None:
            raise ValueError(f'{text!r} is not DAYS HH:MM-HH:MM RATE, as in "Mon-Fri 08:00-18:00 10M"')
        first, last, *times, rate = match.groups()
        first_day, last_day = (_day(name, text) for name in (first, last or first))
        begin, end = (_minutes(hour, minute, text) for hour, minute in (times[:2], times[2:]))
        if begin in (end, _DAY_MINUTES):
            raise ValueError(f"{text!r} has no time between its two times of day")
        return cls(first_day, last_day, begin, end, parse_rate(rate))

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies within; the hours after midnight belong to the day before."""
        minute = 60 * moment.hour + moment.minute
        if self.begin < self.end:
            return self.begin <= minute < self.end and self._has_day(moment.weekday())
        return (minute >= self.begin and self._has_day(moment.weekday())) or (
            minute < self.end and self._has_day((moment.weekday() - 1) % 7)
        )

    def _has_day(self, day: int) -> bool:
        return (day - self.first_day) % 7 <= (self.last_day - self.first_day) % 7


class Timetable:
    """Limits by the hour: that of the first ``hours`` that hold, else the ``usual`` one; None is no limit."""

    def __init__(self, usual: int | None = None, hours: Sequence[str] = ()) -> None:
        self._usual = usual
        self._hours = [Hours.parse(text) for text in hours]

    def at(self, moment: datetime) -> int | None:
        """Return the limit at a moment, in bits per second."""
        return next((hours.rate for hours in self._hours if hours.holds(moment)), self._usual)

    def now(self) -> int | None:
        """Return the limit that holds now, by the clock of this machine."""
        return self.at(datetime.now()) if self._hours else self._usual


def _day(name: str, text: str) -> int:
    if name.lower() not in _DAYS:
        raise ValueError(f"{text!r}: {name!r} is none of Mon, Tue, Wed, Thu, Fri, Sat, Sun")
    return _DAYS.index(name.lower())


def _minutes(hour: str, minute: str, text: str) -> int:
    minutes = 60 * int(hour) + int(minute)
    if int(minute) > 59 or minutes > _DAY_MINUTES:
        raise ValueError(f"{text!r}: {hour}:{minute} is no time of day")
    return minutes
