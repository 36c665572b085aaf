"""Waiting for the other ranks asleep.

In a collective MPI asks again and again whether the others have come, and burns a core as long; where there are more
ranks than cores, the core of a rank that the others wait for.  Here a rank asks, sleeps for a small part of the time
that it has waited, and asks again: on average it comes late by half of that part.

Only for collectives of a few bytes.  One of many moves on only when it is asked for, and would take seconds.

Reads the clock: how long others are waited for in an exchange is no time of the crawl.
"""

from time import monotonic, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpi4py import MPI

_TIMES_AT_ONCE = 3
_PART_OF_WAIT = 1 / 16
_SHORTEST_SECONDS = 50e-6
_LONGEST_SECONDS = 2e-3


def sleeping_wait(request: "MPI.Request") -> None:
    """Return when what was requested is done, on this rank."""
    for _ in range(_TIMES_AT_ONCE):
        if request.Test():
            return
        sleep(0)
    began = monotonic()
    while not request.Test():
        sleep(min(max(_SHORTEST_SECONDS, _PART_OF_WAIT * (monotonic() - began)), _LONGEST_SECONDS))
