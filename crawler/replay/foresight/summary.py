"""What is printed of a foresight: the figures that decide, predicted and actual, at every K."""

from pathlib import Path
from typing import TYPE_CHECKING

from crawler.commands.printing import empty_table, printer
from crawler.replay.foresight.figures import BY_NAME, OVERLAP, scale_of
from crawler.replay.foresight.foreseeing import Foresight
from crawler.replay.foresight.page import notes
from crawler.replay.foresight.request import Candidate
from crawler.replay.foresight.standingout import sentences
from crawler.replay.foresight.view import WEIGHTS, View

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = (*WEIGHTS, "wire_bytes_per_page", OVERLAP)
_HEADS = {"storage_imbalance": "storage", "requests_imbalance": "requests", OVERLAP: "overlap"}


def print_foresight(foresight: Foresight, page: Path, console: "Console | None" = None) -> None:
    """Print what stands out, and a table of the last session; ``page`` is where all of it is."""
    console = console or printer()
    for note in notes(foresight):
        console.print(f"note: {note}", markup=False)
    view, last = View(foresight), len(foresight.sessions) - 1
    table = empty_table(console)
    for column in ("K", "", "model", "unknown URLs"):
        table.add_column(column, justify="right" if column == "K" else "left")
    for name in _SHOWN:
        unit = scale_of(BY_NAME[name], view.values(name, (0, last))).unit
        table.add_column(f"{_HEADS.get(name, BY_NAME[name].title.lower())}, {unit}", justify="right")
    for candidate in sorted(view.candidates, key=lambda candidate: candidate.k):
        table.add_row(*_row(view, candidate, last))
    console.print(f"{foresight.sessions[0].name} -> {foresight.sessions[last].name}", markup=False)
    console.print("predicted > actual; * is beyond the tolerance", markup=False)
    console.print(table)
    for sentence in sentences(foresight):
        console.print(sentence, markup=False)
    console.print(f"report: {page}", markup=False)


def _row(view: View, candidate: Candidate, session: int) -> list[str]:
    mark = "" if view.is_bearable(candidate, session) else "*"
    cells = [str(candidate.k), mark, candidate.model, candidate.rule or "-"]
    for name in _SHOWN:
        scale = scale_of(BY_NAME[name], view.values(name, (0, session)))
        was, now = (scale.text(view.known(name, candidate, number)) for number in (0, session))
        cells.append(f"{was} > {now}" if session else now)
    return cells
