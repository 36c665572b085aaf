"""What is printed of a foresight: the figures that decide, predicted and actual, at every K."""

from pathlib import Path
from typing import TYPE_CHECKING

from crawler.process.answer_lines import print_answer
from crawler.process.printing import empty_table, headed, printer, which_way_is_good
from crawler.replay.foresight.answer import answer_of
from crawler.replay.foresight.figures import BY_NAME, OVERLAP, scale_of
from crawler.replay.foresight.findings import days, sentences
from crawler.replay.foresight.foresight import Foresight
from crawler.replay.foresight.html_page import notes, warnings
from crawler.replay.foresight.request import Candidate
from crawler.replay.foresight.view import WEIGHTS, View

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = (*WEIGHTS, "wire_bytes_per_page", OVERLAP)
_HEADS = {"storage_imbalance": "storage", "requests_imbalance": "requests", OVERLAP: "overlap"}


def print_foresight(foresight: Foresight, page: Path, session: str, console: "Console | None" = None) -> None:
    """Print the answer, what stands out, a table of the last session, and, of several, how the balance decays with age.

    ``page`` is where all of it is; ``session`` is how the next command names the last session.
    """
    console = console or printer()
    print_answer(answer_of(foresight, session), console)
    for sentence in sentences(foresight):
        console.print(f"- {sentence}")
    for warning in warnings(foresight):
        console.print(f"warning: {warning}")
    for note in notes(foresight):
        console.print(f"note: {note}")
    view, last = View(foresight), len(foresight.sessions) - 1
    table = empty_table(console)
    for column in ("K", "", "model", "unknown URLs"):
        table.add_column(column, justify="right" if column == "K" else "left")
    for name in _SHOWN:
        unit = scale_of(BY_NAME[name], view.values(name, (0, last))).unit
        table.add_column(headed(console, _HEADS.get(name, BY_NAME[name].title.lower()), unit), justify="right")
    for candidate in sorted(view.candidates, key=lambda candidate: candidate.k):
        table.add_row(*_row(view, candidate, last))
    console.print(f"{foresight.sessions[0].name} -> {foresight.sessions[last].name}")
    console.print(f"predicted -> actual; * is beyond the tolerance; {which_way_is_good(console)}")
    console.print(table)
    if last > 1:
        _print_decay(foresight, view, console)
    console.print(f"report: {page}")


def _print_decay(foresight: Foresight, view: View, console: "Console") -> None:
    """A line for each way: its imbalance in each session, by age."""
    k = view.parts[-1]
    table = empty_table(console)
    table.add_column("way")
    for number, session in enumerate(foresight.sessions):
        name = "predicted" if number == 0 else session.name if session.age is None else days(session.age)
        table.add_column(name, justify="right")
    for candidate in view.candidates:
        if candidate.k == k:
            imbalances = [view.imbalance(candidate, number) for number in range(len(foresight.sessions))]
            table.add_row(candidate.way, *(f"{100 * imbalance:,.1f}" for imbalance in imbalances))
    console.print(f"the larger imbalance of storage and requests at K = {k} by age, %")
    console.print(table)


def _row(view: View, candidate: Candidate, session: int) -> list[str]:
    mark = "" if view.is_bearable(candidate, session) else "*"
    cells = [str(candidate.k), mark, candidate.model, candidate.rule or "-"]
    for name in _SHOWN:
        scale = scale_of(BY_NAME[name], view.values(name, (0, session)))
        was, now = (scale.text(view.known(name, candidate, number)) for number in (0, session))
        cells.append(f"{was} -> {now}" if session else now)
    return cells
