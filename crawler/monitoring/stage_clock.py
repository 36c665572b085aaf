"""Where a rank's CPU time goes, by stage of the loop.

Reads the clock: it measures work and decides nothing.
"""

from collections.abc import Callable
from time import thread_time

STAGES = ("fetch", "parse", "links", "seen", "record", "exchange", "other")


class StageClock:
    """CPU seconds of the loop's thread by stage.  One stage is on at a time; switching costs under a microsecond.

    ``read`` says how many seconds there have been.
    """

    def __init__(self, read: Callable[[], float] = thread_time) -> None:
        self._read = read
        self._seconds = dict.fromkeys(STAGES, 0.0)
        self._stage = "other"
        self._entered = 0
        self._since = self._read()

    def enter(self, stage: str) -> str:
        """From now on, time is spent on ``stage`` (one of `STAGES`); the stage that was on before."""
        before = self._stage
        self._entered += 1
        if stage != before:
            self._take_time()
            self._stage = stage
        return before

    def standing(self) -> tuple[str, int]:
        """The stage that is on, and a number that changes whenever one is entered."""
        return self._stage, self._entered

    def spent(self) -> float:
        """CPU seconds since the stage that is on was entered."""
        return self._read() - self._since

    def seconds(self) -> dict[str, float]:
        """CPU seconds by stage so far."""
        self._take_time()
        return dict(self._seconds)

    def _take_time(self) -> None:
        now = self._read()
        self._seconds[self._stage] += now - self._since
        self._since = now
