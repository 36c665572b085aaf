"""The ranks that this process has mpiexec run: signals go on to them, and a second one ends them, come what may.

Reads the clock: the time between two signals is the user's.
"""

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Timer
from time import monotonic
from types import FrameType

from crawler.process.end_at_once import ENDING, REPETITION_SECONDS
from crawler.process.process_tree import Process, kill_those_left, process_tree
from crawler.process.terminal import tell

_PR_SET_PDEATHSIG = 1
_PATIENCE_SECONDS = 3.5
"""So long ranks that are told to end at once have for it, and mpiexec to end those that do not answer."""
_LOOK_SECONDS = 0.2


class LaunchedRanks:
    """Ranks that were started by a ``command`` of mpiexec's.

    ``received`` are the numbers of the signals that have come.  ``forced_by`` is that of the second one, None without.
    ``suspended`` is told when this process is stopped by its terminal (SIGTSTP) and when it goes on.
    """

    def __init__(self, command: Sequence[str], suspended: Callable[[bool], object] | None = None) -> None:
        # In a session of its own mpiexec does not get the terminal's Ctrl-C beside the one that is passed on.
        self._launcher = subprocess.Popen(command, start_new_session=True, preexec_fn=_end_with_parent)
        self._first: float | None = None
        self._to_end: list[Process] = []
        self.received: list[int] = []
        self.forced_by: int | None = None
        _handle_by(self._on_signal)
        if suspended is not None:
            signal.signal(signal.SIGTSTP, lambda number, frame: _stop_after(suspended))
            signal.signal(signal.SIGCONT, lambda number, frame: suspended(False))

    def wait_while(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait until it is so no longer, or mpiexec has ended; False if that takes more than so many seconds."""
        until = monotonic() + seconds
        while is_so():
            try:
                self._launcher.wait(_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                if monotonic() >= until:
                    return False
            else:
                break
        return True

    def end(self) -> None:
        """End mpiexec and what it has started here, and have it end what it has started elsewhere."""
        tree = process_tree(self._launcher.pid)
        self._launcher.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._launcher.wait(_PATIENCE_SECONDS)
        kill_those_left(tree)
        self._launcher.wait()

    def wait(self) -> int:
        """Wait for them to end; mpiexec's exit code."""
        code = self._launcher.wait()
        kill_those_left(self._to_end)
        if self.forced_by is not None:  # a third one would take the exit code's place
            _handle_by(signal.SIG_IGN)
        return code

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Ask the ranks to stop when this process is asked to; end them when it is asked to a second time.

        Of all signals SIGUSR1 is the one that every launcher hands to the ranks without killing them soon after.
        """
        self.received.append(number)
        if not self._is_second(number):
            self._launcher.send_signal(signal.SIGUSR1)
        elif self.forced_by is None:
            self.forced_by = number
            tell("asked to stop a second time: the ranks end at once", err=True)
            self._launcher.send_signal(ENDING)
            self._to_end = process_tree(self._launcher.pid)
            timer = Timer(_PATIENCE_SECONDS, lambda: kill_those_left(self._to_end))
            timer.daemon = True
            timer.start()

    def _is_second(self, number: int) -> bool:
        if number == signal.SIGUSR1:
            return False
        now = monotonic()
        if self._first is None:
            self._first = now
            return False
        return now - self._first >= REPETITION_SECONDS


def _stop_after(suspended: Callable[[bool], object]) -> None:
    """Stop this process, as SIGTSTP would have, so that the shell that has started it is free."""
    suspended(True)
    os.kill(os.getpid(), signal.SIGSTOP)


def _handle_by(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT):
        signal.signal(number, handler)


def _end_with_parent() -> None:
    """Have the kernel tell this process when its parent dies, however it dies, so that the crawl ends in order."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGUSR1)
