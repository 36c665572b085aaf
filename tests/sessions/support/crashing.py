"""A machine that stops at any file operation, and may forget what was not brought to disk."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

OPERATIONS = ("fsync", "link", "rename", "unlink", "rmdir", "mkdir", "ftruncate")


class CrashError(BaseException):
    """The machine has stopped: nothing that the program does about it reaches the disk."""


class CrashingMachine:
    """Stops at the file operation after ``fuse`` others; ``operations`` counts those before.

    With ``forgets``, what a file or folder was to be synced for is lost if it stops there: of the bytes that a file
    below ``folder`` got meanwhile half are lost, and a folder does not have the name that was made in it last.
    """

    def __init__(self, folder: Path, fuse: int, *, forgets: bool = False) -> None:
        self.operations = 0
        self._fuse = fuse
        self._forgets = forgets
        self._has_stopped = False
        self._lengths = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
        self._undo: Callable[[], object] = lambda: None
        self._real = {name: getattr(os, name) for name in OPERATIONS}

    @contextmanager
    def running(self) -> Iterator[None]:
        """Take the place of the operating system's functions."""
        with mock.patch.multiple(os, **{name: self._standing_in(name) for name in OPERATIONS}):
            yield

    def survives(self, work: Callable[[], object]) -> bool:
        """Do something; False if the machine stopped at it."""
        try:
            with self.running():
                work()
        except CrashError:
            return False
        return True

    def _standing_in(self, name: str) -> Callable[..., Any]:
        def operation(*arguments: Any, **options: Any) -> Any:
            if self._has_stopped or self.operations >= self._fuse:
                if self._forgets and not self._has_stopped and name == "fsync":
                    self._forget(*arguments)
                self._has_stopped = True
                raise CrashError
            self.operations += 1
            self._note(name, *arguments)
            return self._real[name](*arguments, **options)

        return operation

    def _note(self, name: str, *arguments: Any) -> None:
        """Know how to undo a new name that no folder was synced for."""
        if name == "fsync":
            self._undo = lambda: None
        elif name == "link":
            self._undo = lambda: Path(arguments[1]).unlink(missing_ok=True)
        elif name == "rename":
            target = Path(arguments[1])
            before = target.read_bytes() if target.is_file() else None
            self._undo = lambda: target.unlink() if before is None else target.write_bytes(before)

    def _forget(self, descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").resolve()
        if path.is_file():
            before = self._lengths.get(path, 0)
            self._real["ftruncate"](descriptor, (before + os.fstat(descriptor).st_size) // 2)
        else:
            with mock.patch.multiple(os, **self._real):
                self._undo()
