"""JSON files that are there whole or not at all, even after a power cut.

A file is written beside its place under a name that begins with a dot and carries the run's, brought to disk, and only
then given its name.  A process that dies in between leaves that other file, which nobody reads but who knows, by
another file that was made after it, that it is whole.
"""

import errno
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sessions.storage.os_errors import naming
from sessions.storage.tables import sync_folder

PARTIAL = ".partial"
_DENSE = (",", ":")


def dumped(content: Mapping[str, Any]) -> str:
    """JSON for people and programs."""
    return json.dumps(content, indent=1) + "\n"


def dumped_by_lines(content: Mapping[str, Any], of: str) -> str:
    """JSON for programs: one line for each item of the list ``of``, and one for all the rest."""
    rest = json.dumps({key: value for key, value in content.items() if key != of}, separators=_DENSE)
    items = ",\n".join(json.dumps(item, separators=_DENSE) for item in content[of])
    return f"{rest[:-1]},{json.dumps(of)}:[\n{items}\n]}}\n"


def make_folder(path: Path) -> None:
    """Make a folder and those above it, as far as they are not there, and bring their names to disk."""
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from error
    for folder in made:
        sync_folder(folder.parent)


def create(path: Path, text: str, run: str) -> None:
    """Make a file that nobody else has made.  Raises FileExistsError if somebody has.

    Of several processes on any hosts that share the file system, one succeeds.
    """
    partial = partial_of(path, text, run)
    try:
        os.link(partial, path)
    except FileExistsError:
        # Over NFS an answer may be lost and the request repeated: then the file that is there is this one.
        if not os.path.samefile(partial, path):
            raise
    finally:
        partial.unlink(missing_ok=True)
    sync_folder(path.parent)


def replace(path: Path, text: str, run: str) -> None:
    """Put a file in the place of the one that is there, if any."""
    partial_of(path, text, run).rename(path)
    sync_folder(path.parent)


def partials_of(path: Path, run: str) -> list[Path]:
    """The files that a run has written, or begun to, with `partial_of` and not given the name ``path``."""
    return [*path.parent.glob(f".{path.name}.{run}.*{PARTIAL}")]


def partial_of(path: Path, text: str, run: str) -> Path:
    """Write what is to be ``path``, and bring it to disk under another name, which is returned.

    Nothing is left if that cannot be done.
    """
    partial = path.with_name(f".{path.name}.{run}.{secrets.token_hex(3)}{PARTIAL}")
    try:
        with naming(partial), open(partial, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
    return partial
