"""Making the report of a session: from its folder to a folder with a page, its figures as JSON, its sites as CSV.

Reads the clock: a report says when it was made.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from crawler.session_report.figures import SessionFigures, figures_of
from crawler.session_report.page import as_html
from partition.report.csv_table import as_csv
from sessions.analysis.largest_sites import SiteFigures
from sessions.session import Session, check_claimable, damage_told
from sessions.version import software_version
from sessions.writing.atomic_folder import whole_folder

PAGE, RECORD, SITES = "index.html", "report.json", "sites.csv"
FORMAT_VERSION = 1


def make_session_report(
    session: Path, out: Path, progress: Callable[[str], None] = lambda what: None
) -> SessionFigures:
    """Write the report of a session, finished or not, into ``out``, which is absent or empty, and return its figures.

    Raises SessionError if there is no session, it is damaged, or ``out`` is taken; OSError if ``out`` cannot be
    written.  Nothing of ``out`` is then left.
    """
    check_claimable(out)  # before the work, not after it
    with damage_told(session):
        figures = figures_of(Session.open(session), progress)
    made = datetime.now(UTC)
    record = {
        "format": FORMAT_VERSION,
        "software": f"cutweb {software_version()}",
        "made": made.isoformat(timespec="seconds"),
        **figures.as_dict(),
    }
    with whole_folder(out) as partial:
        (partial / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        (partial / SITES).write_text(as_csv(SiteFigures._fields, figures.sites), encoding="utf-8")
        (partial / PAGE).write_text(as_html(figures, f"{made:%Y-%m-%d %H:%M} UTC"), encoding="utf-8")
    return figures
