"""One clock for the dates that ranks write: rank 0's as the crawl began, and what has passed since by each one's own.

Machines' clocks may differ, and be set meanwhile; what has passed since a moment that all saw does not.

Reads the clock: it makes dates for tables and decides nothing.
"""

import os
from collections.abc import Callable, Sequence
from time import monotonic, time
from typing import Any

_FAR_SECONDS = 60.0
"""Ranks come out of a barrier at most a few seconds apart."""


def common_clock(comm: Any) -> Callable[[], float]:
    """What tells the seconds since 1970 UTC, the same on all ranks but for what a message takes; collective."""
    began = comm.bcast(time())
    seen = monotonic()
    return lambda: began + monotonic() - seen


def clocks_apart(comm: Any) -> list[str]:
    """On rank 0, a line for each host whose clock is far from that of rank 0's; none elsewhere; collective."""
    comm.Barrier()
    return apart(comm.gather((os.uname().nodename, time())) or ())


def apart(times: Sequence[tuple[str, float]]) -> list[str]:
    """The lines, of what each rank's host and clock say."""
    lines = {}
    for host, its in times:
        ahead = its - times[0][1]
        if abs(ahead) > _FAR_SECONDS and host not in lines:
            way = "ahead of" if ahead > 0 else "behind"
            lines[host] = (
                f"the clock of {host} is {abs(ahead):,.0f} s {way} that of {times[0][0]}, where rank 0 is: the dates "
                "that this crawl writes are rank 0's"
            )
    return list(lines.values())
