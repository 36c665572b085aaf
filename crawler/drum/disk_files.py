"""The files of a DRUM, and the file operations of this package: whatever changes what is on disk goes through here.

None is synced: a session's tables are the state of a crawl, and what is here may be lost with the process.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from sessions.storage.os_errors import naming


def write_at(path: Path, offset: int, data: bytes) -> None:
    """Write at ``offset`` of a file, which is made if there is none.  Raises OSError, which names the file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        with naming(path):
            view = memoryview(data)
            while len(view):
                written = os.pwrite(descriptor, view, offset)
                view, offset = view[written:], offset + written
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file; one that is not there is no error."""
    path.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Make a folder; one that is there is no error.

    What it lies in is not made: were a session's folder removed while its crawl runs, it would come into being again.
    """
    path.mkdir(exist_ok=True)


_SUFFIXES = ("sorted", "records", "aux")


class OwnFiles:
    """Files ``folder``/``name``.*, of which there are none at first: what an earlier process left is removed."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._has_folder = folder.is_dir()
        for suffix in _SUFFIXES if self._has_folder else ():
            for path in sorted(folder.glob(f"{name}.*.{suffix}")):
                remove(path)

    def path(self, suffix: str) -> Path:
        """Return where the file with this end to its name is, or is to be."""
        return self._folder / f"{self._name}.{suffix}"

    def make_folder(self) -> None:
        """Make the folder, before the first file is written to."""
        if not self._has_folder:
            make_folder(self._folder)
            self._has_folder = True

    def remove(self, paths: Iterable[Path]) -> None:
        """Remove files that a merge has read to their end."""
        for path in paths:
            remove(path)
