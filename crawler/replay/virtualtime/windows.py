"""The supersteps of a replay in virtual time: windows of it, in which all ranks share one time."""

from typing import Protocol

from crawler.rank.pacing import young

TRAVEL_SECONDS = 0.01
"""How long a message between ranks is under way at most, in virtual seconds: about what a busy live rank takes."""


class SharedTime(Protocol):
    """One rank's share of the time of all ranks, which begins at 0."""

    @property
    def now(self) -> float:
        """What time it is for this rank."""
        ...

    @property
    def is_over(self) -> bool:
        """Has the window come to its end, or does no rank have anything left to do in it?"""
        ...

    def open_window(self, end: float) -> None:
        """A window begins that no rank goes beyond; all ranks say the same ``end``."""
        ...

    def say_idle(self, is_idle: bool) -> None:
        """Tell whether this rank has nothing left to do, as far as it knows."""
        ...

    def advance(self, event: float) -> None:
        """Go to the time of this rank's next event, or as far towards it as may be."""
        ...


class WindowPacing:
    """Windows of so many virtual ``seconds``, shorter as long as the replay is young, as in a live crawl."""

    def __init__(self, time: SharedTime, seconds: float) -> None:
        self._time = time
        self._seconds = seconds

    def begin(self) -> None:
        now = self._time.now
        self._time.open_window(now + young(self._seconds, now))

    def is_over(self, is_out_of_work: bool) -> bool:
        self._time.say_idle(is_out_of_work)
        return self._time.is_over

    def at_most(self, now: float, until: float) -> float:
        return max(now, until)
