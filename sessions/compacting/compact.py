"""A session made few large files, without some bodies if that is wanted.

It goes step by step, each of the ranks whose files come to some gigabytes, so that no more room than that is needed:

1. Files of these ranks are copied into files of about 256 MiB, under names that no commit record has.
2. One folded record is created under the next number.  It names the new files, and stands for all records before it:
   that is the instant.  Nobody who believes to have the session can commit an epoch of that number any more.
3. The records that it stands for are removed, and then whatever no record names.

A kill before the instant leaves the session as it was, beside files that are no part of it; one after it leaves it
compacted as far as it has come.  The next run, of this or of a crawl, removes what is left.

Files of different runs are merged rank by rank, whatever the K of each run: a file stays in the folder of the rank that
wrote its rows, and bears the name of the last run of which it has some.
"""

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sessions.compacting.dropping import Dropping
from sessions.compacting.exclusive import changed_meanwhile, compacting_alone
from sessions.compacting.rank_files import RankPlan, Written, plan_rank, write_rank
from sessions.compacting.steps import commit_step
from sessions.progress import Progress
from sessions.session import SEEDS, Session, SessionError, record_numbers
from sessions.storage.durable_json import partials_of
from sessions.writing.commit import name_seeds
from sessions.writing.truncate import check_committed, own_folders, remove_uncommitted

FILE_BYTES = 256 << 20
"""About so large a table file or WARC file becomes."""
STEP_BYTES = 4 << 30
"""So much is copied before a step is committed, or what one rank takes."""


@dataclass(frozen=True, slots=True)
class FileCounts:
    """How many files a session has of each kind."""

    tables: int
    warcs: int
    records: int

    @classmethod
    def of(cls, session: Session) -> "FileCounts":
        """Count them."""
        return cls(len(session.table_files()), len(session.warc_files()), len(record_numbers(session.path)))


@dataclass(frozen=True, slots=True)
class Compacted:
    """What compacting has done: the files before and after, and of how many pages bodies were dropped, in bytes."""

    before: FileCounts
    after: FileCounts
    pages: int
    bytes: int


def compact_session(
    path: Path,
    progress: Progress,
    *,
    drop_bodies: bool = False,
    before: datetime | None = None,
    file_bytes: int = FILE_BYTES,
    step_bytes: int = STEP_BYTES,
) -> Compacted:
    """Make the files of a session few, and its commit records one; with ``drop_bodies`` take the bodies out of it.

    With ``before`` that holds only for files of epochs that were committed before, and for bodies of pages fetched
    before.  Nobody may crawl into it meanwhile; who does commits nothing more.  Raises SessionError if it cannot be
    read, a file is missing or is not as it was committed, or the session changed meanwhile, and OSError if it cannot be
    written; then it is as it was, or as its last step left it.
    """
    session = Session.open(path)
    check_committed(session)
    if not session.counting:
        raise SessionError(f"{path}: has no epoch that could be compacted")
    counted = FileCounts.of(session)
    dropping = Dropping(session, before) if drop_bodies else None
    pages = freed = rank = 0
    while rank < session.most_ranks:
        with compacting_alone(session):
            _remove_left(session)
            written, last_epoch = Written(), _last_epoch_before(session, before)
            while rank < session.most_ranks and _size(written) < step_bytes:
                plan = plan_rank(session, rank, last_epoch, dropping, file_bytes)
                _check_room(session, plan)
                write_rank(session, plan, dropping, written, progress)
                rank += 1
            if written.is_nothing and not (rank == session.most_ranks and len(record_numbers(path)) > 1):
                continue
            name_seeds(path, partials_of(path / SEEDS, session.runs[0].run))
            commit_step(session, written, dropping, last_epoch)
        pages, freed = pages + written.pages, freed + written.bytes
        after = Session.open(path)
        if after.last_epoch != session.last_epoch + 1:
            raise changed_meanwhile(session)
        session = after
    _remove_left(session)
    return Compacted(counted, FileCounts.of(session), pages, freed if pages else 0)


def _remove_left(session: Session) -> None:
    """Remove what no record names."""
    remove_uncommitted(session, [run.run for run in session.runs], own_folders(session.path))


def _last_epoch_before(session: Session, before: datetime | None) -> int:
    """The last epoch that was committed before a time, as all before it were; that of all if no time is given."""
    last = 0
    for record in session.epochs:
        if before is not None and datetime.fromisoformat(record["committed"]) >= before:
            return last
        last = record["epoch"]
    return last


def _size(written: Written) -> int:
    """How many bytes were written."""
    files = [*written.tables.values(), *(file for its in written.warcs.values() for file in its)]
    return sum(file["bytes"] for file in files)


def _check_room(session: Session, plan: RankPlan) -> None:
    free = shutil.disk_usage(session.path).free
    if plan.bytes > free:
        raise SessionError(
            f"{session.path}: compacting rank {plan.rank} takes up to {plan.bytes:,} bytes until it is done, and "
            f"{free:,} are free there; make room first"
        )
