"""Making a foresight's report: from sessions to a folder."""

from collections.abc import Callable, Sequence
from pathlib import Path

from crawler.replay.foresight.foresight import Foresight, Progress, foresee
from crawler.replay.foresight.html_page import as_html
from crawler.replay.foresight.report_files import as_csv, as_json
from crawler.replay.foresight.request import ForesightRequest
from sessions.writing.atomic_folder import whole_folder

PAGE, RECORD, FIGURES = "index.html", "report.json", "figures.csv"


def make_foresight(
    previous: Path,
    later: Sequence[Path],
    out: Path,
    request: ForesightRequest,
    *,
    made: str,
    progress: Progress,
    warn: Callable[[str], None] = lambda _: None,
) -> Foresight:
    """Foresee as `foresight.foresee` does, and write the report into ``out``, which is absent or empty.

    ``made`` is the time that stands in it.  Raises SessionError if ``out`` is taken, OSError if it cannot be written,
    and what `foresee` raises.  Nothing of ``out`` is then left.
    """
    with whole_folder(out) as partial:
        foresight = foresee(previous, later, request, made=made, progress=progress, warn=warn, scratch=partial)
        (partial / RECORD).write_text(as_json(foresight), encoding="utf-8")
        (partial / FIGURES).write_text(as_csv(foresight), encoding="utf-8")
        (partial / PAGE).write_text(as_html(foresight), encoding="utf-8")
    return foresight
