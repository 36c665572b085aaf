"""Folders that are there while a work goes on, and are gone when it ends, however it ends short of being killed."""

import secrets
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_standing: dict[Path, Sequence[Path]] = {}


@contextmanager
def scratch_folder(prefix: str, above: Path | None = None) -> Iterator[Path]:
    """A new folder whose name begins so, in ``above`` or where temporary files lie, for the time of the statement."""
    folder = (above or Path(tempfile.gettempdir())) / f"{prefix}{secrets.token_hex(4)}"
    with passing(folder):
        folder.mkdir(mode=0o700)
        yield folder


@contextmanager
def passing(folder: Path, parents: Sequence[Path] = ()) -> Iterator[None]:
    """Within it ``folder`` may be made; if it is there at the end, it is removed with all that is in it.

    So are those of ``parents`` that are then empty, the lowest of them first.
    """
    _standing[folder] = parents
    try:
        yield
    finally:
        _remove(folder)


def leave_nothing() -> None:
    """Remove the folders of all statements that have not ended: for who ends the process without ending them."""
    for folder in list(_standing):
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder and those that were made to hold it; a signal that comes meanwhile has to wait."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTING)
    try:
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            for parent in _standing.pop(folder, ()):
                parent.rmdir()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
