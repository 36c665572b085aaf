"""Signals that ask a crawl to stop, from its first moment on.

A rank that is waiting for others, or loading what it needs, must not be ended by one: others would wait for it in
vain, and what it has begun would be left behind.  So signals are held (`hold_stops`) until there is something that
can stop: the making of a plan (`leaving_if_stopped`) until it takes a session for itself (`leave_no_more`), then the
crawl (`StopSignal`).  They may come any number of times; what a second one does is up to `crawler.process.end_at_once`.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from crawler.process.exit_codes import BY_SIGNAL
from crawler.process.mpi_environment import is_launched

_ASKING = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
_held: list[int] = []
_received: list[int] = []
_stays = False
_is_early = False


def hold_early() -> None:
    """Hold signals of a rank that has yet to load what it needs: SIGUSR1 would end it, and all others with it."""
    global _is_early
    if is_launched(os.environ):
        hold_stops()
        _is_early = True


def hold_stops() -> None:
    """From now on, signals of this process that ask to stop wait for what can."""
    global _is_early
    if not _is_early:
        _held.clear()
        _received.clear()
    _is_early = False
    _handle_by(_hold)


def first_received() -> int:
    """The number of the first signal that asked this process to stop since `hold_stops`; 0 if none did."""
    return _received[0] if _received else 0


@contextmanager
def leaving_if_stopped() -> Iterator[None]:
    """Within it SystemExit(128 + number) is raised when a signal comes, or has come and was held; further ones wait."""

    global _stays
    _stays = False

    def leave(number: int, _frame: FrameType | None) -> None:
        _received.append(number)
        if _stays:
            _hold(number, None)
            return
        _handle_by(_hold)  # launchers repeat signals, and cleaning up takes time
        raise SystemExit(BY_SIGNAL + number)

    handlers = [signal.getsignal(number) for number in _ASKING]
    try:
        _handle_by(leave)
        if _held:
            leave(_held[0], None)
        yield
    finally:
        for number, handler in zip(_ASKING, handlers, strict=True):
            signal.signal(number, handler)


def leave_no_more() -> None:
    """From here on signals wait even within `leaving_if_stopped`: what now begins is to end in order."""
    global _stays
    _stays = True


class StopSignal:
    """Set by SIGTERM, SIGUSR1 or SIGINT: the crawl then ends at the next exchange, with everything committed."""

    def __init__(self) -> None:
        self.is_set = False

    def listen(self) -> None:
        """Take over the signals of this process, and what was held of them."""
        _handle_by(self._on_signal)
        for number in _held:
            self._on_signal(number, None)
        _held.clear()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        _received.append(number)
        self.is_set = True


def signals() -> StopSignal:
    """What the signals of this process set from now on."""
    stop = StopSignal()
    stop.listen()
    return stop


def _hold(number: int, _frame: FrameType | None) -> None:
    _received.append(number)
    _held.append(number)


def _handle_by(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in _ASKING:
        signal.signal(number, handler)
