"""A journal of what a process does to the files below a folder, one entry for each operation of the file system.

Within `Journal.kept` the functions of `os` and `open` that change files are replaced by ones that do the same and
write it down, so that `full_disk` can say what was on disk before any of them.  Files that C libraries write by
themselves are not seen: `full_disk.Disk.differences` finds them.  An operation can also be made to fail.
"""

import builtins
import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

_BY_PATH = ("unlink", "remove", "mkdir", "rmdir", "truncate")
_BY_TWO_PATHS = ("link", "rename", "replace")
_WRITING = os.O_WRONLY | os.O_RDWR


class Operation(NamedTuple):
    """One change of what is on disk, or an fsync of a file or folder.

    ``kind`` is create, write, truncate, fsync, link, rename, unlink, mkdir or rmdir; or mark, which says in ``path``
    what the process has done.  Paths are relative to the journal's folder; ``target`` is the new name of a link or
    rename; ``number`` is the offset of a write, or the new length; ``time`` is that of the machine, in nanoseconds.
    """

    kind: str
    path: str
    target: str = ""
    number: int = 0
    data: bytes = b""
    time: int = 0


class Journal:
    """Keeps ``operations`` on files below ``root``.

    ``before`` is called with each operation's kind and whole path before it is done, and may raise OSError instead.
    """

    def __init__(self, root: Path, before: Callable[[str, str], None] | None = None) -> None:
        self.operations: list[Operation] = []
        self._root = str(root.resolve())
        self._before = before
        self._real = {name: getattr(os, name) for name in (*_BY_PATH, *_BY_TWO_PATHS, "open", "fsync", "ftruncate")}
        self._real |= {name: getattr(os, name) for name in ("write", "pwrite")}
        self._open = io.open

    @contextmanager
    def kept(self) -> Iterator["Journal"]:
        """Take the place of the operating system's functions."""
        stand_ins: dict[str, Any] = {name: self._by_path(name) for name in _BY_PATH}
        stand_ins |= {name: self._by_two_paths(name) for name in _BY_TWO_PATHS}
        stand_ins |= {"open": self._os_open, "fsync": self._fsync, "ftruncate": self._ftruncate}
        stand_ins |= {"write": self._write, "pwrite": self._pwrite}
        with ExitStack() as stack:
            stack.enter_context(mock.patch.multiple(os, **stand_ins))
            stack.enter_context(mock.patch.object(io, "open", self._file_open))
            stack.enter_context(mock.patch.object(builtins, "open", self._file_open))
            yield self

    def mark(self, what: str) -> None:
        """Note what the process has done."""
        self.operations.append(Operation("mark", what, time=_now()))

    def begin(self, kind: str, path: str | None) -> None:
        """Say that an operation is about to be done; raises what ``before`` raises."""
        if self._before is not None and path is not None:
            self._before(kind, os.path.join(self._root, path))

    def note(self, kind: str, path: str | None, target: str | None = "", number: int = 0, data: bytes = b"") -> None:
        """Note an operation that was done."""
        if path is not None:
            self.operations.append(Operation(kind, path, target or "", number, data, _now()))

    def relative(self, path: Any, dir_fd: int | None = None) -> str | None:
        """A path as the journal has it; None for one outside the folder."""
        if isinstance(path, int):
            return self.of_descriptor(path)
        above = os.readlink(f"/proc/self/fd/{dir_fd}") if dir_fd is not None else os.getcwd()
        whole = os.path.normpath(os.path.join(above, os.fsdecode(path)))
        return os.path.relpath(whole, self._root) if whole.startswith(f"{self._root}/") or whole == self._root else None

    def of_descriptor(self, descriptor: int) -> str | None:
        """The path of an open file; None for one that was removed, or lies outside the folder."""
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        return None if path.endswith(" (deleted)") else self.relative(path)

    def _by_path(self, name: str) -> Callable[..., None]:
        kind = {"remove": "unlink"}.get(name, name)

        def operation(path: Any, *arguments: Any, dir_fd: int | None = None, **options: Any) -> None:
            place = self.relative(path, dir_fd)
            self.begin(kind, place)
            more = {} if dir_fd is None else {"dir_fd": dir_fd}
            self._real[name](path, *arguments, **options, **more)
            self.note(kind, place, number=arguments[0] if name == "truncate" else 0)

        return operation

    def _by_two_paths(self, name: str) -> Callable[..., None]:
        kind = {"replace": "rename"}.get(name, name)

        def operation(source: Any, target: Any, **options: Any) -> None:
            place = self.relative(source)
            self.begin(kind, place)
            self._real[name](source, target, **options)
            self.note(kind, place, self.relative(target))

        return operation

    def _os_open(self, path: Any, flags: int, *arguments: Any, dir_fd: int | None = None, **options: Any) -> int:
        place = self.relative(path, dir_fd)
        if flags & _WRITING:
            self.begin("create", place)
        is_there = os.path.lexists(path)
        descriptor: int = self._real["open"](path, flags, *arguments, dir_fd=dir_fd, **options)
        if flags & _WRITING and (not is_there or flags & os.O_TRUNC):
            self.note("create", place)
        return descriptor

    def _fsync(self, file: Any) -> None:
        descriptor = file if isinstance(file, int) else file.fileno()
        place = self.of_descriptor(descriptor)
        self.begin("fsync", place)
        self._real["fsync"](descriptor)
        self.note("fsync", place)

    def _ftruncate(self, descriptor: int, length: int) -> None:
        place = self.of_descriptor(descriptor)
        self.begin("truncate", place)
        self._real["ftruncate"](descriptor, length)
        self.note("truncate", place, number=length)

    def _write(self, descriptor: int, data: Any) -> int:
        place = self._place_of(descriptor)
        self.begin("write", place)
        written: int = self._real["write"](descriptor, data)
        if place is not None:
            self.note("write", place, number=os.lseek(descriptor, 0, os.SEEK_CUR) - written, data=bytes(data)[:written])
        return written

    def _pwrite(self, descriptor: int, data: Any, offset: int) -> int:
        place = self._place_of(descriptor)
        self.begin("write", place)
        written: int = self._real["pwrite"](descriptor, data, offset)
        self.note("write", place, number=offset, data=bytes(data)[:written])
        return written

    def _place_of(self, descriptor: int) -> str | None:
        try:
            return self.of_descriptor(descriptor)
        except OSError:
            return None

    def _file_open(self, file: Any, mode: str = "r", buffering: int = -1, *arguments: Any, **options: Any) -> Any:
        if isinstance(file, int) or not set(mode) & set("wax+") or self.relative(file) is None:
            return self._open(file, mode, buffering, *arguments, **options)
        raw = _File(self, file, mode.replace("b", "").replace("t", ""))
        if not buffering:
            return raw
        size = buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE
        buffer = io.BufferedRandom(raw, size) if "+" in mode else io.BufferedWriter(raw, size)
        if "b" in mode:
            return buffer
        return io.TextIOWrapper(buffer, *arguments, **options, line_buffering=buffering == 1)


class _File(io.FileIO):
    """A file that is written to; its writes are noted."""

    def __init__(self, journal: Journal, path: Any, mode: str) -> None:
        self._journal = journal
        place = journal.relative(path)
        journal.begin("create", place)
        is_there = os.path.lexists(path)
        super().__init__(path, mode)
        if not is_there or "w" in mode:
            journal.note("create", place)

    def write(self, data: Any) -> int:
        place = self._journal.of_descriptor(self.fileno())
        self._journal.begin("write", place)
        written = super().write(data)
        self._journal.note("write", place, number=self.tell() - written, data=bytes(data)[:written])
        return written

    def truncate(self, length: int | None = None) -> int:
        place = self._journal.of_descriptor(self.fileno())
        self._journal.begin("truncate", place)
        left = super().truncate(length)
        self._journal.note("truncate", place, number=left)
        return left


def _now() -> int:
    return time.monotonic_ns()
