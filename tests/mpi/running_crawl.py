"""A crawl by three ranks that would take minutes, for tests that send it signals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from crawler.process.process_tree import process_tree
from tests.mpi.conftest import PATIENCE_SECONDS, environment


def ranks_of(session: Path) -> dict[int, int]:
    """Process ids of the living ranks of a crawl into this folder on this machine, by rank."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            set_to = dict(word.split(b"=", 1) for word in (folder / "environ").read_bytes().split(b"\0") if word)
        except (OSError, ValueError):
            continue
        if str(session).encode() in words and b"PMI_RANK" in set_to:
            found[int(set_to[b"PMI_RANK"])] = int(folder.name)
    return found


class RunningCrawl:
    """Started by `cutweb crawl --ranks`, with ``more`` options; its session is ``out``."""

    def __init__(self, arguments: list[str], out: Path, *more: str) -> None:
        self.out = out
        self._said, self._complained = out.with_suffix(".out"), out.with_suffix(".err")
        command = [sys.executable, *arguments, "--ranks", "3", "--delay", "0.5", "--out", str(out), *more]
        with self._said.open("w") as said, self._complained.open("w") as complained:
            self.process = subprocess.Popen(command, stdout=said, stderr=complained, env=environment())

    @property
    def said(self) -> str:
        """What it has written to standard output."""
        return self._said.read_text()

    @property
    def complained(self) -> str:
        """What it has written to standard error."""
        return self._complained.read_text()

    def wait_for(self, what: str, is_there: Callable[[], object]) -> None:
        """Wait until something is there, while the crawl goes on."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_there():
            assert self.process.poll() is None, self.complained
            assert time.monotonic() < deadline, f"no {what}: {self.complained}"
            time.sleep(0.05)

    def wait_for_an_epoch(self) -> None:
        """Wait until pages were committed."""
        self.wait_for("second epoch", lambda: list(self.out.glob("epochs/000002.json")))

    def wait(self) -> int:
        """Wait for its end; the exit code."""
        return self.process.wait(PATIENCE_SECONDS)

    def tree(self) -> list[int]:
        """The process that was started and all that it has started."""
        return [process.pid for process in process_tree(self.process.pid)]

    def ranks(self) -> list[int]:
        """Process ids of the ranks that live, whoever their parent is by now, in their order."""
        found = ranks_of(self.out)
        return [found[rank] for rank in sorted(found)]

    def stop_rank(self, rank: int) -> None:
        """Have a rank hang."""
        os.kill(self.ranks()[rank], signal.SIGSTOP)

    def kill_all(self) -> None:
        """Leave nothing behind."""
        for pid in (*self.tree(), *self.ranks()):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
