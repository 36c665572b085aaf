"""Fewer commit records for the same session: what many records say, one says.

A record with ``folded`` holds, beside its own epoch, what all records before it come to.  Those are removed once it has
its name; a reader passes over those that are still there.

Of the records before it are kept: each note that a run took the session over; table files that no later file replaces;
WARC files, once each, with the length that they have come to; a run's reports where it ends, since they count from its
start; and what is noted of bodies that were dropped.  So a folded record grows with the number of files, and not with
that of epochs.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sessions.counters import brought_up_to_date
from sessions.records import CommitRecord, CommittedFile, CommittedRows, RankEntry
from sessions.runs import counting


class HeldTable(NamedTuple):
    """A table file of a session: its commit record's epoch, its rank and table, its run, and what the record says."""

    epoch: int
    rank: int
    table: str
    run: str
    file: CommittedRows


def epochs_in(file: CommittedRows, epoch: int) -> tuple[int, int]:
    """Return the first and the last epoch of which a table file in the commit record of ``epoch`` has rows."""
    return file.get("first", epoch), file.get("last", epoch)


def table_files_of(epochs: Sequence[CommitRecord], table: str | None = None) -> list[HeldTable]:
    """Return the files of one table, or of all, in order of epoch and rank.

    A file with the rows of several epochs replaces those that its rank had for that table in these epochs.
    """
    begins: dict[tuple[int, str], int] = {}
    held: list[HeldTable] = []
    for record in reversed(counting(epochs)):
        epoch = record["epoch"]
        of_record: list[HeldTable] = []
        for rank, entry in enumerate(record["ranks"]):
            for name, file in entry["tables"].items():
                if (table is None or name == table) and epoch < begins.get((rank, name), epoch + 1):
                    of_record.append(HeldTable(epoch, rank, name, record["run"], file))
                    begins[rank, name] = epochs_in(file, epoch)[0]
        held += reversed(of_record)
    return held[::-1]


def warc_files_of(epochs: Sequence[CommitRecord]) -> dict[str, tuple[int, int, CommittedFile]]:
    """Return the WARC files of a session by name: the last epoch that names it, its rank, and what that says of it."""
    return {
        file["file"]: (record["epoch"], rank, file)
        for record in counting(epochs)
        for rank, entry in enumerate(record["ranks"])
        for file in entry["warc"]
    }


def unfolded(record: CommitRecord) -> list[CommitRecord]:
    """Return a record as it was read, with what it holds of those before it, all as this version writes them.

    Where it held some, ``folded`` is empty then.
    """
    folded = record.get("folded", [])
    if folded:
        record["folded"] = []
    for one in (*folded, record):
        for entry in one["ranks"]:
            if "report" in entry:
                entry["report"] = brought_up_to_date(entry["report"])
    return [*folded, record]


def first_record(epochs: Sequence[CommitRecord]) -> int:
    """Return the number of the first record that a session needs a file of: the last folded one."""
    return next((record["epoch"] for record in reversed(epochs) if "folded" in record), 1)


def folded_into(last: CommitRecord, earlier: Sequence[CommitRecord], kept_from: int | None = None) -> CommitRecord:
    """Return the commit record ``last`` with what is needed of the ``earlier`` ones, for which it stands now.

    Those of epochs that count are kept whole from the number ``kept_from`` on, if it is given.
    """
    # Of what is there already nothing may depend on an end, which a run that goes on withdraws.
    lasting = [record for record in counting([*earlier, last]) if not record.get("ended")]
    tables = {held[:3] for held in table_files_of(lasting)}
    warcs = {name: epoch for name, (epoch, _, _) in warc_files_of(lasting).items()}
    ends = {record["run"]: record["epoch"] for record in lasting}
    that_count = {record["epoch"] for record in lasting}
    folded: list[CommitRecord] = []
    passed = 0
    for record in earlier:
        if record.get("resumes"):
            folded.append(_without_folded(record))
        elif record["epoch"] in that_count:
            passed += record.get("epochs", 1)
            if kept_from is not None and record["epoch"] >= kept_from and record.get("epochs", 1):
                folded.append({**_without_folded(record), "epochs": passed})
                passed = 0
                continue
            is_end = ends[record["run"]] == record["epoch"]
            kept = [_needed(record["epoch"], rank, entry, tables, warcs) for rank, entry in enumerate(record["ranks"])]
            if is_end:
                for entry, old in zip(kept, record["ranks"], strict=True):
                    entry["report"] = old["report"]
            if is_end or any(entry["tables"] or entry["warc"] for entry in kept):
                folded.append({**_without_folded(record), "ranks": kept, "epochs": passed})
                passed = 0
    standing: CommitRecord = {**last, "epochs": passed + last.get("epochs", 1), "folded": folded}
    if dropped := [note for record in (*earlier, last) for note in record.get("dropped", ())]:
        standing["dropped"] = dropped
    return standing


def _without_folded(record: CommitRecord) -> CommitRecord:
    record = {**record}
    record.pop("folded", None)
    record.pop("dropped", None)
    return record


def _needed(
    epoch: int, rank: int, entry: RankEntry, tables: set[tuple[int, int, str]], warcs: dict[str, int]
) -> RankEntry:
    return {
        "tables": {name: file for name, file in entry["tables"].items() if (epoch, rank, name) in tables},
        "warc": [file for file in entry["warc"] if warcs[file["file"]] == epoch],
    }
