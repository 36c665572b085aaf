"""What the ranks take of their machines, a line every so often (``--usage-seconds``): what Slurm's sstat tells.

sstat itself needs accounting that many clusters do not have, and knows nothing of a network.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from crawler.exchange.verdict import Status
from crawler.monitoring.progress_display import elapsed
from crawler.process.printing import size
from crawler.process.terminal import tell


class UsageLines:
    """A watcher that tells it on standard error, every so many ``seconds``, of the time since it last did.

    ``session`` is the folder of the session, whose disk it looks at.
    """

    def __init__(self, seconds: float, session: Path) -> None:
        self._seconds = seconds
        self._session = session
        self._told_at = 0.0
        self._then: Sequence[Status] = ()

    def show(self, states: Sequence[Status], *, is_last: bool = False) -> None:
        now = states[0].milliseconds / 1000
        since = now - self._told_at
        if since < self._seconds and not is_last:
            return
        if since > 0:
            tell(f"{elapsed(now)}  usage  " + "  ".join(self._figures(states, since)), err=True)
        self._told_at, self._then = now, states

    def close(self) -> None:
        pass

    def _figures(self, states: Sequence[Status], since: float) -> list[str]:
        before = self._then or [state._replace(cpu_milliseconds=0, bytes=0, written_bytes=0) for state in states]
        cores = [
            (state.cpu_milliseconds - then.cpu_milliseconds) / 1000 / since
            for state, then in zip(states, before, strict=True)
        ]
        memory = [state.memory_bytes for state in states]
        received = sum(state.bytes for state in states) - sum(state.bytes for state in before)
        written = sum(state.written_bytes for state in states) - sum(state.written_bytes for state in before)
        busiest, largest = cores.index(max(cores)), memory.index(max(memory))
        return [
            f"ranks {len(states)}",
            f"CPU mean {_mean(cores):.0%} most {cores[busiest]:.0%} (rank {busiest})",
            f"memory mean {size(round(_mean(memory)))} most {size(memory[largest])} (rank {largest})",
            f"received {size(round(received / since))}/s",
            f"written {size(round(written / since))}/s",
            *self._disk(),
        ]

    def _disk(self) -> list[str]:
        with suppress(OSError):
            disk = os.statvfs(self._session)
            return [f"disk free {size(disk.f_bavail * disk.f_frsize)}"]
        return []


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
