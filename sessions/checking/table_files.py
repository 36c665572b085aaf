"""Table files as files: there, whole, unchanged since the commit, and of the right columns."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from xxhash import xxh3_64

from sessions.checking.problem import Problem
from sessions.folding import first_record
from sessions.records import CommittedRows
from sessions.runs import withdrawn
from sessions.schema import TABLES
from sessions.session import CommittedTable, Session, epoch_path
from sessions.writing.truncate import rank_folders

_CHUNK_BYTES = 1 << 20


def relative(session: Session, path: Path) -> str:
    """A file's name as problems give it: relative to the session's folder."""
    return path.relative_to(session.path).as_posix()


def table_file(session: Session, file: CommittedTable) -> Iterator[Problem]:
    """A table file is there, byte for byte as committed, and Parquet with the rows and columns it should have."""
    name = relative(session, file.path)
    try:
        length, digest = _measure(file.path)
    except OSError as error:
        yield Problem(name, None, f"committed, but cannot be read ({error.strerror})")
        return
    if length != file.bytes:
        yield Problem(name, None, f"is {length:,} bytes long; {file.bytes:,} were committed")
    elif digest != file.xxh3:
        yield Problem(name, None, f"has changed since it was committed (xxh3 {digest}, not {file.xxh3})")
    else:
        for text in _wrong_in_parquet(file):
            yield Problem(name, None, text)


def _measure(path: Path) -> tuple[int, str]:
    digest = xxh3_64()
    length = 0
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            length += len(chunk)
    return length, digest.hexdigest()


def _wrong_in_parquet(file: CommittedTable) -> Iterator[str]:
    try:
        with pq.ParquetFile(file.path) as parquet:
            schema, rows = parquet.schema_arrow, parquet.metadata.num_rows
    except (pa.ArrowException, OSError) as error:
        yield f"is not readable as Parquet ({error})"
        return
    if rows != file.rows:
        yield f"has {rows:,} rows; {file.rows:,} were committed"
    expected: pa.Schema = TABLES[file.table]
    present = {field.name: field.type for field in schema}
    for field in expected:
        found = present.pop(field.name, None)
        if found is None:
            yield f"lacks column {field.name}"
        elif found != field.type:
            yield f"column {field.name} is {found}, not {field.type}"
    for column in present:
        yield f"has a column {column} that table {file.table} does not have"


def uncommitted(session: Session) -> Iterator[str]:
    """Sentences on what lies in the session's folders and belongs to no committed epoch: no error, but worth saying.

    A killed run leaves such things: half-written tables, an epoch that not all ranks closed, the tail of a WARC file.
    """
    committed = {file.path for file in session.table_files()}
    for warc in session.warc_files():
        committed.add(warc.path)
        tail = warc.path.stat().st_size - warc.bytes if warc.path.exists() else 0
        if tail > 0:
            yield f"{relative(session, warc.path)}: {tail:,} bytes after the committed {warc.bytes:,}"
    no_ends = {session.path / file["file"] for file in _withdrawn_tables(session)}
    for folder in rank_folders(session.path):
        for path in sorted(folder.iterdir()):
            if path not in committed:
                why = "of an end that a later run withdrew" if path in no_ends else "not committed"
                yield f"{relative(session, path)}: {why}"
    numbers = range(first_record(session.epochs), session.last_epoch + 1)
    there = {epoch_path(session.path, number) for number in numbers}
    for path in sorted((session.path / "epochs").glob("*")):
        if path not in there:
            yield f"{relative(session, path)}: not committed"
    for path in sorted(session.path.glob(".*.partial")):
        yield f"{path.name}: not committed"


def _withdrawn_tables(session: Session) -> Iterator[CommittedRows]:
    for record in withdrawn(session.epochs):
        for entry in record["ranks"]:
            yield from entry["tables"].values()
