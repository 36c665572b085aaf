"""What all importers say of a file that they read: what is wrong with it, and where."""

from pathlib import Path

from sessions.session import HEADER, MAP


class SourceError(Exception):
    """A file that cannot be imported.  The message is one line: the file, the place in it, what is wrong there."""


def in_line(path: Path, line: int, text: str) -> SourceError:
    """An error in a line of a text file, counted from 1."""
    return SourceError(f"{path}: line {line}: {text}")


def at_offset(path: Path, offset: int, text: str) -> SourceError:
    """An error at an offset in bytes of a file, as it lies on the disk."""
    return SourceError(f"{path}: offset {offset}: {text}")


def folder_instead(path: Path) -> str:
    """What is wrong with a folder where a file is wanted."""
    if (path / HEADER).exists():
        return f"{path}: is a session, not a file; the bodies of its pages are in {path}/rank-*/*.warc.gz"
    return f"{path}: is a {'partition map' if (path / MAP).exists() else 'folder'}, not a file"


def unreadable(path: Path, error: OSError) -> SourceError:
    """An error of the operating system about a file."""
    told = folder_instead(path) if isinstance(error, IsADirectoryError) else f"{path}: {error.strerror or error}"
    return SourceError(told)
