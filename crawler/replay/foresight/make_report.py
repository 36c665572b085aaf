"""Making a foresight's report: from sessions to a folder with a page and all figures as JSON and CSV."""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from io import StringIO
from pathlib import Path

from crawler.replay.foresight.figures import FIGURES
from crawler.replay.foresight.findings import sentences
from crawler.replay.foresight.foresight import Foresight, foresee
from crawler.replay.foresight.html_page import as_html
from crawler.replay.foresight.request import ForesightRequest
from sessions.progress import Say
from sessions.writing.atomic_folder import whole_folder

FORMAT_VERSION = 1


def as_json(foresight: Foresight) -> str:
    """The content of report.json."""
    content = {
        "format": FORMAT_VERSION,
        "software": foresight.software,
        "made": foresight.made,
        "stands_out": sentences(foresight),
        "request": asdict(foresight.request),
        "sessions": [asdict(session) for session in foresight.sessions],
        "left_out": [asdict(left) for left in foresight.left_out],
        "unbalanced": [{"model": left.model, "k": left.k} for left in foresight.unbalanced],
        "figures": {
            figure.name: {"title": figure.title, "unit": figure.unit, "meaning": figure.meaning} for figure in FIGURES
        },
        "outlooks": [
            {
                **asdict(outlook.candidate),
                "session": outlook.session,
                "figures": outlook.figures,
                "crowded": outlook.crowded,
            }
            for outlook in foresight.outlooks
        ],
    }
    return json.dumps(content, indent=1) + "\n"


def as_csv(foresight: Foresight) -> str:
    """The content of figures.csv (RFC 4180): a row for each candidate and session.

    ``age`` is in days; a hash has no ``unknown_rule``.  A figure that is not known is empty.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    names = [figure.name for figure in FIGURES]
    writer.writerow(["model", "unknown_rule", "k", "session", "age", "is_predicted", *names])
    for outlook in foresight.outlooks:
        candidate, session = outlook.candidate, foresight.sessions[outlook.session]
        figures = [outlook.figures.get(name) for name in names]
        age = 0.0 if outlook.session == 0 else session.age
        is_predicted = int(outlook.session == 0)
        writer.writerow([candidate.model, candidate.rule, candidate.k, session.name, age, is_predicted, *figures])
    return text.getvalue()


PAGE, RECORD, TABLE = "index.html", "report.json", "figures.csv"


def make_foresight(
    previous: Path,
    later: Sequence[Path],
    out: Path,
    request: ForesightRequest,
    *,
    made: str,
    progress: Say,
    warn: Callable[[str], None] = lambda _: None,
) -> Foresight:
    """Foresee as `foresight.foresee` does, and write the report into ``out``, which is absent or empty.

    ``made`` is the time that stands in it.  Raises SessionError if ``out`` is taken, OSError if it cannot be written,
    and what `foresee` raises.  Nothing of ``out`` is then left.
    """
    with whole_folder(out) as partial:
        foresight = foresee(previous, later, request, made=made, progress=progress, warn=warn, scratch=partial)
        (partial / RECORD).write_text(as_json(foresight), encoding="utf-8")
        (partial / TABLE).write_text(as_csv(foresight), encoding="utf-8")
        (partial / PAGE).write_text(as_html(foresight), encoding="utf-8")
    return foresight
