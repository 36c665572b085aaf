"""`cutweb quality --map`: how good a map that is there is for a session."""

import os
import sys
from pathlib import Path
from signal import SIGUSR1
from typing import TYPE_CHECKING

import click

from crawler.config.refusing import or_refuse, refuse_once
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.mpi_environment import is_launched
from crawler.process.printing import counted
from crawler.process.problems import problem_of
from crawler.process.terminal import tell
from partition.choices import WEIGHTS

if TYPE_CHECKING:
    from partition.shares.map_measures import MapMeasures


def tell_of_map(context: click.Context, session: Path, folder: Path, ranks: int | None) -> None:
    """Measure the map in ``folder`` by a session and print the figures, on as many ranks as were started or asked for.

    What is wrong ends the command with one line and exit code 2.
    """
    from crawler.config.command_line import UsageError

    try:
        measured = _measured(context, session, folder, ranks)
    except UsageError as error:
        refuse_once(context, error.problems)
    else:
        if measured is not None:
            _print(measured, folder)


def _measured(context: click.Context, session: Path, folder: Path, ranks: int | None) -> "MapMeasures | None":
    """What was measured, on the first rank.  Raises UsageError if ranks cannot be started, or are not as many."""
    from crawler.launch.working_together import TogetherError, started, working_together
    from partition.communication.ranks import Ranks
    from partition.graphs.link_graph import GraphError
    from partition.map.manifest import MapError
    from partition.shares.map_measures import map_measures
    from sessions.session import SessionError

    expected = (GraphError, MapError, SessionError, OSError, MemoryError)
    if not is_launched(os.environ):
        if ranks is not None and ranks > 1:
            context.exit(started(ranks, context.obj or sys.argv[1:]))
        with leaving_on_signals():
            return or_refuse(context, session, expected, lambda: map_measures(Ranks(), session, folder))
    try:
        with leaving_on_signals(also=[SIGUSR1]), working_together(ranks, expected) as together:
            measured = map_measures(together, session, folder)
            return measured if together.rank == 0 else None
    except TogetherError as error:
        refuse_once(context, [problem_of(error.problem, session)])
    return None


def _print(measured: "MapMeasures", folder: Path) -> None:
    traffic = measured.found.pages
    imbalances = (
        f"{imbalance:.1%} of {WEIGHTS.load(name).unit}" for name, imbalance in measured.found.imbalances.items()
    )
    tell(
        f"{folder}: {counted(measured.pages, 'page')} in {counted(measured.parts, 'part')}; "
        f"imbalance of these (fullest part over the mean, less one) {', '.join(imbalances)}"
    )
    unit = "bytes of URLs" if measured.has_urls else "URLs"
    tell(
        f"between parts: {traffic.cut_links / max(1, traffic.links):.2%} of {traffic.links:,} links; "
        f"{traffic.sent_bytes:,} {unit} if each is sent once, {traffic.cut_bytes:,} for every link"
    )
    if measured.unknown:
        are = "page is" if measured.unknown == 1 else "pages are"
        tell(f"{measured.unknown:,} {are} not in the map, and belong to whom its rule {measured.rule} says")
