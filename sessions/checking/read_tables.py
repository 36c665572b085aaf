"""Reads every table once, in batches: checks single rows and keeps the columns that tie tables together.

What is kept takes 17 bytes for a link, 16 for a referral, 11 for a URL, 8 for an outcome and 70 for a page; strings are
not kept.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sessions.checking.problem import Problem, Report
from sessions.checking.row_invariants import ROW_CHECKS, SOUND, Batch, Found
from sessions.checking.table_files import relative
from sessions.progress import Progress
from sessions.runs import Run
from sessions.schema import TABLES
from sessions.session import CommittedTable, Session

_ROWS_PER_BATCH = 1 << 17
DIGEST_BYTES = 20

_KEPT: dict[str, dict[str, Any]] = {
    "pages": {
        "hash": np.uint64,
        "status": np.uint16,
        "bytes": np.int64,
        "decoded_bytes": np.int64,
        "content_digest": f"V{DIGEST_BYTES}",
        "has_digest": np.bool_,
        "is_cut": np.bool_,
        "warc": np.int32,
        "warc_offset": np.int64,
        "duplicate_of": np.uint64,
        "is_duplicate": np.bool_,
        "is_unchanged": np.bool_,
    },
    "links": {"source": np.uint64, "target": np.uint64, "flags": np.uint8},
    "urls": {"hash": np.uint64, "depth": np.uint16, "hops": np.uint8},
    "outcomes": {"hash": np.uint64},
    "nearer": {"hash": np.uint64, "depth": np.uint16, "hops": np.uint8},
    "frontier": {"hash": np.uint64},
    "robots": {},
    "exchanges": {
        "superstep": np.uint32,
        "rank": np.uint16,
        "receiver": np.uint16,
        "urls": np.int64,
        "numbers": np.int64,
        "bytes": np.int64,
        "wire_bytes": np.int64,
    },
    "referrals": {"source": np.uint64, "target": np.uint64},
    "rests": {},
    "external_sites": {"links": np.int64},
    "external_urls": {"source": np.uint64},
}
_COUNTED = {"outcomes": ["state", "reason"], "frontier": ["reason"]}


@dataclass(frozen=True)
class Rows:
    """A table's kept columns, of all its files in order of rank and epoch.

    ``starts`` int64[files + 1] is the row at which each file begins; ``rank_starts`` int64[K + 1] likewise for ranks.
    ``counts`` counts rows by (rank, state, reason) for outcomes, by (rank, reason) for the frontier. Of pages, ``warc``
    numbers the session's WARC files (see `sessions.checking.row_invariants.NO_WARC`), ``duplicate_of`` is 0 and
    ``is_duplicate`` false where it is null, ``is_unchanged`` says that there is unchanged_since, and ``is_cut`` that
    the body came in part or with an error.
    """

    names: list[str]
    starts: npt.NDArray[np.int64]
    rank_starts: npt.NDArray[np.int64]
    columns: dict[str, npt.NDArray[Any]]
    counts: Counter[tuple[Any, ...]]

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        return self.columns[column]

    def rank(self, rank: int) -> slice:
        """Where a rank's rows stand."""
        return slice(int(self.rank_starts[rank]), int(self.rank_starts[rank + 1]))

    def problem(self, row: int, text: str) -> Problem:
        """A problem in a row of the table, told by its file and the row there."""
        file = int(np.searchsorted(self.starts, row, side="right")) - 1
        return Problem(self.names[file], int(row - self.starts[file]), text)


