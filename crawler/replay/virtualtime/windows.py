"""Supersteps of a replay in virtual time: windows that begin and end at the same instant on all ranks."""

from crawler.rank.pacing import young
from crawler.replay.virtualtime.shared_clock import CommonTime


class WindowPacing:
    """Windows of so many virtual ``seconds``, shorter as long as the replay is young, as in a live crawl.

    A window ends early when no rank has anything left to do.
    """

    def __init__(self, time: CommonTime, seconds: float) -> None:
        self._time = time
        self._seconds = seconds
        self._end = 0.0

    def begin(self) -> None:
        now = self._time.now
        self._end = now + young(self._seconds, now)
        self._time.open_window(self._end)

    def is_over(self, is_out_of_work: bool) -> bool:
        self._time.say_idle(is_out_of_work)
        return self._time.all_idle or self._time.now >= self._end

    def at_most(self, now: float, until: float) -> float:
        return max(now, min(until, self._end))
