"""A session's folder: claimed once, committed epoch by epoch, opened for reading at any time.

``session.json`` says what was asked, how many epochs are committed and how the run ended.  Each epoch has a commit
record ``epochs/NNNNNN.json`` with the names, lengths and checksums of what every rank had brought to disk.  Renaming
a new ``session.json`` into place is the one instant at which an epoch becomes part of the session.
"""

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sessions.schema import FORMAT_VERSION, TABLES
from sessions.tables import read_table, sync_folder

if TYPE_CHECKING:
    from networkx import DiGraph

HEADER = "session.json"
DISCOVERER = "discoverer"
"""Stands in the name of an assignment by which a rank owns unknown URLs that it finds, so that two may own one."""
FIREWALL, CROSS_OVER = "firewall", "cross-over"
"""Modes of a replay in which ranks send each other nothing; see docs/replay.md."""
_EPOCHS = "epochs"
_SHAPES: dict[str, tuple[type, ...]] = {
    "ranks": (int,),
    "assignment": (str,),
    "configuration": (dict,),
    "ended": (dict, type(None)),
}
"""Keys of the header that every reader relies on, and what they can be."""


class SessionError(Exception):
    """A folder that is no session, or cannot become one; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class CommittedWarc:
    """A WARC file of a session, as far as it is committed: ``bytes`` long, with that xxh3."""

    path: Path
    rank: int
    bytes: int
    xxh3: str


@dataclass(frozen=True, slots=True)
class CommittedTable:
    """A finished table file of a session."""

    path: Path
    table: str
    rank: int
    epoch: int
    bytes: int
    rows: int
    xxh3: str


@dataclass(frozen=True)
class Session:
    """A session opened for reading: only what is committed is seen.

    ``header`` is the content of session.json, ``epochs`` the commit records in order.
    """

    path: Path
    header: dict[str, Any]
    epochs: list[dict[str, Any]] = field(repr=False)

    @classmethod
    def open(cls, path: Path | str) -> "Session":
        """Open a session folder.  Raises SessionError if it is none or its format is newer than this program."""
        path = Path(path)
        if path.is_file():
            raise SessionError(
                f"{path}: is a file, not a session; if it is a WARC file, import it first: cutweb import warc {path} "
                "--out DIR"
            )
        header = _read_json(path / HEADER)
        if header.get("format") != FORMAT_VERSION:
            raise SessionError(f"{path / HEADER}: format {header.get('format')!r}; this version reads {FORMAT_VERSION}")
        for key, shape in _SHAPES.items():
            if key not in header:
                raise SessionError(f"{path / HEADER}: {key} is missing")
            if not isinstance(header[key], shape):
                raise SessionError(f"{path / HEADER}: {key} is {json.dumps(header[key])[:40]}, which it cannot be")
        try:
            numbers = range(1, int(header["epochs"]) + 1)
        except (KeyError, TypeError, ValueError) as error:
            raise SessionError(f"{path / HEADER}: does not say how many epochs are committed") from error
        return cls(path, header, [_read_json(_epoch_path(path, number)) for number in numbers])

    @property
    def ranks(self) -> int:
        """K, the number of ranks that crawled."""
        return int(self.header["ranks"])

    @property
    def allows_overlap(self) -> bool:
        """Whether two ranks may have fetched one page: who found it may own it, or followed it though it did not."""
        return DISCOVERER in self.header["assignment"] or self.header["configuration"].get("mode") == CROSS_OVER

    @property
    def drops_links(self) -> bool:
        """Whether links to URLs that other ranks own were dropped."""
        return bool(self.header["configuration"].get("mode") == FIREWALL)

    @property
    def honours_nofollow(self) -> bool:
        """Whether links that say nofollow were not followed, and bodies of pages that say noindex not kept."""
        return bool(self.header["configuration"].get("honour_nofollow"))

    @property
    def ended(self) -> dict[str, Any] | None:
        """How the crawl ended (reason, time, seconds); None while it runs, or if it was killed."""
        ended: dict[str, Any] | None = self.header["ended"]
        return ended

    def rank_reports(self) -> list[dict[str, Any]]:
        """The counters of each rank as of the last committed epoch, by rank; empty before the first."""
        if not self.epochs:
            return []
        return [rank["report"] for rank in self.epochs[-1]["ranks"]]

    def table_files(self, table: str | None = None) -> list[CommittedTable]:
        """The finished files of one table, or of all, in order of epoch and rank."""
        return [
            CommittedTable(
                self.path / file["file"], name, rank, epoch["epoch"], file["bytes"], file["rows"], file["xxh3"]
            )
            for epoch in self.epochs
            for rank, entry in enumerate(epoch["ranks"])
            for name, file in entry["tables"].items()
            if table is None or name == table
        ]

    def read(self, table: str, columns: Sequence[str] | None = None, rank: int | None = None) -> pa.Table:
        """The committed rows of a table (one of `sessions.schema.TABLES`), of one rank or of all."""
        if table not in TABLES:
            raise KeyError(f"no table {table!r}; there are {', '.join(TABLES)}")
        files = [file for file in self.table_files(table) if rank is None or file.rank == rank]
        return read_table(table, [file.path for file in files], columns)

    def to_networkx(self, *, known: bool = False) -> "DiGraph[str]":
        """The pages and links as a networkx graph of URLs; see `sessions.digraph.digraph`."""
        from sessions.digraph import digraph

        return digraph(self, known=known)

    def warc_files(self) -> list[CommittedWarc]:
        """The WARC files with their committed lengths, in order of rank and name."""
        latest: dict[str, CommittedWarc] = {}
        for epoch in self.epochs:
            for rank, entry in enumerate(epoch["ranks"]):
                for file in entry["warc"]:
                    latest[file["file"]] = CommittedWarc(self.path / file["file"], rank, file["bytes"], file["xxh3"])
        return [latest[name] for name in sorted(latest)]


def new_run_id() -> str:
    """A name for one run of the crawler that sorts by time and that no other run has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def claim(
    path: Path,
    *,
    run: str,
    ranks: int,
    assignment: str,
    configuration: dict[str, Any],
    previous: str | None = None,
) -> dict[str, Any]:
    """Make ``path`` a new session, one that follows ``previous`` if there is such, and return its header.

    The header file is created exclusively: of several processes that claim one folder, one succeeds, the others get
    SessionError, as they do for a folder with anything in it.
    """
    check_claimable(path)
    header = {
        "format": FORMAT_VERSION,
        "software": f"cutweb {software_version()}",
        "run": run,
        "started": _now(),
        "ranks": ranks,
        "assignment": assignment,
        "configuration": configuration,
        "previous": previous,
        "epochs": 0,
        "ended": None,
    }
    try:
        path.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path / HEADER, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError as error:
        raise SessionError(f"{path}: another process has just begun a session here") from error
    except (OSError, ValueError) as error:
        raise SessionError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(_dump(header))
    (path / _EPOCHS).mkdir()
    return header


