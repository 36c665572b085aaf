"""Signs of life of a crawl's ranks, which need no MPI: a small file for each in SESSION/alive, written again and again.

A thread of the rank writes it, which lives on when the rank's loop hangs; so the file also says whether the loop has
moved on since, and whether it waits for others.  It is overwritten in place and opened anew by each reader, for which
NFS asks its server, whatever attributes it has cached; what it says matters, not when, since clocks differ.  It is not
forced to disk, no part of what a session records, and gone when the crawl has ended.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FOLDER = "alive"
_LENGTH = 1024


class Sign(NamedTuple):
    """What a rank's file says.

    ``beat`` counts how often it was written, ``moves`` in how many of these the rank's loop had moved on, ``meetings``
    where it stands among those to which all ranks come.  ``waits``: it does nothing there but wait for others, else it
    is busy with ``stage``.  ``silence`` is for how many seconds the rank has missed the one that it has missed longest.
    ``has_come``: it has come to the last of its meetings, which has not ended.
    ``process`` is the rank's, by number and begin, ``shared`` the segments of shared memory that MPI has made for it.
    """

    host: str
    beat: int = 0
    moves: int = 0
    meetings: int = 0
    waits: bool = False
    stage: str = ""
    silence: float = 0.0
    process: tuple[int, int] = (0, 0)
    shared: tuple[str, ...] = ()
    has_come: bool = False


def write_sign(session: Path, run: str, rank: int, sign: Sign) -> None:
    """Replace what a rank's file says.  A disk that is full or gone is no error: that is told by all else."""
    text = json.dumps(sign._asdict()).ljust(_LENGTH - 1) + "\n"
    with suppress(OSError):
        file = os.open(_path(session, run, rank), os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            os.pwrite(file, text.encode(), 0)
        finally:
            os.close(file)


def read_sign(session: Path, run: str, rank: int) -> Sign | None:
    """What a rank's file says; None if there is none, or none that is whole."""
    return _read(_path(session, run, rank))


def all_signs(session: Path) -> dict[str, Sign]:
    """The signs that there are, those of killed runs among them, by the names of their files."""
    found = {path.name: _read(path) for path in sorted((session / FOLDER).glob("rank-*"))}
    return {name: sign for name, sign in found.items() if sign is not None}


def begin_signs(session: Path, run: str) -> None:
    """Make the folder, without what killed runs have left in it."""
    folder = session / FOLDER
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
        for path in _of_others(folder, run):
            path.unlink(missing_ok=True)


def end_sign(session: Path, run: str, rank: int) -> None:
    """The rank has ended."""
    with suppress(OSError):
        _path(session, run, rank).unlink(missing_ok=True)
        (session / FOLDER).rmdir()  # by the last one


def _path(session: Path, run: str, rank: int) -> Path:
    return session / FOLDER / f"rank-{rank:04d}-{run}"


def _read(path: Path) -> Sign | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        beat, moves, meetings = (int(content[name]) for name in ("beat", "moves", "meetings"))
        waits, stage, silence = bool(content["waits"]), str(content["stage"]), float(content["silence"])
        pid, began = map(int, content["process"])
        shared = tuple(map(str, content["shared"]))
        has_come = bool(content["has_come"])
        return Sign(str(content["host"]), beat, moves, meetings, waits, stage, silence, (pid, began), shared, has_come)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _of_others(folder: Path, run: str) -> Iterator[Path]:
    return (path for path in folder.glob("rank-*") if not path.name.endswith(run))
