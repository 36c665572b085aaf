"""A disk that crashes: before any file operation, in the middle of a write, and then forgets what was not synced."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from crawler.drum import disk_files

OPERATIONS = ("write_at", "sync", "start_writing", "truncate", "remove", "make_folder")


class CrashError(Exception):
    """The machine has stopped."""


class CrashingDisk:
    """Stands in for `crawler.drum.disk_files` in one folder while it is `started`.

    ``fuse`` is how many more operations there will be before a crash, None for no crash.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fuse: int | None = None
        self.operations = 0
        self._synced: dict[str, int] = {}
        self._durable_names: set[str] = set()
        self._originals = {name: getattr(disk_files, name) for name in OPERATIONS}
        self._patch = mock.patch.multiple(disk_files, **{name: self._standing_in(name) for name in OPERATIONS})

    def start(self) -> None:
        """Take the place of the file operations."""
        self._patch.start()

    def stop(self) -> None:
        """Give it back."""
        self._patch.stop()

    def crash(self, chance: random.Random) -> None:
        """Lose what was not synced: names, and bytes beyond what was."""
        self.fuse = None
        for path in sorted(self.folder.glob("*")):
            if path.name not in self._durable_names and chance.random() < 0.5:
                path.unlink()
                continue
            size, synced = path.stat().st_size, self._synced.get(path.name, 0)
            if size > synced:
                lost = chance.choice([b"", chance.randbytes(size - synced), bytes(size - synced), None])
                if lost is not None:
                    path.write_bytes(path.read_bytes()[:synced] + lost)
        self._synced = {path.name: path.stat().st_size for path in self.folder.glob("*")}
        self._durable_names = set(self._synced)

    def contents(self, record: Mapping[str, Any] | None) -> dict[str, bytes]:
        """The bytes that a record of a commit vouches for, by file."""
        named = record["files"] if record else {}
        return {name: (self.folder / name).read_bytes()[:length] for name, (length, _) in named.items()}

    def _standing_in(self, name: str) -> Any:
        def operation(*arguments: Any) -> None:
            self.operations += 1
            if self.fuse is not None:
                if self.fuse <= 0:
                    if name == "write_at":
                        path, offset, data = arguments
                        self._originals[name](path, offset, data[: len(data) // 2])
                    raise CrashError
                self.fuse -= 1
            self._originals[name](*arguments)
            self._note(name, *arguments)

        return operation

    def _note(self, name: str, path: Path, *arguments: Any) -> None:
        if name == "sync" and path == self.folder:
            self._durable_names = {each.name for each in self.folder.glob("*")}
        elif name == "sync":
            self._synced[path.name] = path.stat().st_size
        elif name == "truncate":
            self._synced[path.name] = min(self._synced.get(path.name, 0), arguments[0])
        elif name == "remove":
            self._synced.pop(path.name, None)
            self._durable_names.discard(path.name)
