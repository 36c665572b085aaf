"""One clock and one heap of events for all ranks: it jumps to the next event of any, and wakes that rank alone.

The horizon moves as that of ranks that are processes does (`crawler.replay.virtualtime.shared_clock`), and what they
say to each other is delivered there.
"""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush

from crawler.replay.simulation.seat import Seat
from crawler.replay.virtualtime.windows import TRAVEL_SECONDS


class JointTime:
    """The time of so many ranks; ``busy`` are those that have something left to do, as far as they know."""

    def __init__(self, ranks: int) -> None:
        self.busy = ranks
        self.horizon = 0.0
        self._end = 0.0
        self._is_open = False
        self._now = 0.0
        self._events: list[tuple[float, int, int, Seat]] = []

    @property
    def now(self) -> float:
        """The time that no rank has left behind."""
        return self._now

    @property
    def is_over(self) -> bool:
        """Has the window ended?"""
        return not self._is_open

    def open_window(self, end: float) -> None:
        """A window begins; ranks that are awake say so one after the other, and mean the same."""
        if not self._is_open:
            self._is_open = True
            self._end = end
            self.horizon = min(self._now + TRAVEL_SECONDS, end)

    def wait_for(self, event: float, seat: Seat) -> None:
        """A rank waits until then, unless it is woken before."""
        heappush(self._events, (event, seat.rank, seat.pauses, seat))

    def pass_window(self, deliver: Callable[[], Iterable[Seat]]) -> None:
        """Let ranks go on, each when its event has come, until the window is over.

        ``deliver`` delivers what ranks have said to each other; the ranks that were told something.
        """
        while True:
            self._wake_those_due()
            self._now = self.horizon
            if self._now >= self._end:
                break
            told = list(deliver())
            if not self.busy and not told:
                break
            soonest = self._now if told else max(self._now, self._next_event())
            self.horizon = min(soonest + TRAVEL_SECONDS, self._end)
            for seat in told:
                seat.wake(self._now)
        self._is_open = False

    def _wake_those_due(self) -> None:
        events = self._events
        while events and events[0][0] <= self.horizon:
            event, _, pauses, seat = heappop(events)
            if seat.pauses == pauses:
                seat.wake(event)

    def _next_event(self) -> float:
        events = self._events
        while events and events[0][2] != events[0][3].pauses:
            heappop(events)
        return events[0][0] if events else self._end
