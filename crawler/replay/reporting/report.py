"""The report of one replay, or of several side by side: a folder with a page, its figures as JSON and as CSV.

Reads the clock: a report says when it was made.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from crawler.replay.recording import Recording
from crawler.replay.reporting.entry import ReportEntry
from crawler.replay.reporting.html_page import as_html
from crawler.replay.reporting.report_files import (
    as_dict,
    measures_as_csv,
    pairs_as_csv,
    quality_as_csv,
    ranks_as_csv,
    timeline_as_csv,
)
from crawler.replay.settings import ReplaySettings
from sessions.writing.atomic_folder import whole_folder

__all__ = ["FILES", "PAGE", "ReportEntry", "write_report"]

PAGE, RECORD = "index.html", "report.json"
MEASURES, RANKS, TIMELINE, QUALITY, PAIRS = "measures.csv", "ranks.csv", "timeline.csv", "quality.csv", "pairs.csv"
FILES = (PAGE, RECORD, MEASURES, RANKS, TIMELINE, QUALITY, PAIRS)


def now_in_utc() -> str:
    """The date that stands in a report: now, to a minute."""
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"


def write_report(
    out: Path, entries: Sequence[ReportEntry], recording: Recording, settings: ReplaySettings, *, made: str
) -> None:
    """Write the report of at least one replay of a recording into ``out``, which is absent or empty.

    ``made`` is the date that stands in it.  The same replays give the same files, but for that and the figures of the
    machine.  Raises SessionError if ``out`` is taken,
    OSError if it cannot be written, ValueError without entries; nothing of ``out`` is then left.
    """
    if not entries:
        raise ValueError("there is nothing to report on")
    with whole_folder(out) as partial:
        texts = {
            RECORD: json.dumps(as_dict(entries, recording, settings, made), indent=1) + "\n",
            MEASURES: measures_as_csv(entries),
            RANKS: ranks_as_csv(entries, recording),
            TIMELINE: timeline_as_csv(entries),
            QUALITY: quality_as_csv(entries),
            PAIRS: pairs_as_csv(entries),
            PAGE: as_html(entries, recording, settings, made),
        }
        for name, text in texts.items():
            (partial / name).write_text(text, encoding="utf-8")
