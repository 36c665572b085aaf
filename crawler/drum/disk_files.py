"""The file operations of this package, all of them: whatever changes what is on disk goes through here.

Each is one step that a crash can precede or, for a write, cut short; a test makes that happen at every one.
"""

import os
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


def sync(path: Path) -> None:
    """Have a file, or a folder's list of names, on disk for good."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with naming(path):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def start_writing(path: Path) -> None:
    """Have the kernel begin to write a file out, so that the `sync` of many files waits for all of them together."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def truncate(path: Path, length: int) -> None:
    """Cut a file off."""
    os.truncate(path, length)


def remove(path: Path) -> None:
    """Remove a file; one that is not there is no error."""
    path.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Make a folder; one that is there is no error.

    What it lies in is not made: were a session's folder removed while its crawl runs, it would come into being again.
    """
    path.mkdir(exist_ok=True)


def length_of(path: Path) -> int:
    """How long a file is, -1 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1
