"""Making the report of sessions: from their folders to a folder with a page, its figures as JSON, and each as CSV.

Reads the clock: a report says when it was made.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crawler.session_report.chapters import told
from crawler.session_report.figures import SessionFigures, figures_of
from crawler.session_report.page import as_html
from crawler.session_report.report_figure import ToldFigure
from crawler.session_report.session_arrays import SessionArrays
from crawler.worklist.make_worklist import opened
from crawler.worklist.table_share import check_tables
from partition.report.csv_table import as_csv
from sessions.analysis.largest_sites import SiteFigures
from sessions.progress import Say, say_nothing
from sessions.session import Session, SessionError, check_claimable, damage_told
from sessions.storage.temporary_folder import scratch_folder
from sessions.version import software_version
from sessions.writing.atomic_folder import whole_folder

PAGE, RECORD, SITES = "report.html", "report.json", "sites.csv"
FORMAT_VERSION = 2


@dataclass(frozen=True)
class SessionReport:
    """What is told of sessions of one web, in the order of time: of each alone, and figures of all."""

    paths: list[Path]
    sessions: list[SessionFigures]
    figures: list[ToldFigure]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "sessions": [session.as_dict() for session in self.sessions],
            "figures": {
                one.figure.name: {
                    "title": one.figure.title,
                    "meaning": one.figure.meaning,
                    "columns": list(one.figure.head),
                    "rows": {session: [list(row) for row in rows] for session, rows in one.rows.items()},
                    "unknown": one.unknown,
                }
                for one in self.figures
            },
        }


def make_session_report(
    paths: Sequence[Path],
    out: Path,
    hot: int | None = None,
    progress: Say = say_nothing,
) -> SessionReport:
    """Write the report of sessions, finished or not, into ``out``, which is absent or empty, and return it.

    ``hot`` is the number of back-links that a hot page has more of; None chooses it.  Raises SessionError if there is
    no session, one stands there twice, is damaged or has no pages, or ``out`` is taken; OSError if ``out`` cannot be
    written.  Nothing of ``out`` is then left.
    """
    check_claimable(out)  # before the work, not after it
    sessions = opened(paths)
    for session in sessions:
        _check(session, progress)
    made = datetime.now(UTC)
    with whole_folder(out) as partial:
        with scratch_folder("scratch-", partial) as scratch:
            report = _gathered(sessions, hot, scratch, progress)
        _write(report, partial, made)
    return report


def _write(report: SessionReport, folder: Path, made: datetime) -> None:
    record = {
        "format": FORMAT_VERSION,
        "software": f"cutweb {software_version()}",
        "made": made.isoformat(timespec="seconds"),
        **report.as_dict(),
    }
    (folder / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (folder / SITES).write_text(_sites(report), encoding="utf-8")
    for figure in report.figures:
        if any(figure.rows.values()):
            (folder / f"{figure.figure.name}.csv").write_text(_rows(figure), encoding="utf-8")
    (folder / PAGE).write_text(as_html(report.sessions, report.figures, f"{made:%Y-%m-%d %H:%M} UTC"), encoding="utf-8")


def _check(session: Session, progress: Say) -> None:
    progress(f"checking {session.path.name}")
    check_tables(session)
    if not sum(file.rows for file in session.table_files("pages")):
        raise SessionError(f"{session.path}: has no pages to report of")


def _gathered(sessions: Sequence[Session], hot: int | None, scratch: Path, progress: Say) -> SessionReport:
    names = _names(sessions)
    alone = []
    for session, name in zip(sessions, names, strict=True):
        with damage_told(session.path):
            alone.append(figures_of(session, name, progress))
    arrays = (SessionArrays(session, name) for session, name in zip(sessions, names, strict=True))
    return SessionReport([session.path for session in sessions], alone, told(arrays, hot, scratch, progress))


def _names(sessions: Sequence[Session]) -> list[str]:
    """The names of the sessions' folders; of equal ones each but the first has a number."""
    met: Counter[str] = Counter()
    names = []
    for session in sessions:
        name = session.path.resolve().name
        met[name] += 1
        names.append(name if met[name] == 1 else f"{name} ({met[name]})")
    return names


def _sites(report: SessionReport) -> str:
    head = ("session", *SiteFigures._fields)
    return as_csv(head, ((session.name, *site) for session in report.sessions for site in session.sites))


def _rows(figure: ToldFigure) -> str:
    head = ("session", *figure.figure.head)
    return as_csv(head, ((session, *row) for session, rows in figure.rows.items() for row in rows))
