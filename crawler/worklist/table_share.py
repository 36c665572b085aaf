"""A rank's share of the tables of several sessions, a batch at a time, with the place of each row.

What is damaged is named by file and row: before a table is read, its files are compared with their checksums in the
commit records; where one differs, the row is looked for from which on it cannot be read.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from xxhash import xxh3_64

from sessions.schema import TABLES
from sessions.session import CommittedTable, Session, SessionError

TABLES_READ = ("pages", "links", "urls", "outcomes")
MOST_RANKS = 1 << 16
_CHUNK, _ROWS_CHECKED = 1 << 20, 1 << 12


class TableRows(NamedTuple):
    """Rows of a table as they stand in one file.

    ``session`` numbers the sessions from 0, ``rank`` is the folder, and ``first`` the number of the first row among the
    rows of that table in all sessions.
    """

    session: int
    rank: int
    first: int
    batch: pa.RecordBatch


@dataclass(frozen=True)
class TableShare:
    """What rank ``share`` of ``shares`` reads of some sessions, ``rows`` at a time: every ``shares``-th row group."""

    sessions: Sequence[Session]
    share: int
    shares: int
    rows: int

    def check(self) -> None:
        """Compare every ``shares``-th file with its checksum.  Raises SessionError, which names what is damaged."""
        files = [
            (session, file) for session in self.sessions for table in TABLES_READ for file in session.table_files(table)
        ]
        for session, file in files[self.share :: self.shares]:
            _check_file(session, file)

    def read(self, table: str, columns: Sequence[str], required: Sequence[str]) -> Iterator[TableRows]:
        """Yield this rank's share of a table.

        Raises SessionError, which names file and row, where the file cannot be read or a ``required`` column is null.
        """
        wanted = pa.schema([TABLES[table].field(name) for name in columns])
        group, first = 0, 0
        for number, session in enumerate(self.sessions):
            for file in session.table_files(table):
                with _naming(session, file.path, 0):
                    parquet = pq.ParquetFile(file.path)
                with parquet:
                    in_file = 0
                    for its_group in range(parquet.metadata.num_row_groups):
                        if group % self.shares == self.share:
                            row = in_file
                            for batch in _batches(session, file.path, parquet, its_group, row, wanted, self.rows):
                                _check_present(session, file.path, row, batch, required)
                                yield TableRows(number, file.rank, first + row, batch)
                                row += batch.num_rows
                        group, in_file = group + 1, in_file + parquet.metadata.row_group(its_group).num_rows
                    first += in_file


def check_tables(session: Session) -> None:
    """Compare all tables of `TABLES_READ` with their checksums.  Raises SessionError, which names file and row."""
    TableShare([session], 0, 1, _ROWS_CHECKED).check()


def _batches(
    session: Session, path: Path, parquet: pq.ParquetFile, group: int, row: int, wanted: pa.Schema, rows: int
) -> Iterator[pa.RecordBatch]:
    present = set(parquet.schema_arrow.names)
    names = [name for name in wanted.names if name in present]
    with _naming(session, path, row):
        source = parquet.iter_batches(rows, row_groups=[group], columns=names)
    while True:
        with _naming(session, path, row):
            batch = next(source, None)
            if batch is None:
                return
            columns = [
                batch[field.name].cast(field.type) if field.name in present else pa.nulls(batch.num_rows, field.type)
                for field in wanted
            ]
        row += batch.num_rows
        yield pa.RecordBatch.from_arrays(columns, schema=wanted)


def _check_present(session: Session, path: Path, row: int, batch: pa.RecordBatch, required: Sequence[str]) -> None:
    for name in required:
        if batch[name].null_count:
            missing = int(np.flatnonzero(batch[name].is_null().to_numpy(zero_copy_only=False))[0])
            raise SessionError(f"{path}: row {row + missing} has no {name}; cutweb check {session.path} tells more")


def _check_file(session: Session, file: CommittedTable) -> None:
    digest = xxh3_64()
    with _naming(session, file.path, 0), file.path.open("rb") as content:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != file.xxh3:
        _read_whole(session, file)
        raise SessionError(
            f"{file.path}: row 0 or one behind it is damaged: checksum mismatch: the commit record has {file.xxh3}, "
            f"the file {digest.hexdigest()}; cutweb check {session.path} tells more"
        )


def _read_whole(session: Session, file: CommittedTable) -> None:
    """Read a damaged file; SessionError names the row from which on that is impossible."""
    share = TableShare([session], 0, 1, _ROWS_CHECKED)
    row = 0
    with _naming(session, file.path, 0), pq.ParquetFile(file.path) as parquet:
        for group in range(parquet.metadata.num_row_groups):
            for batch in _batches(session, file.path, parquet, group, row, TABLES[file.table], share.rows):
                row += batch.num_rows


@contextmanager
def _naming(session: Session, path: Path, row: int) -> Iterator[None]:
    """Within it, what reading a damaged file raises becomes a SessionError that names file and row."""
    try:
        yield
    except MemoryError:  # Arrow's is an ArrowException as well
        raise
    except FileNotFoundError as error:
        raise SessionError(f"{path}: no such file; cutweb check {session.path} tells more") from error
    except (KeyError, TypeError, ValueError, OSError, pa.ArrowException) as error:
        why = str(getattr(error, "strerror", None) or error).partition("\n")[0]
        told = f"{path}: row {row} cannot be read ({why}); cutweb check {session.path} tells more"
        raise SessionError(told) from error
