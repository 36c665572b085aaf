"""A folder that is there whole or not at all: maps, reports and imported sessions are written so."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sessions.session import check_claimable
from sessions.storage.durable_json import make_folder
from sessions.storage.tables import sync_folder
from sessions.storage.temporary_folder import passing


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside ``folder`` that takes its place, on disk, if all goes well, and is removed if not.

    ``folder`` must be absent or empty; the folders above it are made, and removed again if they were not needed.
    Raises SessionError if it is taken, and OSError, which names ``folder``, if it cannot be written.
    """
    check_claimable(folder)
    place = folder.resolve()
    partial = place.with_name(f".{place.name}.{secrets.token_hex(4)}.partial")
    parents = [parent for parent in place.parents if not parent.exists()]
    try:
        with passing(partial, parents):
            make_folder(place.parent)
            partial.mkdir()
            yield partial
            _bring_to_disk(partial)
            partial.rename(place)
            sync_folder(place.parent)
    except OSError as error:
        if not _is_of(error, partial):
            raise
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from error


def _bring_to_disk(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_dir():
            sync_folder(path)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())
    sync_folder(folder)


def _is_of(error: OSError, partial: Path) -> bool:
    """Did writing the folder fail, rather than something else that was done meanwhile?"""
    if not isinstance(error.filename, str | Path):
        return True
    named = Path(error.filename)
    return named.is_relative_to(partial) or partial.is_relative_to(named)
