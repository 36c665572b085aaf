"""Errors of the disk that say which file they are about, whichever call met them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError within it names this file, if it names none: those of reads, writes and syncs do not."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise
