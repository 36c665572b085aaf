"""Leaving a command on SIGTERM or Ctrl-C when C code may be in the way.

METIS catches SIGTERM for as long as it runs: the signal is lost, or if another thread gets it the process crashes.  And
a thread that is deep in C code cannot be told to stop.  So all threads block the signals and one waits for them.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread, main_thread
from time import sleep
from types import FrameType

_SIGNALS = {signal.SIGTERM, signal.SIGINT}
_WAKING = signal.SIGUSR2
_GRACE = 3.0


@contextmanager
def leaving_on_signals(grace: float = _GRACE) -> Iterator[None]:
    """Within it SIGTERM and Ctrl-C raise SystemExit(128 + number) in the main thread, whatever C code does.

    If the process has not ended ``grace`` seconds later, because it waits for other threads, it is ended; what must
    be cleaned up must be up to the main thread, and quick.  To be entered by the main thread before libraries with
    threads of their own (numpy) are loaded: those threads must have the signals blocked, too.
    """
    watch = _Watch(grace)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    kept = signal.signal(_WAKING, watch.leave)
    watch.start()
    try:
        yield
    finally:
        watch.end()
        signal.signal(_WAKING, kept)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class _Watch(Thread):
    """The thread that waits for a signal."""

    def __init__(self, grace: float) -> None:
        super().__init__(daemon=True)
        self._grace = grace
        self._has_left = Event()
        self._code = 0

    def run(self) -> None:
        number = signal.sigwait(_SIGNALS)
        if self._has_left.is_set():
            return
        self._code = 128 + number
        # A lock that the main thread waits for lets go only for a signal.
        signal.pthread_kill(main_thread().ident or 0, _WAKING)
        # Even when the block has been left, the interpreter would wait for threads before it ends.
        sleep(self._grace)
        os._exit(self._code)

    def leave(self, _number: int, _frame: FrameType | None) -> None:
        """The handler of the waking signal, which the main thread runs."""
        raise SystemExit(self._code or 128 + _WAKING)

    def end(self) -> None:
        """End the thread, unless a signal came: then the process ends."""
        self._has_left.set()
        if not self._code and self.ident:
            signal.pthread_kill(self.ident, signal.SIGTERM)
            self.join()
