"""The files of one DRUM: where they are, and that none of an earlier process is taken for one of them."""

from collections.abc import Iterable
from pathlib import Path

from crawler.drum import disk_files

_SUFFIXES = ("sorted", "records", "aux")


class OwnFiles:
    """Files ``folder``/``name``.*, of which there are none at first: what an earlier process left is removed."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._has_folder = folder.is_dir()
        for suffix in _SUFFIXES if self._has_folder else ():
            for path in sorted(folder.glob(f"{name}.*.{suffix}")):
                disk_files.remove(path)

    def path(self, suffix: str) -> Path:
        """Return where the file with this end to its name is, or is to be."""
        return self._folder / f"{self._name}.{suffix}"

    def make_folder(self) -> None:
        """Make the folder, before the first file is written to."""
        if not self._has_folder:
            disk_files.make_folder(self._folder)
            self._has_folder = True

    def remove(self, paths: Iterable[Path]) -> None:
        """Remove files that a merge has read to their end."""
        for path in paths:
            disk_files.remove(path)
