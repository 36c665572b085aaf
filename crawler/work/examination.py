"""Is a result what it should be?  All that can be known of it is looked at, the cheap before the dear.

What is known in the end: that the volunteer's key signed exactly these files, that they are a whole session in which
every number, digest and link agrees with every other, and that its requests are those of the unit, made when they might
be made.  Not known is whether the servers really said so: only another volunteer's eyes help there
(`crawler.work.overlap`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.rank.left_urls import NOT_LISTED
from crawler.work.ledger import BACK, REPLACED, ExportedUnit, Ledger, is_over
from crawler.work.refusals import Refusal
from crawler.work.request_times import CLOCKS_DIFFER, check_delays, check_times
from crawler.work.result_file import Statement, read_statement, unpack
from crawler.work.run_unit import ASSIGNMENT, configuration_of
from crawler.work.unit import SignedUnit, Unit, read_unit, unit_name
from crawler.work.unpacked_sizes import check_unpacked, most_result_bytes
from crawler.work.volunteers import KnownVolunteer, accepted_volunteer
from crawler.work.work_error import WorkError
from sessions.checking.check import Findings, check_session
from sessions.schema import FAILED
from sessions.session import EPOCHS, HEADER, Session, SessionError, epoch_path
from sessions.url import Hashes, url_hashes

_ODD = (SessionError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError, pa.ArrowException)
"""What a session may raise whose JSON or Parquet somebody has invented."""
_WARC_KINDS = {"records_are_readable", "warc_is_as_committed", "record_has_its_own_member"}
_DIGEST_KINDS = {"block_digest_is_valid", "payload_digest_is_valid", "content_is_the_decoded_body"}


@dataclass(frozen=True)
class Received:
    """What results are held against: the units of a worklist, whose they may be, and when they were received."""

    units: Path
    worklist: str
    ledger: Ledger
    volunteers: Mapping[str, KnownVolunteer]
    at: datetime


@dataclass(frozen=True)
class Examined:
    """A result in which nothing is wrong: its unit, whose it is, and the session that was unpacked."""

    path: Path
    line: ExportedUnit
    unit: Unit
    volunteer: KnownVolunteer
    session: Session


@dataclass(frozen=True)
class Attributed:
    """A result whose signature is good: it is of a unit that is out, and of somebody whose results are taken."""

    statement: Statement
    line: ExportedUnit
    signed: SignedUnit
    volunteer: KnownVolunteer

    @property
    def unit(self) -> Unit:
        """What the unit says."""
        return self.signed.unit


def examine(path: Path, received: Received, folder: Path) -> Examined:
    """Unpack a result into a new ``folder`` and look at all of it.  Raises Refusal at the first thing that is wrong."""
    with path.open("rb") as file:
        statement = read_statement(file)
        found = attribute(statement, received)
        try:
            session = _session_of(file, path.stat().st_size, found, folder, received.at)
        except Refusal as refusal:
            raise refusal.of(found.line.unit, statement.key) from None
    return Examined(path, found.line, found.unit, found.volunteer, session)


def _session_of(file: BinaryIO, size: int, found: Attributed, folder: Path, at: datetime) -> Session:
    """Unpack what stands behind a statement; the session that it is.  Raises Refusal."""
    unit, members = found.unit, found.statement.files
    most = most_result_bytes(unit)
    if max(size, sum(member.bytes for member in members)) > most:
        raise Refusal("size", f"{size:,} bytes; a result of this unit may have {most:,}")
    folder.mkdir()
    unpack(file, found.statement, folder)
    check_unpacked(folder, unit)
    session = _checked(folder, found.signed)
    _check_urls(session, unit)
    check_times(session, unit, at)
    check_delays(session, unit)
    return session


def attribute(statement: Statement, received: Received) -> Attributed:
    """Find the unit and the volunteer of a statement.  Raises Refusal if either is not taken."""
    volunteer = accepted_volunteer(received.volunteers, statement.key, received.at)
    if statement.worklist != received.worklist:
        raise Refusal("other-worklist", f"of worklist {statement.worklist[:40]!r}, not {received.worklist}")
    line = received.ledger.by_sha256(statement.unit)
    if line is None:
        raise Refusal("unknown-unit", f"the ledger has no unit whose file has the SHA-256 {statement.unit[:64]!r}")
    try:
        _check_standing(line, statement, received)
        return Attributed(statement, line, unit_of(received.units, line), volunteer)
    except Refusal as refusal:
        raise refusal.of(line.unit, statement.key) from None


def _check_standing(line: ExportedUnit, statement: Statement, received: Received) -> None:
    """Raise Refusal unless a result of this unit, from who signed the statement, may come in now."""
    standing = received.ledger.standing(line.unit, received.at)
    if standing == BACK:
        merged = received.ledger.merged[line.unit]
        raise Refusal("twice", f"unit {line.unit} was merged on {merged.at} into {merged.session}")
    if standing == REPLACED:
        raise Refusal("replaced", f"unit {line.unit} was handed out anew as {received.ledger.replaced[line.unit]}")
    if is_over(line.deadline, received.at - CLOCKS_DIFFER):
        raise Refusal("expired", f"unit {line.unit} was worth something until {line.deadline}")
    if line.repeats is not None and received.ledger.merged[line.repeats].key == statement.key:
        raise Refusal("own-overlap", f"unit {line.unit} repeats unit {line.repeats}, which the same key has fetched")


def unit_of(units: Path, line: ExportedUnit) -> SignedUnit:
    """Read the unit of a line of the ledger.  Raises WorkError if it is not the one that went out."""
    path = units / unit_name(line.unit)
    signed = read_unit(path)
    if signed.sha256 != line.sha256:
        raise WorkError(f"{path}: not the unit that went out, by its SHA-256; put that one back")
    return signed


def _checked(folder: Path, signed: SignedUnit) -> Session:
    """The session in a folder, in which ``cutweb check`` finds nothing wrong."""
    try:
        _check_alone(folder)
        findings = check_session(folder, most=1)
        if not findings.is_good:
            raise _refusal_for(findings)
        session = Session.open(folder)
    except _ODD as error:
        told = str(error).replace(f"{folder}/", "").partition("\n")[0]
        raise Refusal("session", told or type(error).__name__) from error
    (first, *later) = session.runs
    if session.dropped:
        raise Refusal("session", "its bodies were dropped")
    if later or session.ranks != 1 or session.ended is None or first.assignment != ASSIGNMENT:
        raise Refusal("session", "not the session of one rank that came to its end in one run")
    if first.configuration != configuration_of(signed):
        raise Refusal("session", "crawled by other options than those of the unit")
    _check_committed(session)
    return session


def _check_alone(folder: Path) -> None:
    """Raise Refusal if a session says that it has more than one rank: room would be made for as many as it says."""
    header = json.loads((folder / HEADER).read_bytes())
    records = [json.loads(path.read_bytes()) for path in sorted((folder / EPOCHS).glob("*.json"))]
    if header["ranks"] != 1 or any(
        "resumes" in one for record in records for one in (record, *record.get("folded", ()))
    ):
        raise Refusal("session", "not the session of one rank that came to its end in one run")


def _check_committed(session: Session) -> None:
    """Raise Refusal if there is more in a session's folder than its commit records name."""
    tables, warcs = session.table_files(), session.warc_files()
    named = {session.path / HEADER, *(file.path for file in tables), *(file.path for file in warcs)}
    named |= {epoch_path(session.path, number) for number in range(1, session.last_epoch + 1)}
    unnamed = sorted(path for path in session.path.rglob("*") if path.is_file() and path not in named)
    if unnamed:
        raise Refusal("file-extra", f"{unnamed[0].relative_to(session.path)} is no part of the session")
    for warc in warcs:
        if warc.path.stat().st_size != warc.bytes:
            raise Refusal("warc", f"{warc.path.name} goes on behind what was committed")


