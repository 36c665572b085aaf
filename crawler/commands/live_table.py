"""The table of a crawl that goes on: how each rank stands, what it fetches a second, what was committed last."""

from typing import TYPE_CHECKING, NamedTuple

from crawler.monitoring.live_file import Live, LiveRank
from crawler.monitoring.progress_display import elapsed
from crawler.monitoring.silence import Silence, Standstill
from crawler.process.printing import empty_table, number, size

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_COLUMNS = ("rank", "pages", "pages/s", "received", "queued", "in flight", "waiting", "errors")


class RankStanding(NamedTuple):
    """What somebody who looks at a session's files knows of its latest run.

    ``live`` is the last reading of its live file, ``before`` the one before that; None where there is none.  ``epoch``
    was committed ``epoch_age`` seconds ago (0 and None: none was).  For ``silence`` seconds nothing has been written.
    ``has_ended``: nothing more will be.  ``silences`` are the ranks that are silent, ``standstill`` that of all, if
    nobody is; it ``pauses`` if its operator wants that.
    """

    run: str
    live: Live | None
    before: Live | None
    epoch: int
    epoch_age: float | None
    silence: float
    has_ended: bool = False
    silences: tuple[Silence, ...] = ()
    standstill: Standstill | None = None
    pauses: bool = False


def heading(standing: RankStanding) -> str:
    """One line on the run as a whole."""
    if standing.epoch_age is None:
        committed = "nothing committed yet"
    elif standing.has_ended:
        committed = f"epoch {standing.epoch:,} was the last"
    else:
        committed = f"epoch {standing.epoch:,} committed {elapsed(standing.epoch_age)} ago"
    if standing.live is None:
        return f"run {standing.run}: nothing to see yet, for {elapsed(standing.silence)}; {committed}"
    live = standing.live
    return f"run {standing.run}: superstep {live.superstep:,}, {elapsed(live.seconds)}; {committed}"


def live_table(standing: RankStanding, console: "Console") -> "Table":
    """A row for each rank and one for all; without a reading there is only the heading of the columns."""
    table = empty_table(console)
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    live, before = standing.live, standing.before
    if live is None:
        return table
    for rank, state in enumerate(live.ranks):
        table.add_row(str(rank), *_cells(state, _rate(live, before, [rank])))
    everywhere = range(len(live.ranks))
    total = LiveRank(*map(sum, zip(*live.ranks, strict=True)))
    table.add_row("all", *_cells(total, _rate(live, before, everywhere)), style="bold")
    return table


def _cells(state: LiveRank, rate: float | None) -> list[str]:
    counts = (state.queued, state.in_flight, state.waiting, state.errors)
    return [f"{state.pages:,}", number(rate), size(state.bytes), *(f"{count:,}" for count in counts)]


def _rate(live: Live, before: Live | None, ranks: "range | list[int]") -> float | None:
    """Pages a second of some ranks between two readings, by the crawl's own clock; None if there is only one."""
    if before is None or live.seconds <= before.seconds:
        return None
    fetched = sum(live.ranks[rank].pages - before.ranks[rank].pages for rank in ranks)
    return fetched / (live.seconds - before.seconds)
