"""Ending a rank within seconds, whatever its main thread does: it may hang in C code, or wait for ranks that hang.

A second signal that asks to stop does so.  Python's handlers run between two steps of the main thread's Python code;
but which signals come is also written to a pipe (`signal.set_wakeup_fd`), and a thread reads that.  Launchers repeat
signals within moments (`timeout` to a process and to its group, Slurm to ranks and by mpiexec), so a signal is a second
one only some time after the first.  SIGUSR2 is from `cutweb crawl --ranks`, which knows better, and needs no first.

The thread also ends a rank whose launcher is gone, when nobody else would.

Reads the clock: the time between two signals is the user's.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from select import select
from threading import Thread
from time import monotonic
from typing import Any, NoReturn

from crawler.process.exit_codes import BY_SIGNAL, ExitCode
from crawler.process.terminal import tell
from sessions.storage.temporary_folder import leave_nothing

ENDING = signal.SIGUSR2
REPETITION_SECONDS = 1.0
"""A signal that comes so soon after the first one repeats it."""
_ASKING = (signal.SIGTERM, signal.SIGINT)
_LOOK_SECONDS = 1.0
_LAST_WORDS_SECONDS = 2.0


def end_at_once(words: Callable[[], str], code: int, abort: Callable[[int], object]) -> NoReturn:
    """End this process with an exit code, having said the words and told all other ranks to end by ``abort``.

    What does not come to an end within some seconds, because a disk or MPI does not answer, is left undone.
    """

    def leave() -> None:
        if said := words():
            tell(said, err=True)
        leave_nothing()
        abort(code)

    thread = Thread(target=leave, daemon=True)
    thread.start()
    thread.join(_LAST_WORDS_SECONDS)
    os._exit(code)


def abort_of(comm: Any) -> Callable[[int], object]:
    """What ends all ranks of a communicator with an exit code; for a rank that is alone, nothing."""
    return comm.Abort if comm.size > 1 else lambda code: None


@contextmanager
def ending_on_second_signal(name: str, abort: Callable[[int], object], *, has_launcher: bool) -> Iterator[None]:
    """Within it a second SIGTERM or SIGINT ends this process, as does SIGUSR2; ``name`` is whose words these are.

    To be entered by the main thread.  If it ``has_launcher``, it ends, too, when the process that started it is gone.
    """
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    handler = signal.signal(ENDING, lambda number, frame: None)  # without one nothing would be written to the pipe
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    watch = _Watch(name, abort, reading, os.getppid() if has_launcher else None)
    watch.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(ENDING, handler)
        os.close(writing)
        watch.join()
        os.close(reading)


class _Watch(Thread):
    """The thread that reads which signals have come."""

    def __init__(self, name: str, abort: Callable[[int], object], pipe: int, launcher: int | None) -> None:
        super().__init__(daemon=True)
        self._words_of = name
        self._abort = abort
        self._pipe = pipe
        self._launcher = launcher
        self._first: float | None = None

    def run(self) -> None:
        while True:
            if select([self._pipe], [], [], _LOOK_SECONDS)[0]:
                came = os.read(self._pipe, 64)
                if not came:
                    return
                for number in came:
                    self._take(number)
            if self._launcher is not None and os.getppid() != self._launcher:
                self._end("the process that started it is gone: it ends, too", ExitCode.FAILED)

    def _take(self, number: int) -> None:
        now = monotonic()
        if number == ENDING:
            self._end("told to end at once", BY_SIGNAL + number)
        if number not in _ASKING:
            return
        if self._first is None:
            self._first = now
        elif now - self._first >= REPETITION_SECONDS:
            self._end("asked to stop a second time: it ends at once", BY_SIGNAL + number)

    def _end(self, why: str, code: int) -> NoReturn:
        end_at_once(lambda: f"{self._words_of}: {why}; what was committed is kept", code, self._abort)