def _refusal_for(findings: Findings) -> Refusal:
    kinds = list(findings.problems)
    kind = min(kinds, key=lambda name: (name not in _WARC_KINDS, name not in _DIGEST_KINDS, kinds.index(name)))
    reason = "warc" if kind in _WARC_KINDS else "digest" if kind in _DIGEST_KINDS else "session"
    problem = findings.problems[kind][0]
    place = "" if problem.row is None else f" {problem.row}"
    return Refusal(reason, f"{problem.file}{place}: {problem.text}")


def _check_urls(session: Session, unit: Unit) -> None:
    """Raise Refusal unless each URL of a unit has a page, an outcome, or a reason why it is left; and no other has."""
    urls = [url for url, _ in unit.urls]
    listed = url_hashes(urls)
    pages = session.read("pages", ["hash"])["hash"].to_numpy()
    outcomes = session.read("outcomes", ["hash", "state"])
    frontier = session.read("frontier", ["hash", "reason"])
    settled, failed = outcomes["hash"].to_numpy(), _are(outcomes, "state", FAILED)
    left = frontier["hash"].to_numpy()[~_are(frontier, "reason", NOT_LISTED)]
    foreign = np.setdiff1d(np.concatenate([pages, settled[failed], left]), listed)
    if len(foreign):
        raise Refusal("url-foreign", f"{_named(session, int(foreign[0]))} is not in the unit")
    missing = np.flatnonzero(~np.isin(listed, np.concatenate([pages, settled, left])))
    if len(missing):
        raise Refusal("url-missing", f"{urls[int(missing[0])]} has neither page nor outcome")


def _are(table: pa.Table, column: str, value: str) -> npt.NDArray[np.bool_]:
    equal: npt.NDArray[np.bool_] = np.array([one == value for one in table[column].to_pylist()], bool)
    return equal


def _named(session: Session, url_hash: int) -> str:
    """A URL of a session by its hash."""
    urls = session.read("urls", ["hash", "url"])
    known: Hashes = urls["hash"].to_numpy()
    return str(urls["url"][int(np.flatnonzero(known == url_hash)[0])].as_py())
