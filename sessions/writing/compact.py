"""Few large files in place of many small ones: ``cutweb compact``.

1. The table files of each rank and run are copied into files of about 256 MiB, under names that no commit record has.
2. One folded record is created under the next number.  It names the new files, and stands for all records before it:
   that is the instant.  Nobody who believes to have the session can commit an epoch of that number any more.
3. The records that it stands for are removed, and then whatever no record names.

A kill before the instant leaves the session as it was, beside files that are no part of it; one after it leaves it
compacted, and the next run of it, or of a crawl, removes what is left.

What is last in a session is said again in the new record, so that a run that goes on with it can withdraw an end, as it
could before.  Files of different runs are not merged: the name of a file says which run may have written it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from sessions.folding import HeldTable, epochs_in, folded_into, table_files_of, unfolded
from sessions.records import CommitRecord, CommittedRows, RankEntry
from sessions.runs import brought_up_to_date
from sessions.session import EPOCHS, HEADER, SEEDS, Session, SessionError, record_numbers
from sessions.storage.durable_json import dumped, partials_of, replace
from sessions.storage.tables import sync_folder
from sessions.writing.commit import create_record, name_seeds
from sessions.writing.merging import merge
from sessions.writing.truncate import check_committed, rank_folders, remove_folded, remove_uncommitted

FILE_BYTES = 256 << 20
"""About so large a table file becomes."""

Progress = Callable[[str, int, int], None]
Place = tuple[int, int, str]
"""An epoch of a commit record, a rank, and a table."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """How many table files and commit records a session had, and has."""

    files_before: int
    files: int
    records_before: int
    records: int


def compact_session(path: Path, progress: Progress, *, file_bytes: int = FILE_BYTES) -> Compacted:
    """Make the files of a session few, and its commit records one.

    Nobody may crawl into it meanwhile; who does commits nothing more.  Raises SessionError if it cannot be read, files
    of it are missing, or it changed meanwhile, and OSError if it cannot be written; then it is as it was.
    """
    session = Session.open(path)
    check_committed(session)
    if not session.counting:
        raise SessionError(f"{path}: has no epoch that could be compacted")
    before = len(session.table_files()), len(record_numbers(path))
    merged = _merged(session, progress, file_bytes)
    name_seeds(path, partials_of(path / SEEDS, session.runs[0].run))
    if before[1] > 1 or merged:
        record = _standing_for_all(session.epochs, merged)
        if not create_record(path, record):
            raise SessionError(
                f"{path}: another run has taken it over, or compacted it, meanwhile; it is as that left it"
            )
        header = brought_up_to_date(session.header, unfolded({**record}))
        replace(path / HEADER, dumped(header), record["run"])
        remove_folded(path, record["epoch"])
    after = Session.open(path)
    # Of the runs that there were: another may have taken the session over since then.
    remove_uncommitted(after, [run.run for run in session.runs], [path, path / EPOCHS, *rank_folders(path)])
    return Compacted(before[0], len(after.table_files()), before[1], len(record_numbers(path)))


def _merged(session: Session, progress: Progress, file_bytes: int) -> dict[Place, CommittedRows]:
    """Merge what is small, a group of files at a time; the new files by the place of the last file of each group."""
    groups = [group for group in _groups(session.epochs, file_bytes) if len(group) > 1]
    new: dict[Place, CommittedRows] = {}
    for done, group in enumerate(groups):
        progress("merging", done, len(groups))
        oldest, last = group[0], group[-1]
        files = [held.file for held in group]
        first, _ = epochs_in(oldest.file, oldest.epoch)
        new[last[:3]] = merge(session.path, last.table, last.run, files, first, last.epoch)
    for rank in {rank for _, rank, _ in new}:
        sync_folder(session.path / f"rank-{rank:04d}")
    return new


def _groups(epochs: Sequence[CommitRecord], file_bytes: int) -> Iterator[list[HeldTable]]:
    """Yield the files that become one: of a rank, table and run, one after the other; not those of a last word."""
    last = epochs[-1]["epoch"] if epochs[-1].get("ended") else None
    held = [file for file in table_files_of(epochs) if file.epoch != last]
    held.sort(key=lambda file: (file.rank, file.table, file.epoch))
    for _, files in groupby(held, key=lambda file: (file.rank, file.table, file.run)):
        group: list[HeldTable] = []
        size = 0
        for file in files:
            if group and size + file.file["bytes"] > file_bytes:
                yield group
                group, size = [], 0
            group.append(file)
            size += file.file["bytes"]
        yield group


def _standing_for_all(epochs: Sequence[CommitRecord], merged: dict[Place, CommittedRows]) -> CommitRecord:
    """The record of the next number, which says what all records say, with merged files in the place of others."""
    changed: list[CommitRecord] = [
        {
            **record,
            "ranks": [_with_merged(record["epoch"], rank, entry, merged) for rank, entry in enumerate(record["ranks"])],
        }
        for record in epochs
    ]
    *earlier, last = changed
    number = last["epoch"] + 1
    if last.get("ended") or last.get("resumes"):
        again: list[RankEntry] = [_said_again(last["epoch"], entry) for entry in last["ranks"]]
        return folded_into({**last, "epoch": number, "ranks": again}, earlier)
    nothing_new: list[RankEntry] = [{"tables": {}, "warc": [], "report": entry["report"]} for entry in last["ranks"]]
    return folded_into({**last, "epoch": number, "epochs": 0, "ranks": nothing_new}, changed)


def _with_merged(epoch: int, rank: int, entry: RankEntry, merged: dict[Place, CommittedRows]) -> RankEntry:
    tables = {name: merged.get((epoch, rank, name), file) for name, file in entry["tables"].items()}
    return {**entry, "tables": tables}


def _said_again(epoch: int, entry: RankEntry) -> RankEntry:
    """What a rank has in the last epoch, as another record may name it."""
    tables: dict[str, CommittedRows] = {}
    for name, file in entry["tables"].items():
        first, last = epochs_in(file, epoch)
        tables[name] = {**file, "first": first, "last": last}
    return {**entry, "tables": tables}
