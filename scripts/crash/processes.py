"""The processes of one crawl, whoever started which, and the signals that hit them."""

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

_MARK = "CUTWEB_CRASH_ATTEMPT"
_RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
_LONGEST_SECONDS = 180.0
_GONE_SECONDS = 20.0
_POLL_SECONDS = 0.01


class StuckError(Exception):
    """Processes that should have ended have not."""


class Crawl:
    """``cutweb crawl`` and all that it starts: each has a mark in its environment.

    ``place`` is the path, without a suffix, of the files it writes to, and that mark.
    """

    def __init__(self, command: list[str], place: Path, environment: Mapping[str, str]) -> None:
        self._mark = f"{_MARK}={place}".encode()
        self._said, self._complained = place.with_suffix(".out"), place.with_suffix(".err")
        with self._said.open("wb") as out, self._complained.open("wb") as err:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**environment, _MARK: str(place)},
                start_new_session=True,
            )
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since it was started."""
        return time.monotonic() - self.began

    @property
    def code(self) -> int | None:
        """The exit code, None while it runs."""
        return self._process.poll()

    @property
    def said(self) -> str:
        """What it has written to standard output."""
        return self._said.read_text(errors="replace")

    @property
    def complained(self) -> str:
        """What it has written to standard error."""
        return self._complained.read_text(errors="replace")

    def ask(self, name: str) -> None:
        """Send a signal to ``cutweb crawl`` itself."""
        self._process.send_signal(signal.Signals[name])

    def kill_launcher(self) -> None:
        """SIGKILL ``cutweb crawl``."""
        self._process.kill()

    def kill_mpiexec(self) -> None:
        """SIGKILL what ``cutweb crawl`` has started, if it has."""
        _send(signal.SIGKILL, (process for process in self._all() if _parent(process) == self._process.pid))

    def kill_rank(self, rank: int) -> None:
        """SIGKILL one rank; the whole crawl if it has no ranks yet."""
        _send(signal.SIGKILL, self._rank(rank))

    def kill_all(self) -> None:
        """SIGKILL all processes, as nearly at once as can be."""
        processes = self._all()
        _send(signal.SIGSTOP, processes)
        _send(signal.SIGKILL, {*processes, *self._all()})

    def stop(self, rank: int) -> None:
        """SIGSTOP one rank."""
        _send(signal.SIGSTOP, self._rank(rank))

    def go_on(self) -> None:
        """SIGCONT all processes."""
        _send(signal.SIGCONT, self._all())

    def wait(self) -> int:
        """Wait for ``cutweb crawl`` to end: its exit code.  Raises StuckError, having killed it, after too long."""
        try:
            return self._process.wait(_LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill_all()
            self._process.wait()
            raise StuckError(f"the crawl has not ended after {_LONGEST_SECONDS:.0f} s") from None

    def wait_until_gone(self) -> None:
        """Wait for all processes to end.  Raises StuckError, having killed them, if that takes too long."""
        deadline = time.monotonic() + _GONE_SECONDS
        self._process.poll()
        while self._all():
            if time.monotonic() > deadline:
                left = [_words(process) for process in self._all()]
                self.kill_all()
                self._process.wait()
                raise StuckError(f"after {_GONE_SECONDS:.0f} s there are still {left}")
            time.sleep(_POLL_SECONDS)
            self._process.poll()
        self._process.wait()

    def _rank(self, rank: int) -> set[int]:
        processes = self._all()
        ranks = {number: process for process in processes if (number := _rank_of(process)) is not None}
        return {ranks[rank]} if rank in ranks else processes

    def _all(self) -> set[int]:
        return {
            int(folder.name)
            for folder in Path("/proc").glob("[0-9]*")
            if self._mark in _content(folder / "environ").split(b"\0") and not _is_dead(folder)
        }


def _rank_of(process: int) -> int | None:
    variables = dict(
        entry.split("=", 1)
        for entry in _content(Path("/proc", str(process), "environ")).decode(errors="replace").split("\0")
        if "=" in entry
    )
    return next((int(variables[name]) for name in _RANK_VARIABLES if name in variables), None)


def _parent(process: int) -> int:
    fields = _stat(Path("/proc", str(process)))
    return int(fields[1]) if fields else 0


def _is_dead(folder: Path) -> bool:
    return _stat(folder)[:1] in ([], ["Z"], ["X"])


def _stat(folder: Path) -> list[str]:
    """The fields of a process after its name, state first; none if it is gone."""
    return _content(folder / "stat").decode(errors="replace").rpartition(")")[2].split()


def _words(process: int) -> str:
    return _content(Path("/proc", str(process), "cmdline")).replace(b"\0", b" ").decode(errors="replace")[:200]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _send(number: int, processes: Iterable[int]) -> None:
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            continue
