"""A worklist opened for reading."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from crawler.worklist.manifest import (
    MANIFEST,
    SEEDS,
    RankedSession,
    WorklistError,
    WorklistManifest,
    read_manifest,
)
from crawler.worklist.rows import KINDS, NEW, OF_OLD, SCHEMA, RowsFile, digest_of, length_and_xxh3
from sessions.url import url_hashes

_BATCH_ROWS = 1 << 14


class PlacedRows(NamedTuple):
    """Rows of a worklist, and where they stand: row ``first`` of a file, counted from 0, and those behind it."""

    path: Path
    first: int
    batch: pa.RecordBatch

    def place(self, row: int) -> str:
        """How a message names a row of the batch, counted from 0."""
        return f"{self.path}: row {self.first + row}"


@dataclass(frozen=True)
class Worklist:
    """A worklist's folder, whose manifest has been read; `rows` reads its rows."""

    path: Path
    manifest: WorklistManifest

    @property
    def identity(self) -> str:
        """What no other worklist has: 16 hex digits."""
        return self.manifest.identity

    @property
    def last_session(self) -> RankedSession:
        """The session that began last of those that were ranked."""
        return self.manifest.sessions[-1]

    @property
    def seeds(self) -> tuple[str, ...]:
        """The last session's seeds, canonical URLs; none if it has none.  Raises WorklistError if damaged."""
        if self.manifest.seeds is None:
            return ()
        path = self.path / SEEDS
        try:
            found = length_and_xxh3(path)[1]
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise WorklistError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
        if found != self.manifest.seeds:
            raise WorklistError(
                f"{path}: checksum mismatch: {MANIFEST} has {self.manifest.seeds}, the file has {found}"
            )
        return tuple(text.splitlines())

    def count(self, kind: str) -> int:
        """How many URLs of a kind there are."""
        return self.manifest.new if kind == NEW else self.manifest.old

    def rows(self, kind: str, batch_rows: int = _BATCH_ROWS) -> Iterator[PlacedRows]:
        """Yield the rows of a kind from the highest priority down, at most ``batch_rows`` at once.

        Raises WorklistError, which names file and row, at the first row that is not what a worklist has there.
        """
        end: _End | None = None
        for file in self.manifest.files:
            if file.kind == kind:
                for placed in self._placed(file, batch_rows):
                    _check_rows(placed, kind)
                    end = _check_order(placed, end)
                    yield placed

    def check(self) -> None:
        """Read all of it.  Raises WorklistError, which names the file and, where one is to blame, the row."""
        digest = 0
        for kind in KINDS:
            for placed in self.rows(kind):
                digest = (digest + digest_of(placed.batch)) % 2**64
        for file in self.manifest.files:
            found = length_and_xxh3(self.path / file.file)[1]
            if found != file.xxh3:
                raise WorklistError(
                    f"{self.path / file.file}: checksum mismatch: {MANIFEST} has {file.xxh3}, the file has {found}"
                )
        if f"{digest:016x}" != self.manifest.digest:
            raise WorklistError(f"{self.path / MANIFEST}: damaged: the rows of its files have another digest")

    def _placed(self, file: RowsFile, batch_rows: int) -> Iterator[PlacedRows]:
        path, first = self.path / file.file, 0
        try:
            with pq.ParquetFile(path) as table:
                _check_columns(path, table.schema_arrow)
                for group in range(table.metadata.num_row_groups):  # asked for all, Arrow keeps those it has read
                    for batch in table.iter_batches(batch_rows, row_groups=[group], columns=SCHEMA.names):
                        yield PlacedRows(path, first, batch)
                        first += batch.num_rows
        except (OSError, pa.ArrowException) as error:
            told = getattr(error, "strerror", None) or str(error).partition("\n")[0]
            raise WorklistError(f"{path}: damaged from row {first} on: {told}") from error
        if first != file.rows:
            raise WorklistError(f"{path}: damaged: ends at row {first}, and {MANIFEST} says that it has {file.rows:,}")


def open_worklist(path: Path | str) -> Worklist:
    """Open a worklist: its manifest is read, and its files are looked for.

    Raises WorklistError if it is none, is of another format, or if its manifest is damaged or a file missing.
    """
    path = Path(path)
    manifest = read_manifest(path)
    for file in manifest.files:
        if not (path / file.file).is_file():
            raise WorklistError(f"{path / file.file}: no such file, though {MANIFEST} names it; make the worklist anew")
    return Worklist(path, manifest)


class _End(NamedTuple):
    """By what the last row of a batch stands where it does."""

    priority: float
    age: float
    hash: int


def _check_columns(path: Path, found: pa.Schema) -> None:
    for field in SCHEMA:
        if field.name not in found.names:
            raise WorklistError(f"{path}: damaged: column {field.name} is missing")
        if found.field(field.name).type != field.type:
            raise WorklistError(
                f"{path}: damaged: column {field.name} is {found.field(field.name).type}, not {field.type}"
            )


def _check_rows(placed: PlacedRows, kind: str) -> None:
    batch = placed.batch
    for field in SCHEMA:
        is_null = batch[field.name].is_null().to_numpy(zero_copy_only=False)
        if not field.nullable:
            _refuse_first(placed, is_null, f"has no {field.name}")
        elif field.name in OF_OLD:
            _refuse_first(
                placed, is_null != (kind == NEW), f"{field.name} must be null for new URLs, and for no others"
            )
    _refuse_first(placed, pc.not_equal(batch["kind"], kind).to_numpy(zero_copy_only=False), f"its kind is not {kind}")
    is_other = url_hashes(batch["url"].to_pylist()) != batch["hash"].to_numpy()
    _refuse_first(placed, is_other, "the hash is not that of the URL")
    _refuse_first(placed, ~np.isfinite(batch["priority"].to_numpy()), "the priority is no number")


def _check_order(placed: PlacedRows, before: _End | None) -> _End | None:
    """Check that rows stand in order, behind what came ``before``; the end of these."""
    batch = placed.batch
    if not batch.num_rows:
        return before
    columns = [batch["priority"].to_numpy(), _ages(batch), batch["hash"].to_numpy()]
    if before is not None:
        columns = [
            np.concatenate([np.array([value], column.dtype), column])
            for value, column in zip(before, columns, strict=True)
        ]
    priority, age, hashes = columns
    is_behind = (priority[1:] < priority[:-1]) | (
        (priority[1:] == priority[:-1]) & ((age[1:] < age[:-1]) | ((age[1:] == age[:-1]) & (hashes[1:] > hashes[:-1])))
    )
    is_misplaced = np.concatenate([np.zeros(batch.num_rows - len(is_behind), bool), ~is_behind])
    _refuse_first(placed, is_misplaced, "stands out of order")
    return _End(float(priority[-1]), float(age[-1]), int(hashes[-1]))


def _ages(batch: pa.RecordBatch) -> npt.NDArray[np.float64]:
    ages: npt.NDArray[np.float64] = batch["age"].fill_null(0.0).to_numpy(zero_copy_only=False)
    return ages


def _refuse_first(placed: PlacedRows, is_wrong: npt.NDArray[Any], why: str) -> None:
    wrong = np.flatnonzero(is_wrong)
    if len(wrong):
        raise WorklistError(f"{placed.place(int(wrong[0]))}: damaged: {why}")
