"""What rank 0 shows while the crawl goes on: a live table on a terminal, a plain line every few seconds elsewhere."""

import os
import sys
from collections.abc import Sequence

from crawler.exchange.verdict import Status
from crawler.network.web import ERROR_KINDS
from crawler.process.terminal import tell

TERMINAL_VARIABLE = "CUTWEB_TERMINAL"
"""Set by the process that started mpiexec if it sits at a terminal, which the ranks themselves cannot see."""
_PLAIN_SECONDS = 5.0
_LIVE_SECONDS = 0.5


class ProgressDisplay:
    """Shows the states of all ranks on standard error.  `show` may be called as often as one likes.

    Where time is virtual there may be much of it: nothing is shown before that ``share`` of it has been added.
    ``before`` are pages that earlier runs of the session have fetched.
    """

    def __init__(self, share: float = 0.0, *, before: int = 0) -> None:
        self._share = share
        self._before = before
        is_terminal = sys.stderr.isatty() or TERMINAL_VARIABLE in os.environ
        self._live = None
        if is_terminal:
            from crawler.monitoring.live_figures import LiveFigures  # loading rich takes as long as many other rooms

            self._live = LiveFigures()
        self._interval = _LIVE_SECONDS if is_terminal else _PLAIN_SECONDS
        self._shown_at = 0.0
        self._pages_then = 0

    def show(self, states: Sequence[Status], *, is_last: bool = False) -> None:
        """Show the ranks' states, if it is time to."""
        seconds = states[0].milliseconds / 1000
        since = seconds - self._shown_at
        if since < max(self._interval, self._share * self._shown_at) and not is_last:
            return
        pages = sum(rank.pages for rank in states)
        rate = (pages - self._pages_then) / since if since and not is_last else pages / (seconds or 1)
        shown = figures(states, rate, self._before)
        if self._live is not None:
            self._live.show(f"cutweb, {len(states)} ranks, {elapsed(seconds)}", shown)
        else:
            tell(self._line(seconds, shown), err=True)
        self._shown_at, self._pages_then = seconds, pages

    def close(self) -> None:
        """Leave the last state on the screen."""
        if self._live is not None:
            self._live.close()

    def _line(self, seconds: float, shown: Sequence[tuple[str, str]]) -> str:
        time = f"virtual {elapsed(seconds)}" if self._share else elapsed(seconds)
        return "  ".join([time, *(f"{name} {text}" for name, text in shown)])


def figures(states: Sequence[Status], rate: float, before: int = 0) -> list[tuple[str, str]]:
    """The figures worth watching, over all ranks: name and text."""
    busy = [rank for rank, state in enumerate(states) if state.pages or state.queued or state.in_flight]
    slowest = min(busy, key=lambda rank: states[rank].pages, default=0)
    idle = len(states) - len(busy)
    is_paused = any(state.has_paused_sites for state in states)
    return [
        ("pages", f"{sum(rank.pages for rank in states):,}" + (f" (after {before:,} earlier)" if before else "")),
        ("pages/s", f"{rate:,.0f}"),
        ("received", _bytes(sum(rank.bytes for rank in states))),
        ("frontier", f"{sum(rank.queued for rank in states):,}" + (", rules pause sites" if is_paused else "")),
        ("in flight", f"{sum(rank.in_flight for rank in states):,}"),
        ("exchanged", _bytes(sum(rank.wire_bytes for rank in states))),
        ("errors", _errors(states)),
        ("slowest rank", f"{slowest} ({states[slowest].pages:,} pages)" + (f", {idle:,} idle" if idle else "")),
    ]


def _errors(states: Sequence[Status]) -> str:
    totals = [sum(counts) for counts in zip(*(rank.errors for rank in states), strict=True)]
    kinds = [f"{kind} {count:,}" for kind, count in zip(ERROR_KINDS, totals, strict=True) if count]
    return ", ".join(kinds) or "none"


def elapsed(seconds: float) -> str:
    """A time span as hours, minutes and seconds."""
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:d}:{minutes:02d}:{seconds:02d}"


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
