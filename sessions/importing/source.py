"""What all importers say of a file that they read: how far they are, and what is wrong with it."""

from collections.abc import Callable
from pathlib import Path

Progress = Callable[[str, int, int], None]
"""Called as (what is being done, how much of it is done, how much there is) while an import runs."""


class SourceError(Exception):
    """A file that cannot be imported.  The message is one line: the file, the place in it, what is wrong there."""


def in_line(path: Path, line: int, text: str) -> SourceError:
    """An error in a line of a text file, counted from 1."""
    return SourceError(f"{path}: line {line}: {text}")


def at_offset(path: Path, offset: int, text: str) -> SourceError:
    """An error at an offset in bytes of a file, as it lies on the disk."""
    return SourceError(f"{path}: offset {offset}: {text}")


def quiet(_what: str, _done: int, _total: int) -> None:
    """The progress of an import that nobody watches."""
