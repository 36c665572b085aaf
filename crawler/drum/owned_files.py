"""The files of one DRUM: which there are, which a commit names, which are not yet safe on disk."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from crawler.drum import disk_files
from sessions.session import SessionError

SUFFIXES = ("sorted", "records", "aux", "log")


class OwnFiles:
    """Files ``folder``/``name``.*, of which ``committed`` names those to keep, with their lengths.

    They are cut off there, and all others of this name are removed.  Raises SessionError if one is gone or shorter.
    """

    def __init__(self, folder: Path, name: str, committed: Mapping[str, int]) -> None:
        self._folder = folder
        self._name = name
        self._has_folder = folder.is_dir()
        self._named = set(committed)
        self._handed_out: set[str] = set()
        self._superseded: set[str] = set()
        self._to_sync: set[str] = set()
        for known, length in committed.items():
            if (present := disk_files.length_of(folder / known)) < length:
                raise SessionError(f"{folder / known}: {max(present, 0)} bytes, but {length} were committed")
        for suffix in SUFFIXES if self._has_folder else ():
            for path in sorted(folder.glob(f"{name}.*.{suffix}")):
                if path.name not in committed:
                    disk_files.remove(path)
        for known, length in committed.items():
            if disk_files.length_of(folder / known) > length:
                disk_files.truncate(folder / known, length)

    def path(self, suffix: str) -> Path:
        """Where the file with this end to its name is, or is to be."""
        return self._folder / f"{self._name}.{suffix}"

    def about_to_write(self, path: Path) -> None:
        """Note that a file is being written to, and see that there is a folder for it."""
        if not self._has_folder:
            disk_files.make_folder(self._folder)
            disk_files.sync(self._folder.parent)
            self._has_folder = True
        self._to_sync.add(path.name)

    def supersede(self, paths: Iterable[Path]) -> None:
        """Remove disk_files, or wait with that until no commit names them."""
        for path in paths:
            self._to_sync.discard(path.name)
            if path.name in self._named or path.name in self._handed_out:
                self._superseded.add(path.name)
            else:
                disk_files.remove(path)

    def hand_out(self, names: Iterable[str]) -> None:
        """Have what was written safe on disk, for a record that names these disk_files."""
        if self._to_sync:
            for name in sorted(self._to_sync):
                disk_files.start_writing(self._folder / name)
            for name in sorted(self._to_sync):
                disk_files.sync(self._folder / name)
            disk_files.sync(self._folder)
            self._to_sync.clear()
        self._handed_out.update(names)

    def committed(self, names: Iterable[str]) -> None:
        """A record that names these files is safe: remove the superseded ones that it does not name."""
        self._named = set(names)
        self._handed_out.clear()
        for name in sorted(self._superseded - self._named):
            disk_files.remove(self._folder / name)
        self._superseded &= self._named
