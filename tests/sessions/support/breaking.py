"""Breaks a session in one place and keeps the rest consistent, as a bug in the crawler would: a row is changed, and
the commit record says what the file now holds."""

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from xxhash import xxh3_64

LAST_EPOCH = 3
LAST_RECORD = "epochs/000003.json"
HEADER = "session.json"
Json = dict[str, Any]
Rows = list[dict[str, Any]]

Breakage = Callable[[Path], str]
"""Breaks a session and returns the name of the file in which that must be reported."""


def edit_json(path: Path, change: Callable[[Json], object]) -> None:
    """Change a JSON object in place."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def edit_header(session: Path, change: Callable[[Json], object]) -> None:
    edit_json(session / "session.json", change)


def edit_epoch(session: Path, change: Callable[[Json], object], epoch: int = LAST_EPOCH) -> None:
    edit_json(session / "epochs" / f"{epoch:06d}.json", change)


def edit_report(session: Path, change: Callable[[Json], object], rank: int = 0, epoch: int = LAST_EPOCH) -> None:
    edit_epoch(session, lambda record: change(record["ranks"][rank]["report"]), epoch)


def table_entry(session: Path, table: str, rank: int, epoch: int) -> Json:
    """What a commit record says of a table file."""
    record = json.loads((session / "epochs" / f"{epoch:06d}.json").read_text())
    entry: Json = record["ranks"][rank]["tables"][table]
    return entry


def replace_table(session: Path, table: str, changed: pa.Table, rank: int, epoch: int) -> str:
    """Write other rows over a table file and commit them; the file's name."""
    sink = pa.BufferOutputStream()
    pq.write_table(changed, sink)
    return replace_file(session, table, sink.getvalue().to_pybytes(), changed.num_rows, rank, epoch)


def replace_file(session: Path, table: str, data: bytes, rows: int, rank: int, epoch: int) -> str:
    """Write other bytes over a table file and commit them; the file's name."""
    name: str = table_entry(session, table, rank, epoch)["file"]
    (session / name).write_bytes(data)
    entry = {"file": name, "bytes": len(data), "rows": rows, "xxh3": xxh3_64(data).hexdigest()}
    edit_epoch(session, lambda record: record["ranks"][rank]["tables"].update({table: entry}), epoch)
    return name


def edit_rows(session: Path, table: str, change: Callable[[Rows], object], rank: int = 0, epoch: int = 2) -> str:
    """Change a table file's rows, a list of dicts, in place; the file's name."""
    old = pq.read_table(session / table_entry(session, table, rank, epoch)["file"])
    rows = old.to_pylist()
    change(rows)
    return replace_table(session, table, pa.Table.from_pylist(rows, schema=old.schema), rank, epoch)


def warc_name(session: Path, rank: int = 0) -> str:
    """The name of a rank's only WARC file."""
    (path,) = (session / f"rank-{rank:04d}").glob("*.warc.gz")
    return path.relative_to(session).as_posix()


def replace_warc(session: Path, data: bytes, rank: int = 0) -> str:
    """Write other content over a WARC file and commit it in the last epoch; the file's name."""
    name = warc_name(session, rank)
    (session / name).write_bytes(data)

    def commit(record: Json) -> None:
        entry = {"file": name, "bytes": len(data), "xxh3": xxh3_64(data).hexdigest()}
        record["ranks"][rank]["warc"] = [entry]

    edit_epoch(session, commit)
    return name


def members(data: bytes) -> list[bytes]:
    """The gzip members of a file, still compressed."""
    found = []
    while data:
        stream = zlib.decompressobj(31)
        stream.decompress(data)
        found.append(data[: len(data) - len(stream.unused_data)])
        data = stream.unused_data
    return found


def edit_members(session: Path, change: Callable[[list[bytes]], object], rank: int = 0) -> str:
    """Change a WARC file's members in place; the file's name."""
    path = session / warc_name(session, rank)
    found = members(path.read_bytes())
    change(found)
    return replace_warc(session, b"".join(found), rank)


def flip(path: Path, offset: int) -> None:
    """Flip a bit, as a failing disk does."""
    with open(path, "r+b") as file:
        file.seek(offset, os.SEEK_END if offset < 0 else os.SEEK_SET)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))
