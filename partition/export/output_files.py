"""Where an export goes: its files get their names when all of them are whole."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from sessions.storage.tables import sync_folder


class PlaceError(Exception):
    """A place that an export cannot have; the message is one line that names it and says why."""


@dataclass(frozen=True)
class Place:
    """Files of an export in one folder.

    Attributes:
        folder: the folder they go to.
        names: their names.
        is_made: is the folder a part of the export?  Then the one above it must exist, else itself.
    """

    folder: Path
    names: tuple[str, ...]
    is_made: bool

    @property
    def beside(self) -> Path:
        """The folder in which the files, or the folder that is made for them, get their names."""
        return self.folder if self.folder.exists() else self.folder.parent

    def check(self, *, replace: bool) -> None:
        """Raise PlaceError if the files cannot be put here: unless ``replace`` is true, also if there are any."""
        if self.folder.exists() and not self.folder.is_dir():
            raise PlaceError(f"{self.folder}: is a file, not a folder")
        if not (must_exist := self.folder.parent if self.is_made else self.folder).is_dir():
            raise PlaceError(f"{must_exist}: no such folder")
        self._check_names(replace)
        if self.is_made and not replace and self.folder.exists() and any(self.folder.iterdir()):
            raise PlaceError(f"{self.folder}: exists and is not empty; --force puts {' and '.join(self.names)} there")

    def _check_names(self, replace: bool) -> None:
        for path in (self.folder / name for name in self.names):
            if path.is_dir():
                raise PlaceError(f"{path}: is a folder, not a file")
            if os.path.lexists(path) and not replace and not self._is_of_killed(path):
                raise PlaceError(f"{path}: exists; --force replaces it")

    def _is_of_killed(self, path: Path) -> bool:
        """Is a file of an export that was killed before the first of its files had its name?  It has another name."""
        if os.path.lexists(self.folder / self.names[0]):
            return False
        left = self.folder.glob(f".{escape(self.names[0])}.*.partial/{escape(path.name)}")
        return any(other.samefile(path) for other in left)

    @contextmanager
    def filled(self, *, replace: bool) -> Iterator[list[Path]]:
        """Paths to write the files to; at the end of the with statement they are brought to disk and renamed.

        If the statement ends with an exception, nothing of them is left.  Raises PlaceError as `check` does, and
        OSError if something cannot be written.
        """
        self.check(replace=replace)
        is_new = not self.folder.exists()
        parent = self.beside
        staging = parent / f".{self.folder.name if is_new else self.names[0]}.{secrets.token_hex(4)}.partial"
        staging.mkdir()
        try:
            yield [staging / name for name in self.names]
            for name in self.names:
                _sync(staging / name)
            sync_folder(staging)
            if is_new:
                staging.rename(self.folder)
            else:
                self._check_names(replace)  # someone else may have been faster
                self._name_all(staging)
            sync_folder(parent)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _name_all(self, staging: Path) -> None:
        """Give the files their names; the first is the one that is asked for: while it is there, the others are its."""
        first, *others = self.names
        if others:
            (self.folder / first).unlink(missing_ok=True)
        for name in others:
            (self.folder / name).unlink(missing_ok=True)
            os.link(staging / name, self.folder / name)
        if others:
            sync_folder(self.folder)
        (staging / first).rename(self.folder / first)


def _sync(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def place_of_file(path: Path) -> Place:
    """The place of one file in a folder that is there."""
    return Place(path.parent, (path.name,), is_made=False)


def replace_text(path: Path, text: str) -> None:
    """Write a file whole, in UTF-8, in place of any of its name; raises PlaceError and OSError as `Place.filled`."""
    with place_of_file(path).filled(replace=True) as (partial,):
        partial.write_text(text, encoding="utf-8")