def check_claimable(path: Path) -> None:
    """Raise SessionError unless ``path`` is absent or an empty folder."""
    try:
        if path.exists() and not path.is_dir():
            raise SessionError(f"{path}: is a file, not a folder")
        if path.is_dir() and any(path.iterdir()):
            raise SessionError(f"{path}: exists and is not empty; name a new folder, or remove this one")
    except (OSError, ValueError) as error:
        raise SessionError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def commit(
    path: Path,
    header: dict[str, Any],
    superstep: int,
    ranks: list[dict[str, Any]],
    ended: dict[str, Any] | None = None,
) -> None:
    """Commit an epoch: ``ranks`` holds what each rank's `Recorder.close_epoch` returned, with its report.

    ``header`` is brought up to date.  ``ended`` is given with the last epoch.
    """
    number = header["epochs"] + 1
    record = {"epoch": number, "run": header["run"], "superstep": superstep, "committed": _now(), "ranks": ranks}
    _replace(_epoch_path(path, number), record)
    header["epochs"] = number
    header["ended"] = {**ended, "at": _now()} if ended is not None else None
    _replace(path / HEADER, header)


def software_version() -> str:
    """The version of the installed distribution."""
    try:
        return version("cutweb")
    except PackageNotFoundError:
        return "0+unknown"


def _epoch_path(path: Path, number: int) -> Path:
    return path / _EPOCHS / f"{number:06d}.json"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SessionError(f"{path}: no such file; is {path.parent} a session?") from error
    except OSError as error:
        raise SessionError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise SessionError(f"{path}: not JSON ({error})") from error
    if not isinstance(content, dict):
        raise SessionError(f"{path}: not a JSON object")
    return content


def _replace(path: Path, content: dict[str, Any]) -> None:
    """Write a file so that it is there either whole or not at all, even after a power cut."""
    partial = path.with_name(f".{path.name}.partial")
    with open(partial, "w", encoding="utf-8") as file:
        file.write(_dump(content))
        file.flush()
        os.fsync(file.fileno())
    partial.rename(path)
    sync_folder(path.parent)


def _dump(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1) + "\n"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
