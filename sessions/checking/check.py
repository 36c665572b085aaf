"""Is a session what it should be?  Runs the invariants of `sessions.checking` and gathers what they find.

What is committed is checked, nothing else: a killed run's tail and half-written files are only mentioned.  A stage
whose input is damaged is left out, and a note says so, lest one lost file be told as a million lost pages.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from sessions.checking import commit_records, run_invariants
from sessions.checking.body_invariants import BODY_CHECKS, pair, revisits_repeat_responses, rows_by_warc, unverified
from sessions.checking.problem import Problem
from sessions.checking.read_tables import Rows, read_rows
from sessions.checking.report_invariants import (
    books_balance,
    exchange_is_plausible,
    exchanges_are_of_supersteps,
    external_links_are_counted,
    nobody_is_sent_more_than_there_is,
    reports_equal_exchanges,
    reports_equal_tables,
    verified_links_are_counted,
)
from sessions.checking.rule_invariants import rules_are_recorded
from sessions.checking.table_files import relative, table_file, uncommitted
from sessions.checking.table_invariants import ACROSS, Tables, overlap
from sessions.checking.warc_records import Responses, read_records
from sessions.progress import Progress, quiet
from sessions.records import CommitRecord, Header
from sessions.runs import brought_up_to_date, last_epoch, runs_of
from sessions.schema import TABLES
from sessions.session import HEADER, Session

__all__ = ["Findings", "Problem", "check_session"]

MOST = 20
"""How many problems of a kind are kept unless told otherwise."""


@dataclass
class Findings:
    """What checking a session found.

    ``problems`` by kind (the name of the invariant's function), at most ``most`` of each; ``counts`` says how many
    there were.  ``notes`` are worth knowing but no errors.  ``checked`` counts what was looked at; ``overlap`` the
    pages fetched more than once, where the assignment allows that.
    """

    most: int = MOST
    problems: dict[str, list[Problem]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    overlap: int = 0
    seconds: float = 0.0

    def __repr__(self) -> str:
        """One line: problems may be many and long."""
        what = "good" if self.is_good else f"{self.counts.total()} problems of {len(self.counts)} kinds"
        return f"Findings({what}, {self.checked.total()} things checked)"

    @property
    def is_good(self) -> bool:
        """Nothing is wrong."""
        return not self.counts

    def add(self, kind: str, problems: Iterable[Problem]) -> int:
        """Take in problems of one kind; how many they were."""
        count = 0
        for count, problem in enumerate(problems, start=1):
            if self.counts[kind] + count <= self.most:
                self.problems.setdefault(kind, []).append(problem)
        if count:
            self.counts[kind] += count
        return count

    def as_dict(self) -> dict[str, Any]:
        """For machines; docs/formats.md names the keys."""
        return {
            "good": self.is_good,
            "problems": [
                {"kind": kind, **problem._asdict()} for kind, problems in self.problems.items() for problem in problems
            ],
            "counts": dict(self.counts),
            "notes": self.notes,
            "checked": dict(self.checked),
            "overlap": self.overlap,
            "seconds": round(self.seconds, 3),
        }


def check_session(path: Path, most: int = MOST, progress: Progress = quiet) -> Findings:
    """Check a session, keeping at most ``most`` problems of a kind.

    Raises SessionError if ``path`` is no session, or of a format that this version does not read.
    """
    started = perf_counter()
    findings = Findings(most)
    header = commit_records.read_header(path)
    epochs: list[CommitRecord] = []
    if _shape_is_right(path, header, epochs, findings):
        _check_content(Session(path, brought_up_to_date(header, epochs), epochs), findings, progress)
    else:
        findings.notes.append("the commit records are wrong, so tables and WARC files were not read")
    findings.seconds = perf_counter() - started
    return findings


def _shape_is_right(path: Path, header: Header, epochs: list[CommitRecord], findings: Findings) -> bool:
    """Check session.json and read the commit records; whether the rest of the session can be found through them."""
    if findings.add("header_shape", commit_records.header_shape(header)):
        return False
    if findings.add("read_epochs", commit_records.read_epochs(path, header["epochs"], epochs)):
        return False
    if findings.add("runs_are_told", run_invariants.runs_are_told(header, epochs)):
        return False
    ranks = max(run.ranks for run in runs_of(header, epochs))
    findings.checked.update(ranks=ranks, epochs=last_epoch(epochs))
    disagreements = findings.add("epochs_agree", run_invariants.epochs_agree(header, epochs))
    misnamed = findings.add("names_are_right", run_invariants.names_are_right(header, epochs))
    findings.add("header_is_of_records", run_invariants.header_is_of_records(header, epochs))
    findings.add("reports_grow", run_invariants.reports_grow(epochs))
    findings.add("nothing_is_withdrawn", run_invariants.nothing_is_withdrawn(epochs))
    findings.add("warcs_grow", run_invariants.warcs_grow(epochs))
    findings.add("rules_are_recorded", rules_are_recorded(path))
    findings.notes += _lag(header, epochs)
    findings.notes += _drops(header, epochs)
    return not disagreements and not misnamed


def _lag(header: Header, epochs: Sequence[CommitRecord]) -> list[str]:
    """What session.json does not know of: a run died between a commit and the note of it."""
    last = last_epoch(epochs)
    missing = last - header["epochs"]
    return [f"{HEADER} lags behind by {missing} of the {last} commit records, which hold"] if missing else []


def _drops(header: Header, epochs: Sequence[CommitRecord]) -> list[str]:
    """What bodies were dropped: their pages have none, and that is as it should be."""
    return [
        f"the bodies of {note['pages']:,} pages fetched before {note['before']} were dropped on {note['at']}"
        for note in brought_up_to_date(header, epochs).get("dropped", [])
    ]


def _check_content(session: Session, findings: Findings, progress: Progress) -> None:
    findings.notes += _standing(session)
    findings.notes += uncommitted(session)
    findings.add("books_balance", books_balance(session))
    findings.add("exchange_is_plausible", exchange_is_plausible(session))
    findings.add("verified_links_are_counted", verified_links_are_counted(session))
    tables = _check_tables(session, findings, progress)
    if tables is not None:
        for invariant in ACROSS:
            findings.add(invariant.__name__, invariant(tables))
            progress("comparing tables", ACROSS.index(invariant) + 1, len(ACROSS))
        findings.add("reports_equal_tables", reports_equal_tables(session, tables))
        findings.add("reports_equal_exchanges", reports_equal_exchanges(session, tables))
        findings.add("nobody_is_sent_more_than_there_is", nobody_is_sent_more_than_there_is(session, tables))
        findings.add("exchanges_are_of_supersteps", exchanges_are_of_supersteps(session, tables))
        findings.add("external_links_are_counted", external_links_are_counted(session, tables))
        findings.overlap = overlap(tables)
    _check_bodies(session, tables.rows["pages"] if tables is not None else None, findings, progress)


def _standing(session: Session) -> list[str]:
    """How far the session has come, if it has not come to its end, and in how many runs, if there were several."""
    several = [f"{len(session.runs)} runs, with {_listed(session)} ranks"] if len(session.runs) > 1 else []
    if session.ended is not None:
        return several
    if not session.counting:
        return [*several, "not ended (killed, or still running); nothing is committed"]
    last = session.counting[-1]
    where = f"epoch {last['epoch']}, superstep {last['superstep']}, at {last['committed']}"
    return [*several, f"not ended (killed, or still running); committed as far as {where}"]


def _listed(session: Session) -> str:
    return ", ".join(f"{run.ranks:,}" for run in session.runs)


def _check_tables(session: Session, findings: Findings, progress: Progress) -> Tables | None:
    """Check all tables; None if a file of theirs is damaged, so that they cannot be compared."""
    files = session.table_files()
    damaged = 0
    for number, file in enumerate(files, start=1):
        damaged += findings.add("table_file", table_file(session, file))
        progress("table files", number, len(files))
    if damaged:
        findings.notes.append("table files are damaged, so no table was read")
        return None
    rows: dict[str, Rows] = {}
    for table in TABLES:
        read = read_rows(session, table, findings.add, progress)
        if read is not None:
            rows[table] = read
            findings.checked[table] = len(read)
    if len(rows) < len(TABLES):
        findings.notes.append("tables lack values, so they were not compared with each other")
        return None
    return Tables(
        session.most_ranks,
        session.allows_overlap,
        session.has_moved,
        session.ended is not None,
        session.honours_nofollow,
        session.drops_links,
        rows,
    )


def _check_bodies(session: Session, pages: Rows | None, findings: Findings, progress: Progress) -> None:
    warcs = session.warc_files()
    rows = rows_by_warc(pages, len(warcs)) if pages is not None else []
    out_of_reach = 0
    read: list[tuple[str, Responses]] = []
    for number, warc in enumerate(warcs):
        found = read_records(session, warc, findings.add, progress)
        revisits = int(np.count_nonzero(found.revisit))
        responses = len(found.offset) - revisits
        findings.checked.update(warc_files=1, records=found.records, responses=responses, revisits=revisits)
        read.append((relative(session, warc.path), found))
        if pages is not None:
            pairs = pair(relative(session, warc.path), pages, rows[number], found)
            for invariant in BODY_CHECKS:
                findings.add(invariant.__name__, invariant(pairs))
            out_of_reach += int(unverified(pairs).sum())
    if read and not findings.counts["records_are_readable"] + findings.counts["warc_is_as_committed"]:
        findings.add("revisits_repeat_responses", revisits_repeat_responses(read, session.dropped_before))
    if out_of_reach:
        why = "body cut off, damaged, or in an encoding unknown here"
        findings.notes.append(f"{out_of_reach:,} content digests not verified: {why}")
