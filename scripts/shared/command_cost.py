"""What a ``cutweb`` command, or the opening of a session, costs in a process of its own.

Reads the clock: the room that a command takes is looked at while it runs.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_POLL_SECONDS = 0.02
_MEASURED = """
import sys
from sessions.peak_memory import peak_memory
if sys.argv[1] == "open":
    from sessions.session import Session
    session = [Session.open(path) for path in sys.argv[2:]]
else:
    from crawler.main import cutweb
    try:
        cutweb.main(sys.argv[1:], standalone_mode=True)
    except SystemExit as leaving:
        if leaving.code:
            raise
print()
print(peak_memory())
"""
"""Runs a command, or opens sessions, none or one, and prints the most memory that the process held."""


class Cost(NamedTuple):
    """Seconds of the processors, and the most megabytes that the process held."""

    seconds: float
    megabytes: float


def cost_of(*words: str, meanwhile: Callable[[], object] = lambda: None) -> Cost:
    """The cost of a command; ``meanwhile`` is called now and then until it ends."""
    child = subprocess.Popen([sys.executable, "-c", _MEASURED, *words], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        meanwhile()
        time.sleep(_POLL_SECONDS)
    said = child.stdout.read().splitlines()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(words)} ended with exit code {child.returncode}")
    return Cost(used.ru_utime + used.ru_stime, int(said[-1]) / 1e6)


def bytes_in(folder: Path) -> int:
    """The bytes of all files in a folder."""
    count = 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                count += os.stat(os.path.join(above, name)).st_size
            except FileNotFoundError:  # it has got its name, or is gone
                continue
    return count
