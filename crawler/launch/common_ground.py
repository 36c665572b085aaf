"""Do all ranks stand on the same ground: one folder for the session that each sees, and one version of the software?

A folder that only looks the same on every node would be found out when the crawl has ended.  So before anything is
written each rank puts a file of its own beside the session, or into one that goes on; all must see that of rank 0, and
rank 0 those of all.

Reads the clock: how long a file may take to be seen; no crawl runs yet.
"""

import os
import platform
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from crawler.process.common_clock import clocks_apart
from crawler.process.terminal import tell
from sessions.version import software_version

_PATIENCE_SECONDS = 3.0
"""So long a file may take to be seen from another node."""
_PAUSE_SECONDS = 0.05


def strangers(comm: Any, out: Path | None) -> str | None:
    """Return, on rank 0, what keeps the ranks of ``comm`` from one crawl into ``out``; None if nothing; collective.

    What keeps rank 0 itself from writing there is told by those who claim the session.
    """
    if comm.size == 1 or out is None:
        return None
    tell(*clocks_apart(comm), err=True)
    kinds = comm.gather((software_version(), platform.python_version(), os.uname().nodename))
    apart = _apart(comm, out)
    return (_other_software(kinds) if comm.rank == 0 else None) or apart


def _other_software(kinds: list[tuple[str, str, str]]) -> str | None:
    version, python, host = kinds[0]
    for rank, (its_version, its_python, its_host) in enumerate(kinds):
        if (its_version, its_python) != (version, python):
            return (
                f"rank {rank} of {len(kinds)}, on {its_host}, runs cutweb {its_version} with Python {its_python}, but "
                f"rank 0, on {host}, cutweb {version} with Python {python}: install the same on all machines"
            )
    return None


def _apart(comm: Any, out: Path) -> str | None:
    """Which rank does not see what rank 0 writes where the session goes, or the other way round."""
    folder, token = comm.bcast((nearest_folder(out), secrets.token_hex(8)) if comm.rank == 0 else None)
    own = _mark(folder, token, comm.rank)
    can_write = _is_made(own)
    try:
        told = comm.allgather((can_write, os.uname().nodename))
        others = range(comm.size) if comm.rank == 0 else (0,)
        unseen = [rank for rank in others if told[rank][0] and not _is_seen(_mark(folder, token, rank))]
        found = comm.gather(unseen)
        comm.Barrier()
    finally:
        if can_write:
            with suppress(OSError):
                own.unlink()
    if comm.rank != 0 or not can_write:
        return None
    for rank, (writes, host) in enumerate(told):
        if rank and (not writes or found[rank] or rank in found[0]):
            what = "cannot write into" if not writes else "does not see what rank 0 writes into"
            return (
                f"{out}: rank {rank} of {comm.size}, on {host}, {what} {folder}, where rank 0, on {told[0][1]}, does: "
                "the session must lie on a file system that all machines share"
            )
    return None


def nearest_folder(out: Path) -> Path:
    """Return the folder itself, or the nearest one above it that is there."""
    path = out.absolute()
    while not path.is_dir() and path != path.parent:
        path = path.parent
    return path


def _mark(folder: Path, token: str, rank: int) -> Path:
    return folder / f".cutweb-start-{token}-{rank}"


def _is_made(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except OSError:
        return False
    return True


def _is_seen(path: Path) -> bool:
    until = time.monotonic() + _PATIENCE_SECONDS
    while not path.exists():
        if time.monotonic() > until:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True
