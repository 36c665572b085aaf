"""The rows of a session's tables that one rank has to read to go on."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from sessions.session import CommittedTable, Session

_ROWS_PER_BATCH = 1 << 16


class Rows:
    """The committed rows of the ranks ``folders``, batch by batch, in order of epoch and rank."""

    def __init__(self, session: Session, folders: Sequence[int]) -> None:
        self._session = session
        self._folders = frozenset(folders)

    def files(self, table: str) -> list[CommittedTable]:
        """The files of a table."""
        files = [file for file in self._session.table_files(table) if file.rank in self._folders]
        return sorted(files, key=lambda file: file.epoch)

    def read(self, table: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Some columns of a table."""
        for _, batch in self.read_by_folder(table, columns):
            yield batch

    def read_by_folder(self, table: str, columns: Sequence[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Some columns of a table, each batch with the rank whose folder it is from."""
        for file in self.files(table):
            with pq.ParquetFile(file.path) as parquet:
                for batch in parquet.iter_batches(_ROWS_PER_BATCH, columns=list(columns)):
                    yield file.rank, batch

    def groups(self, table: str, columns: Sequence[str], most: int) -> Iterator[list[pa.RecordBatch]]:
        """Some columns of a table, so many batches at a time that they have ``most`` rows together or a few more."""
        group: list[pa.RecordBatch] = []
        for batch in self.read(table, columns):
            group.append(batch)
            if sum(map(len, group)) >= most:
                yield group
                group = []
        if group:
            yield group


def column(batches: Sequence[pa.RecordBatch], name: str) -> npt.NDArray[Any]:
    """A column of numbers of all batches, one after the other."""
    return np.concatenate([batch.column(name).to_numpy(zero_copy_only=False) for batch in batches])


def rows_of(session: Session, rank: int) -> Rows:
    """The rows that ``rank`` has to look at to find all that is its own now.

    Those in its own folder; all there are, once URLs have moved between ranks.
    """
    return Rows(session, range(session.most_ranks) if session.has_moved else [rank])


def share_of(session: Session, rank: int, ranks: int) -> Rows:
    """The rows that ``rank`` of ``ranks`` reads where each is to be read by some rank."""
    return Rows(session, range(rank, session.most_ranks, ranks))
