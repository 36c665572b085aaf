"""Virtual time that all ranks share: none goes beyond the horizon on which all have agreed.

A conservative simulation (Chandy and Misra, "Distributed Simulation", IEEE TSE 1979): what a rank says to another
takes effect when all have come to the horizon, so no rank ever learns of something in its past.  The horizon lies one
message's travel beyond the earliest event that any rank waits for, so idle times are passed over at once.
"""

import numpy as np
from mpi4py import MPI

from crawler.rank.pacing import young
from crawler.replay.virtualtime.round_mailbox import RoundMailbox

TRAVEL_SECONDS = 0.01
"""How long a message between ranks is under way at most, in virtual seconds: about what a busy live rank takes."""


class CommonTime:
    """One rank's share of the common time, which begins at 0; ``mailbox`` delivers its packets at the horizon."""

    def __init__(self, comm: MPI.Intracomm, mailbox: RoundMailbox) -> None:
        self._comm = comm
        self._mailbox = mailbox
        self._horizon = 0.0
        self._end = 0.0
        self._is_idle = False
        self.now = 0.0
        self.all_idle = False

    def open_window(self, end: float) -> None:
        """A window begins that no rank goes beyond; all ranks say the same ``end``."""
        self._end = end
        self._horizon = min(self.now + TRAVEL_SECONDS, end)
        self.all_idle = False

    def say_idle(self, is_idle: bool) -> None:
        """Tell whether this rank has nothing left to do, as far as it knows."""
        self._is_idle = is_idle

    def advance(self, event: float) -> None:
        """Go to the time of this rank's next event, or as far towards it as may be."""
        if event <= self._horizon or self._horizon >= self._end:
            self.now = max(self.now, min(event, self._horizon))
            return
        self.now = self._horizon
        self._agree(event)

    def _agree(self, event: float) -> None:
        """With all ranks, deliver packets and move the horizon: one small collective, and another if there are any."""
        packets = self._mailbox.packets_out()
        states = np.empty((self._comm.size, 2 + self._comm.size))
        self._comm.Allgather(np.array([event, self._is_idle, *map(len, packets)], np.float64), states)
        sizes = states[:, 2:].astype(np.int64)
        soonest = max(self.now, float(states[:, 0].min()))
        if sizes.any():
            self._mailbox.swap(packets, sizes)
            soonest = self.now
        self._horizon = min(soonest + TRAVEL_SECONDS, self._end)
        self.all_idle = bool(states[:, 1].all()) and not sizes.any()


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
