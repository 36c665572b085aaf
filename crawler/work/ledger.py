"""ledger.jsonl: what became of each unit, a JSON object a line, only ever appended to.

A line ``exported`` is written when a unit goes out, ``merged`` or ``refused`` when a result of it was dealt with.  All
else follows from these lines.  Who appends holds the lock from the reading of the ledger on, so that two exports give
no site out twice and two merges accept no unit twice.  A line without its end is what a killed process left: it says
nothing, and the next one replaces it.

Reads the clock: deadlines are compared with the present, and lines say when they were written.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from crawler.work.work_error import WorkError

LEDGER = "ledger.jsonl"
EXPORTED, MERGED, REFUSED = "exported", "merged", "refused"
OUT, LATE, BACK, REPLACED = "out", "late", "back", "replaced"
STANDINGS = (OUT, LATE, BACK, REFUSED, REPLACED)
"""How a unit stands: nothing came of it yet; nor until its deadline; merged; what came was refused; handed out anew."""


class ExportedUnit(NamedTuple):
    """A line ``exported``: a unit that went out.

    ``sha256`` is of its file, ``identity`` of its URLs; ``key`` is the public key that signed it, ``exported`` and
    ``deadline`` are ISO 8601.  It has the URLs of unit ``again``, if that is given, or some of those of unit
    ``repeats``, to be compared.
    """

    unit: int
    sha256: str
    worklist: str
    identity: str
    urls: int
    key: str
    exported: str
    deadline: str
    again: int | None = None
    repeats: int | None = None


class MergedUnit(NamedTuple):
    """A line ``merged``: a unit whose result is rank ``rank`` of a session (an absolute path).

    ``key`` and ``name`` are the volunteer's, ``at`` is ISO 8601.  Of a unit that repeats another, ``compared`` URLs
    were compared with what ``other``, the key of the first volunteer, saw, and ``differing`` of them differ.
    """

    unit: int
    key: str
    name: str
    at: str
    session: str
    rank: int
    compared: int = 0
    differing: int = 0
    other: str | None = None


class RefusedUnit(NamedTuple):
    """A line ``refused``: a result of a unit was not taken.  ``key`` is that of who signed it, None if nobody did."""

    unit: int
    key: str | None
    at: str
    reason: str


Line = ExportedUnit | MergedUnit | RefusedUnit
_KINDS: Mapping[str, type[Line]] = {EXPORTED: ExportedUnit, MERGED: MergedUnit, REFUSED: RefusedUnit}


@dataclass
class Ledger:
    """A ledger that was read: its units by number, and what became of them."""

    path: Path
    units: dict[int, ExportedUnit] = field(default_factory=dict)
    merged: dict[int, MergedUnit] = field(default_factory=dict)
    refused: dict[int, RefusedUnit] = field(default_factory=dict)
    """The latest refusal of each unit."""
    replaced: dict[int, int] = field(default_factory=dict)
    """Units that were handed out anew, and as what."""
    repeated: set[int] = field(default_factory=set)
    """Units of whose URLs some were handed out once more to be compared."""

    @property
    def worklist(self) -> str | None:
        """The identity of the worklist whose URLs it hands out; None before the first."""
        return next((unit.worklist for unit in self.units.values()), None)

    @property
    def next_number(self) -> int:
        """The number of the next unit."""
        return max(self.units, default=0) + 1

    def by_sha256(self, sha256: str) -> ExportedUnit | None:
        """The unit whose file has this SHA-256; None if none was handed out."""
        return next((unit for unit in self.units.values() if unit.sha256 == sha256), None)

    def standing(self, number: int, at: datetime) -> str:
        """How a unit stands at a time: one of `STANDINGS`."""
        if number in self.merged:
            return BACK
        if number in self.replaced:
            return REPLACED
        if number in self.refused:
            return REFUSED
        return LATE if is_over(self.units[number].deadline, at) else OUT

    def is_out(self, number: int, at: datetime) -> bool:
        """May somebody still be fetching the URLs of a unit?"""
        is_settled = number in self.merged or number in self.replaced
        return not is_settled and not is_over(self.units[number].deadline, at)

    def take(self, line: Line) -> None:
        """Take in what a line says."""
        if isinstance(line, ExportedUnit):
            self.units[line.unit] = line
            if line.again is not None:
                self.replaced[line.again] = line.unit
            if line.repeats is not None:
                self.repeated.add(line.repeats)
        elif isinstance(line, MergedUnit):
            self.merged[line.unit] = line
        else:
            self.refused[line.unit] = line


def present() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)


def is_over(deadline: str, at: datetime) -> bool:
    """Is a time, ISO 8601, before another?"""
    return datetime.fromisoformat(deadline) < at


def read_ledger(folder: Path) -> Ledger:
    """Read the ledger of a folder of units.  Raises WorkError if there is none or a line is damaged."""
    path = folder / LEDGER
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise WorkError(f"{path}: no such file; cutweb work export --out DIR begins one") from error
    except OSError as error:
        raise WorkError(f"{path}: {error.strerror}") from error
    ledger = Ledger(path)
    for number, text in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            ledger.take(_line_of(json.loads(text)))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise WorkError(f"{path}: line {number}: damaged; put back a copy, or mend the line") from error
    return ledger


@contextmanager
def locked(folder: Path) -> Iterator["OpenLedger"]:
    """A folder's ledger, which nobody else appends to meanwhile; an empty one is made if there is none.

    Raises WorkError if it is damaged, or another process has it.
    """
    path = folder / LEDGER
    try:
        file = path.open("a+b")
    except OSError as error:
        raise WorkError(f"{path}: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise WorkError(f"{path}: another export or merge is at work; try again when it has ended") from error
        yield OpenLedger(file, read_ledger(folder))


class OpenLedger:
    """A ledger under lock: what it says, and the way to say more."""

    def __init__(self, file: BinaryIO, ledger: Ledger) -> None:
        self._file = file
        self.ledger = ledger

    def append(self, lines: Sequence[Line]) -> None:
        """Append lines, on disk when this returns: all of them, or what a later reader takes for none."""
        if not lines:
            return
        file = self._file
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write("".join(json.dumps(_as_json(line)) + "\n" for line in lines).encode())
        file.flush()
        os.fsync(file.fileno())
        for line in lines:
            self.ledger.take(line)


def _as_json(line: Line) -> dict[str, Any]:
    event = next(name for name, kind in _KINDS.items() if isinstance(line, kind))
    return {"event": event, **line._asdict()}


def _line_of(told: dict[str, Any]) -> Line:
    line = _KINDS[told.pop("event")](**told)
    if not isinstance(line.unit, int):
        raise TypeError("a unit is known by its number")
    if isinstance(line, ExportedUnit):
        datetime.fromisoformat(line.deadline)
    return line
