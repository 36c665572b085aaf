"""Leaving a command on SIGTERM, Ctrl-C or the terminal's end when C code may be in the way.

METIS catches SIGTERM for as long as it runs: the signal is lost, or if another thread gets it the process crashes.  And
a thread that is deep in C code cannot be told to stop.  So all threads block the signals and one waits for them.

Reads the clock: a signal handler waits with it; no crawl runs meanwhile.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread, main_thread
from time import sleep
from types import FrameType

from sessions.storage.temporary_folder import leave_nothing

_MAYBE_IGNORED = (signal.SIGINT, signal.SIGHUP)
_WAKING = signal.SIGUSR2
_GRACE = 3.0


@contextmanager
def leaving_on_signals(grace: float = _GRACE, *, also: Sequence[signal.Signals] = ()) -> Iterator[None]:
    """Within it SIGTERM, SIGINT and SIGHUP raise SystemExit(128 + number) in the main thread, whatever C code does.

    SIGINT and SIGHUP that are ignored (nohup) stay so.  ``also`` are further signals that do the same.

    If the process has not ended ``grace`` seconds later, because it waits for other threads, it is ended, and nothing
    is cleaned up but folders of `sessions.storage.temporary_folder`.  To be entered by the main thread before libraries
    with threads of their own (numpy) are loaded: those threads must have the signals blocked, too.
    """
    signals = {
        signal.SIGTERM,
        *also,
        *(number for number in _MAYBE_IGNORED if signal.getsignal(number) != signal.SIG_IGN),
    }
    watch = _Watch(signals, grace)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    # Someone may unblock them again, as multiprocessing does when it starts its first process.
    kept = {number: signal.signal(number, watch.leave) for number in (_WAKING, *signals)}
    watch.start()
    try:
        yield
    finally:
        watch.end()
        for number, handler in kept.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class _Watch(Thread):
    """The thread that waits for a signal."""

    def __init__(self, signals: set[signal.Signals], grace: float) -> None:
        super().__init__(daemon=True)
        self._signals = signals
        self._grace = grace
        self._has_left = Event()
        self._code = 0

    def run(self) -> None:
        number = signal.sigwait(self._signals)
        if self._has_left.is_set():
            return
        self._code = 128 + number
        # A lock that the main thread waits for lets go only for a signal.
        signal.pthread_kill(main_thread().ident or 0, _WAKING)
        # Even when the block has been left, the interpreter would wait for threads before it ends.
        sleep(self._grace)
        leave_nothing()
        os._exit(self._code)

    def leave(self, number: int, _frame: FrameType | None) -> None:
        """The handler of the waking signal and of the others, which the main thread runs."""
        raise SystemExit(self._code or 128 + number)

    def end(self) -> None:
        """End the thread, unless a signal came: then the process ends."""
        self._has_left.set()
        if not self._code and self.ident:
            signal.pthread_kill(self.ident, signal.SIGTERM)
            self.join()
