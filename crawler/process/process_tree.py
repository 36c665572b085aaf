"""The processes that a process has started, and those that these have started: on this machine, from /proc (Linux)."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_DEAD = ("Z", "X")
"""States of processes that are gone, though their parent may never ask for them (proc(5))."""


class Process(NamedTuple):
    """A process: its number, which another may get later, and when it began, in ticks since the machine did."""

    pid: int
    began: int


def process_tree(root: int) -> list[Process]:
    """The process ``root`` and all that descend from it, it first; none if it is gone, waited for or not."""
    children: dict[int, list[int]] = {}
    began: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name before may hold anything, blanks and brackets too.
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
            if fields[0] in _DEAD:
                continue
            pid = int(path.parent.name)
            children.setdefault(int(fields[1]), []).append(pid)
            began[pid] = int(fields[19])
    found = [root] if root in began else []
    for pid in found:
        found += children.get(pid, [])
    return [Process(pid, began[pid]) for pid in found]


def kill_those_left(tree: list[Process]) -> None:
    """Kill the processes of a tree that was looked up before, as far as they are there still; its root last."""
    for process in reversed(tree):
        if process in process_tree(process.pid)[:1]:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
