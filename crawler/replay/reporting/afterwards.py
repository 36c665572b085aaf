"""What a replay under MPI has shown: measured when it has ended, on rank 0, from the session that it left."""

from pathlib import Path

from crawler.peakmemory import peak_memory
from crawler.replay.course import course_of
from crawler.replay.measuring.importance import importance_of
from crawler.replay.measuring.measures import measures_of
from crawler.replay.measuring.timeline import timeline_of
from crawler.replay.ownership import Ownership, ownership_by_hash, ownership_by_map
from crawler.replay.recording import Recording, recording_of
from crawler.replay.reporting.entry import Entry
from crawler.replay.reporting.report import write_report
from crawler.replay.settings import ReplaySettings
from partition.hashing import ASSIGNMENTS
from sessions.session import Session

REPORT = "report"
"""The folder of the report in the session."""


def report_on(replayed: Path, recorded: Path, settings: ReplaySettings) -> Entry:
    """Measure a replay of the session ``recorded`` and write the report into its folder."""
    session, recording = Session.open(replayed), recording_of(recorded)
    ownership = _ownership(session, recording)
    course, importance = course_of(session, recording), importance_of(recording)
    reports = session.rank_reports()
    entry = Entry(
        ownership.name,
        session.ranks,
        ownership.name,
        measures_of(recording, ownership, course, settings, importance),
        timeline_of(recording, course, importance),
        course,
        float(session.ended["seconds"]) if session.ended else 0.0,
        max(max(report["peak_rss"] for report in reports), peak_memory()),
    )
    write_report(replayed / REPORT, [entry], recording, settings)
    return entry


def _ownership(session: Session, recording: Recording) -> Ownership:
    configuration = session.header["configuration"]
    if session.header["assignment"] in ASSIGNMENTS:
        return ownership_by_hash(recording, session.header["assignment"], session.ranks)
    return ownership_by_map(recording, Path(configuration["partition"]), configuration["unknown"])
