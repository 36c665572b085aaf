"""Virtual time that all ranks share: none goes beyond the horizon on which all have agreed.

A conservative simulation (Chandy and Misra, "Distributed Simulation", IEEE TSE 1979): what a rank says to another
takes effect when all have come to the horizon, so no rank ever learns of something in its past.  The horizon lies one
message's travel beyond the earliest event that any rank waits for, so idle times are passed over at once.
"""

from typing import TYPE_CHECKING

import numpy as np

from crawler.replay.virtualtime.round_mailbox import RoundMailbox
from crawler.replay.virtualtime.windows import TRAVEL_SECONDS

if TYPE_CHECKING:
    from mpi4py import MPI


class CommonTime:
    """A `SharedTime` of ranks that are processes; ``mailbox`` delivers a rank's packets at the horizon."""

    def __init__(self, comm: "MPI.Intracomm", mailbox: RoundMailbox) -> None:
        self._comm = comm
        self._mailbox = mailbox
        self._horizon = 0.0
        self._end = 0.0
        self._is_idle = False
        self._are_all_idle = False
        self.now = 0.0

    @property
    def is_over(self) -> bool:
        """Has the window come to its end?"""
        return self._are_all_idle or self.now >= self._end

    def open_window(self, end: float) -> None:
        """A window begins."""
        self._end = end
        self._horizon = min(self.now + TRAVEL_SECONDS, end)
        self._are_all_idle = False

    def say_idle(self, is_idle: bool) -> None:
        """Tell whether this rank has nothing left to do."""
        self._is_idle = is_idle

    def advance(self, event: float) -> None:
        """Go towards this rank's next event."""
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
        self._are_all_idle = bool(states[:, 1].all()) and not sizes.any()