def read_rows(session: Session, table: str, report: Report, progress: Progress) -> Rows | None:
    """Read a table, report what is wrong with single rows, and return what is kept of it.

    None if it has nulls or strings that make all comparison pointless; they have been reported.
    """
    # sorted is stable: within a rank, the order of epochs stays
    files = sorted(session.table_files(table), key=lambda file: file.rank)
    lengths = [file.rows for file in files]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ranks = np.repeat([file.rank for file in files], lengths)
    columns = {column: np.empty(starts[-1], dtype) for column, dtype in _KEPT[table].items()}
    counts: Counter[tuple[Any, ...]] = Counter()
    numbers = _warc_numbers(session)
    runs, with_bodies, dropped = session.runs, _runs_with_bodies(session), session.dropped_before
    is_sound = True
    for file, start in zip(files, starts, strict=False):
        row = int(start)
        its_runs = _runs_of(file, runs)
        with pq.ParquetFile(file.path) as parquet:
            for rows in parquet.iter_batches(_ROWS_PER_BATCH, columns=TABLES[table].names):
                batch = Batch(rows, file, its_runs, numbers[file.rank], with_bodies, session.honours_nofollow, dropped)
                if _is_right(batch, SOUND, report, session, row - int(start)):
                    _is_right(batch, ROW_CHECKS[table], report, session, row - int(start))
                    for column, values in _kept(batch).items():
                        columns[column][row : row + len(rows)] = values
                    counts.update(_counted(batch))
                else:
                    is_sound = False
                row += len(rows)
                progress(table, row, int(starts[-1]))
    if not is_sound:
        return None
    names = [relative(session, file.path) for file in files]
    rank_starts = np.searchsorted(ranks, np.arange(session.most_ranks + 1))
    return Rows(names, starts, rank_starts, columns, counts)


def _warc_numbers(session: Session) -> list[dict[str, int]]:
    """For each rank, the place of its WARC files in the session's list of them."""
    numbers: list[dict[str, int]] = [{} for _ in range(session.most_ranks)]
    for number, warc in enumerate(session.warc_files()):
        numbers[warc.rank][warc.path.name] = number
    return numbers


def _runs_with_bodies(session: Session) -> frozenset[str]:
    """The runs that kept bodies: WARC files begin with their run's name, unless they were merged with a later one's."""
    names = [warc.path.name for warc in session.warc_files()]
    return frozenset(
        run.run
        for run in session.runs
        if run.configuration.get("store_bodies") or any(name.startswith(run.run) for name in names)
    )


def _runs_of(file: CommittedTable, runs: Sequence[Run]) -> frozenset[str]:
    """The runs that committed the epochs of which a file has rows."""
    ends = [*(run.first_epoch for run in runs[1:]), sys.maxsize]
    return frozenset(
        run.run for run, end in zip(runs, ends, strict=True) if run.first_epoch <= file.epoch and file.first_epoch < end
    )


def _is_right(
    batch: Batch, checks: Sequence[Callable[[Batch], Found]], report: Report, session: Session, start: int
) -> bool:
    """Report what the checks find in a batch that begins in row ``start`` of its file; True if they find nothing."""
    name = relative(session, batch.file.path)
    wrong = 0
    for check in checks:
        wrong += report(check.__name__, (Problem(name, start + row, text) for row, text in check(batch)))
    return wrong == 0


def _kept(batch: Batch) -> dict[str, npt.NDArray[Any]]:
    if batch.file.table != "pages":
        return {column: batch.numbers(column) for column in _KEPT[batch.file.table]}
    kept = {column: batch.numbers(column) for column in ("hash", "status", "bytes", "decoded_bytes")}
    digests = batch.rows.column("content_digest")
    cut = pc.or_(pc.is_valid(batch.rows.column("truncated")), pc.is_valid(batch.rows.column("error")))
    return kept | {
        "content_digest": _binary(digests),
        "has_digest": digests.is_valid().to_numpy(zero_copy_only=False),
        "is_cut": cut.to_numpy(zero_copy_only=False),
        "warc": batch.warc_numbers(),
        "warc_offset": batch.rows.column("warc_offset").fill_null(-1).to_numpy(zero_copy_only=False),
        "duplicate_of": batch.rows.column("duplicate_of").fill_null(0).to_numpy(zero_copy_only=False),
        "is_duplicate": batch.rows.column("duplicate_of").is_valid().to_numpy(zero_copy_only=False),
        "is_unchanged": batch.rows.column("unchanged_since").is_valid().to_numpy(zero_copy_only=False),
    }


def _binary(array: pa.FixedSizeBinaryArray) -> npt.NDArray[np.void]:
    """The values of a column of digests, whatever its nulls hold."""
    values = np.frombuffer(array.buffers()[1], dtype=f"V{DIGEST_BYTES}")
    return values[array.offset : array.offset + len(array)]


def _counted(batch: Batch) -> dict[tuple[Any, ...], int]:
    columns = _COUNTED.get(batch.file.table)
    if columns is None:
        return {}
    groups = pa.Table.from_batches([batch.rows]).group_by(columns).aggregate([([], "count_all")])
    rank = batch.file.rank
    return {(rank, *(group[column] for column in columns)): group["count_all"] for group in groups.to_pylist()}
