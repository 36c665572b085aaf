"""Few table files in place of many: a rank's files, one after the other, copied into one.

While a rank crawls it merges its own small files (`SmallFiles`), each `MERGE_EVERY` epochs those since the last time,
each `MERGE_EVERY` times that those that came of it, and so on: a row is copied once for each power, and at the most
`MOST_BYTES_WHILE_CRAWLING` of a table at a time.  ``cutweb compact`` merges whatever is small, of several runs, too.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

from sessions.folding import epochs_in
from sessions.records import CommittedRows
from sessions.storage.tables import TableFile, TableWriter, read_batches

MERGE_EVERY = 16
"""So many epochs of a run are merged, and so many commit records folded."""
MOST_BYTES_WHILE_CRAWLING = 32 << 20
ROWS_AT_ONCE = 1 << 16


def is_merged_at(epoch: int, first_epoch: int) -> bool:
    """Does a run whose first epoch is ``first_epoch`` merge its files, and fold records, when it closes this one?"""
    return (epoch - first_epoch + 1) % MERGE_EVERY == 0


def as_record(folder: str, file: TableFile) -> CommittedRows:
    """Return what a commit record says of a finished file in a rank's folder."""
    return {"file": f"{folder}/{file.name}", "bytes": file.bytes, "rows": file.rows, "xxh3": file.xxh3}


Change = Callable[[pa.RecordBatch], pa.RecordBatch]


def merge(
    session: Path,
    table: str,
    run: str,
    files: Sequence[CommittedRows],
    first: int,
    last: int,
    *,
    rewritten: int | None = None,
    change: Change | None = None,
) -> CommittedRows:
    """Copy the rows of a rank's files, one after the other, into one; what a commit record is to say of that.

    If rows are to ``change``, that is ``rewritten`` for the commit record of this number.  Memory is bounded by a row
    group.  The files stay; the new one is on disk, under its name.
    """
    folder = (session / files[0]["file"]).parent
    writer = TableWriter(folder, table, run)
    try:
        for batch in read_batches(table, [session / file["file"] for file in files], rows=ROWS_AT_ONCE):
            writer.append((batch if change is None else change(batch)).columns)
        merged = writer.close_epoch(last, first, rewritten)
    finally:
        writer.close()
    assert merged is not None  # a table file has rows
    entry: CommittedRows = {**as_record(folder.name, merged), "first": first, "last": last}
    if rewritten is not None:
        entry["rewritten"] = rewritten
    return entry


class SmallFiles:
    """The table files of one rank and run, which are merged as the run goes on.

    ``first_epoch`` is the first that the run closes.
    """

    def __init__(self, session: Path, run: str, first_epoch: int) -> None:
        self._session = session
        self._run = run
        self._first_epoch = first_epoch
        self._files: dict[str, list[tuple[int, CommittedRows]]] = {}
        self._replaced: list[CommittedRows] = []

    def add(self, epoch: int, tables: dict[str, CommittedRows], *, merges: bool) -> dict[str, CommittedRows]:
        """Take the files of an epoch, and return what is to be committed: these, or if it ``merges``, larger ones.

        What is replaced stays until `remove_replaced`.
        """
        for table, file in tables.items():
            self._files.setdefault(table, []).append((epoch, file))
        if not (merges and is_merged_at(epoch, self._first_epoch)):
            return tables
        return tables | {
            table: merged
            for table, files in self._files.items()
            if (merged := self._merged(table, files, epoch)) is not None
        }

    def remove_replaced(self) -> None:
        """Remove files that were merged into others: all ranks know by now that these are committed."""
        for file in self._replaced:
            (self._session / file["file"]).unlink(missing_ok=True)
        self._replaced.clear()

    def _merged(self, table: str, files: list[tuple[int, CommittedRows]], epoch: int) -> CommittedRows | None:
        """Merge the last files of a table into one, unless there is only one, or the last two are large."""
        since = epoch - self._span(epoch)
        count, size = 0, 0
        for its_epoch, file in reversed(files):
            size += file["bytes"]
            if epochs_in(file, its_epoch)[0] <= since or size > MOST_BYTES_WHILE_CRAWLING:
                break
            count += 1
        if count < 2:
            return None
        its_epoch, oldest = files[-count]
        parts = [file for _, file in files[-count:]]
        merged = merge(self._session, table, self._run, parts, epochs_in(oldest, its_epoch)[0], epoch)
        self._replaced += parts
        files[-count:] = [(epoch, merged)]
        return merged

    def _span(self, epoch: int) -> int:
        """Over how many epochs files are merged now: the largest power of `MERGE_EVERY` that divides the count."""
        count, span = epoch - self._first_epoch + 1, MERGE_EVERY
        while count % (span * MERGE_EVERY) == 0:
            span *= MERGE_EVERY
        return span
