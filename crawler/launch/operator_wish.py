"""What an operator wants of a crawl that runs: to pause, to go on, or to stop; a file of the session says so.

Rank 0 makes the file, SESSION/control.json, as its run begins, and reads it at the end of each superstep.  Whoever sees
the session's folder may write it (`cutweb pause`, `cutweb continue`, `cutweb stop`), from any machine.  It is
overwritten in place and opened for each reading: NFS then asks its server, while it would find a renamed file late.
"""

import json
import os
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from crawler.launch.earlier_ranks import have_all_died_here
from sessions.session import Session, SessionError
from sessions.storage.os_errors import naming

NAME = "control.json"
_LENGTH = 256


class Wish(StrEnum):
    """What is wanted."""

    GO_ON = "go on"
    PAUSE = "pause"
    STOP = "stop"


def begin_wishes(session: Path, run: str) -> None:
    """A run begins, and is to go on until something else is wanted."""
    _write(session / NAME, run, Wish.GO_ON, os.O_CREAT)


def wish_for(session: Path, run: str) -> Wish:
    """What is wanted of a run now; to go on if nothing that can be read says anything else of it."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        content = json.loads((session / NAME).read_text(encoding="utf-8"))
        if content["run"] == run:
            return Wish(content["wish"])
    return Wish.GO_ON


def end_wishes(session: Path) -> None:
    """The run has ended."""
    with suppress(OSError):
        (session / NAME).unlink(missing_ok=True)


def ask(session: Path, wish: Wish) -> None:
    """Say what is wanted of the latest run of a session.

    Raises SessionError if there is no session or nobody crawls it, and OSError if its folder cannot be written.
    """
    opened = Session.open(session)
    if opened.ended is not None or not (session / NAME).exists():
        raise SessionError(f"{session}: no crawl runs on it that could {wish}")
    if have_all_died_here(session, int(opened.header["ranks"])):
        raise SessionError(f"{session}: all ranks were killed; go on with: cutweb crawl --resume {session}")
    _write(session / NAME, str(opened.header["run"]), wish)


def _write(path: Path, run: str, wish: Wish, how: int = 0) -> None:
    text = json.dumps({"run": run, "wish": wish}).ljust(_LENGTH - 1) + "\n"
    with naming(path):
        file = os.open(path, os.O_WRONLY | how, 0o644)
        try:
            os.pwrite(file, text.encode(), 0)
        finally:
            os.close(file)
