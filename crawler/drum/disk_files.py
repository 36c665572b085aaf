"""The file operations of this package, all of them: whatever changes what is on disk goes through here.

None is synced: a session's tables are the state of a crawl, and what is here may be lost with the process.
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


def remove(path: Path) -> None:
    """Remove a file; one that is not there is no error."""
    path.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Make a folder; one that is there is no error.

    What it lies in is not made: were a session's folder removed while its crawl runs, it would come into being again.
    """
    path.mkdir(exist_ok=True)
