"""A time limit that holds even in C code, where no handler of Python's runs: a process beside this one keeps it."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from select import select

_MOMENT_SECONDS = 2.0
_ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


@contextmanager
def killed_after(seconds: float, last_words: Callable[[], bool]) -> Iterator[None]:
    """Within it this process is killed after so many seconds; it must have no threads yet.

    ``last_words`` is called before, in the process that keeps the limit.  If it returns False, this one has another
    moment: what it waits for may have happened.
    """
    reading, writing = os.pipe()
    watched = os.getpid()
    keeper = os.fork()
    if keeper == 0:
        try:
            os.close(writing)
            _keep(seconds, last_words, reading, watched)
        finally:
            os._exit(0)
    os.close(reading)
    try:
        yield
    finally:
        os.close(writing)
        os.waitpid(keeper, 0)


def _keep(seconds: float, last_words: Callable[[], bool], pipe: int, watched: int) -> None:
    """Kill the process unless the other end of the pipe is closed in time, which its end does, too."""
    for number in _ASKING:  # they are for the process itself
        signal.signal(number, signal.SIG_IGN)
    if select([pipe], [], [], seconds)[0]:
        return
    if last_words() or not select([pipe], [], [], _MOMENT_SECONDS)[0]:
        os.kill(watched, signal.SIGKILL)
