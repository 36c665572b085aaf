"""A rank's scratch folder: queues and DRUM files, of which a session needs nothing once the run has ended.

It lies in the session, or in a folder of the rank's machine (``--scratch DIR``), and carries the run's name, so that
one that a killed run has left there can be told from that of a run that lives.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from crawler.config.command_line import UsageError
from sessions.storage.temporary_folder import passing
from sessions.writing.recorder import rank_folder


@contextmanager
def scratch_of(session: Path, rank: int, run: str, above: Path | None = None) -> Iterator[Path]:
    """The scratch folder of a rank, new, and removed in the end: in ``above``, or in the rank's part of the session."""
    if above is not None:
        above.mkdir(exist_ok=True)
        folder = above / f"{_stem(run)}{rank:04d}"
    else:
        folder = rank_folder(session, rank) / f".scratch-{run}"
    with passing(folder):
        folder.mkdir()
        yield folder


def remove_left_by(runs: Iterable[str], above: Path | None) -> None:
    """Remove, where that is possible, the scratch folders that killed runs have left in ``above``."""
    for run in runs:
        for folder in above.glob(f"{_stem(run)}*") if above is not None else ():
            shutil.rmtree(folder, ignore_errors=True)


def problem_with(above: Path | None) -> str | None:
    """What keeps this rank from having its scratch folder there; None if nothing does.  Leaves nothing behind."""
    if above is None:
        return None
    place = above.absolute()
    if not os.path.lexists(place):
        place = place.parent
    if not os.path.lexists(place):
        return f"{above}: there is no folder {place} to make it in"
    try:
        with tempfile.TemporaryDirectory(dir=place, prefix=".cutweb-"):
            return None
    except OSError as error:
        return f"{above}: {error.strerror}"


def check_scratch(problems: Sequence[str | None]) -> None:
    """Raise UsageError if a rank cannot have its scratch folder; ``problems`` is what keeps each from it, by rank."""
    for rank, problem in enumerate(problems):
        if problem is not None:
            where = f" (found by rank {rank} of {len(problems)})" if len(problems) > 1 else ""
            raise UsageError(f"--scratch {problem}{where}: name a folder that can be written to on every machine")


def _stem(run: str) -> str:
    return f"cutweb-{run}-"
