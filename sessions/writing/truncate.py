"""Cutting off what earlier runs left in a session's folder and no commit record that counts names."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from sessions.folding import first_record
from sessions.rule_records import RULES
from sessions.session import (
    EPOCHS,
    HEADER,
    SEEDS,
    CommittedWarc,
    Session,
    SessionError,
    epoch_path,
    record_numbers,
)
from sessions.storage.durable_json import PARTIAL
from sessions.storage.os_errors import naming
from sessions.storage.tables import sync_folder

_CHUNK_BYTES = 1 << 20


def truncate_to_commit(session: Session) -> None:
    """Make a session's folder end where its last epoch that counts does.

    ``session`` was opened after the latest run had taken it over.  Of the runs before, files that belong to no epoch
    that counts are removed, with what they kept for themselves, and WARC files get their committed length; so is what
    others wrote that were killed before the session was theirs.  Files of the latest run, and those that no run made,
    stay.  It may be broken off at any time and done again.

    Raises what `check_committed` does, having cut nothing, and OSError if the folder cannot be written.
    """
    check_committed(session)
    *earlier, latest = (run.run for run in session.runs)
    folders = own_folders(session.path)
    remove_uncommitted(session, earlier, folders)
    remove_folded(session.path, first_record(session.epochs))
    for folder in folders:
        _remove(unnamed_by_others(folder, latest))
        sync_folder(folder)
    for warc in session.warc_files():
        if warc.path.stat().st_size > warc.bytes:
            _shorten(warc)


def remove_uncommitted(session: Session, runs: Sequence[str], folders: Sequence[Path]) -> None:
    """Remove what these runs left in these folders that belongs to no epoch that counts, and what they kept there."""
    committed = {warc.path for warc in session.warc_files()} | {file.path for file in session.table_files()}
    for folder in folders:
        _remove(path for path in _made_by(runs, folder) if path not in committed)
        sync_folder(folder)


def remove_folded(path: Path, number: int) -> None:
    """Remove the commit records that the one with this number stands for."""
    earlier = [epoch_path(path, its) for its in record_numbers(path) if its < number]
    _remove(earlier)
    if earlier:
        sync_folder(path / EPOCHS)


def check_committed(session: Session) -> None:
    """Raise SessionError if a file is not there, or has less than was committed."""
    committed = [(file.path, file.bytes) for file in session.table_files()]
    committed += [(file.path, file.bytes) for file in session.warc_files()]
    for path, length in committed:
        there = path.stat().st_size if path.exists() else 0
        if there < length:
            raise SessionError(
                f"{path}: has {there:,} bytes; {length:,} were committed, so the session is damaged and cannot go on; "
                f"see it with: cutweb check {session.path}"
            )


def unnamed_by_others(folder: Path, run: str) -> list[Path]:
    """The files of a session's own that others than ``run`` have written in a folder and not given their names.

    Whoever still lives and misses one learns that another run has the session.
    """
    names = (SEEDS, HEADER, "[0-9]*.json")
    return sorted(path for name in names for path in folder.glob(f".{name}.*{PARTIAL}") if run not in path.name)


def own_folders(session: Path) -> list[Path]:
    """The folders in which runs of a session write what is part of it."""
    above = [session, session / EPOCHS, session / RULES]
    return [*(folder for folder in above if folder.is_dir()), *rank_folders(session)]


def rank_folders(session: Path) -> list[Path]:
    """The folders of all ranks that a session has had, in order."""
    return sorted(path for path in session.glob("rank-[0-9]*") if path.is_dir())


def _made_by(runs: Sequence[str], folder: Path) -> Iterator[Path]:
    """What these runs made in a folder: all their files carry their names."""
    return (path for path in sorted(folder.iterdir()) if any(run in path.name for run in runs))


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _shorten(warc: CommittedWarc) -> None:
    """Put what was committed in the file's place: an earlier run that still lives goes on writing to the old one."""
    partial = warc.path.with_name(f".{warc.path.name}.partial")
    try:
        with naming(partial), open(warc.path, "rb") as old, open(partial, "wb") as new:
            left = warc.bytes
            while left:
                left -= new.write(old.read(min(left, _CHUNK_BYTES)))
            new.flush()
            os.fsync(new.fileno())
        partial.rename(warc.path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
    sync_folder(warc.path.parent)
