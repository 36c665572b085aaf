"""What a replay under MPI has shown: measured when it has ended, on rank 0, from the session that it left."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from crawler.exchange.verdict import Ending
from crawler.replay.course import course_of
from crawler.replay.measuring.importance import importance_of
from crawler.replay.measuring.measures import measures_of
from crawler.replay.measuring.timeline import timeline_of
from crawler.replay.ownership import Ownership, ownership_by_hash, ownership_by_map
from crawler.replay.recording import Recording, as_replayed, recording_of
from crawler.replay.reporting.answer import answer_of
from crawler.replay.reporting.clock import clock_of
from crawler.replay.reporting.entry import ReportEntry
from crawler.replay.reporting.report import now_in_utc, write_report
from crawler.replay.settings import ReplaySettings
from crawler.replay.warnings import map_warnings, session_warnings
from partition.choices import ASSIGNMENTS
from partition.report.answer import Answer
from sessions.peak_memory import peak_memory
from sessions.session import Session

REPORT = "report"
"""The folder of the report in the session."""


def report_on(
    replayed: Path, recorded: Path, settings: ReplaySettings, further: Sequence[str] = ()
) -> tuple[ReportEntry, Answer]:
    """Measure a replay of the session ``recorded`` and write the report into its folder; what it shows, and answers.

    ``further`` are lines that its reader has to know, beside those about the session and the map.
    """
    session, recording = Session.open(replayed), recording_of(recorded)
    ownership = _ownership(session, recording)
    course, importance = course_of(session, recording), importance_of(recording)
    asked = session.header["configuration"]["replay"]
    as_read = as_replayed(recording, session, has_links=asked["bodies"])
    is_timed = asked["latency"] is not None
    seconds = float(session.ended["seconds"]) if session.ended else 0.0
    reports = session.rank_reports()
    entry = ReportEntry(
        ownership.name,
        session.ranks,
        ownership.name,
        measures_of(recording, ownership, course, settings, importance, as_read),
        timeline_of(as_read, course, importance),
        course,
        _seconds_of_machine(session) if is_timed else seconds,
        max(max(report["peak_rss"] for report in reports), peak_memory()),
        virtual_seconds=seconds if is_timed else 0.0,
        as_read=as_read,
        asked=clock_of(asked) if is_timed else {},
        warnings=(
            *session_warnings(recording),
            *(map_warnings(recording, ownership.unknown) if ownership.numbers is not None else ()),
            *further,
        ),
        is_cut_off=session.ended is None or session.ended["reason"] == Ending.SIGNAL,
    )
    write_report(replayed / REPORT, [entry], recording, settings, made=now_in_utc())
    return entry, answer_of([entry], recording, str(recorded))


def _seconds_of_machine(session: Session) -> float:
    """How long a replay in virtual time took, to a second: its own clock does not tell."""
    if session.ended is None:
        return 0.0
    began, ended = (datetime.fromisoformat(text) for text in (session.header["started"], session.ended["at"]))
    return (ended - began).total_seconds()


def _ownership(session: Session, recording: Recording) -> Ownership:
    configuration = session.header["configuration"]
    if session.header["assignment"] in ASSIGNMENTS:
        return ownership_by_hash(recording, session.header["assignment"], session.ranks)
    return ownership_by_map(recording, Path(configuration["partition"]), configuration["unknown"])
