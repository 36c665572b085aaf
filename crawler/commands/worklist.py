"""`cutweb worklist`: what to crawl next, ranked by the sessions so far.

Reads the clock: ages are counted up to the present unless ``--now`` says otherwise.
"""

import os
import shlex
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from signal import SIGUSR1
from typing import TYPE_CHECKING, Any

import click

from crawler.config.option_groups import ENDING, OWNERS, RESOURCES, GroupedCommand, grouped_option
from crawler.config.partition_options import out_option, ranks_option
from crawler.config.refusing import or_refuse, refuse_once
from crawler.config.suggestions import OneOf
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.mpi_environment import is_launched
from crawler.process.printing import counted
from crawler.process.problems import problem_of
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell
from crawler.worklist.defaults import CRAWL_SECONDS, GONE, LEAST_MEMORY_MIB, MEMORY_MIB
from crawler.worklist.formulas import FORMULAS, WEIGHTS
from sessions.progress import say_nothing

if TYPE_CHECKING:
    from crawler.worklist.make_worklist import MadeWorklist, WorklistSettings
    from partition.communication.ranks import Ranks


@click.command(cls=GroupedCommand)
@click.argument("sessions", metavar="SESSION...", nargs=-1, required=True, type=click.Path(path_type=Path))
@out_option
@grouped_option(
    ENDING,
    "--by",
    type=OneOf(FORMULAS),
    default="anansi",
    show_default=True,
    help=f"What gives a URL its priority. {FORMULAS.told()}.",
)
@grouped_option(
    ENDING,
    "--weight",
    type=OneOf(WEIGHTS),
    help="For --by value: by what the worth of a visit is multiplied, nothing or 1 + in-degree.  [default: none]",
)
@grouped_option(
    ENDING,
    "--now",
    metavar="TIME",
    help="Up to when ages are counted: ISO 8601, in UTC if it has no time zone.  [default: the present]",
)
@grouped_option(
    ENDING,
    "--crawl-seconds",
    metavar="SECONDS",
    type=click.FloatRange(0, min_open=True),
    default=CRAWL_SECONDS,
    show_default=True,
    help="The time between two crawls, in which ages are counted: 15552000 is 180 days.",
)
@grouped_option(
    ENDING,
    "--gone",
    metavar="N",
    type=click.IntRange(1),
    default=GONE,
    show_default=True,
    help="Leave out URLs whose last N fetches were answered with 404 or 410.",
)
@grouped_option(
    ENDING,
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    help="At most N new and N old URLs, those of highest priority.  [default: all]",
)
@grouped_option(
    OWNERS,
    "--partition",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A partition map: adds the part of each URL.",
)
@ranks_option("Rank", "The worklist is the same.")
@grouped_option(
    RESOURCES,
    "--memory",
    metavar="MIB",
    type=click.IntRange(LEAST_MEMORY_MIB),
    default=MEMORY_MIB,
    show_default=True,
    help="What each rank holds beyond what an empty process takes, in MiB; the rest is sorted on disk beside DIR.",
)
@click.pass_context
def worklist(context: click.Context, /, sessions: tuple[Path, ...], out: Path, **options: Any) -> None:
    """Rank the URLs of sessions of one web: those that were never visited, and those to be visited again.

    Writes the folder DIR.  Which session is the last is told by when they began, not by their order here.  Exits with 0
    if DIR was written; with 2, leaving nothing, if something is wrong.

    \b
    Examples:
      cutweb worklist crawl-1 --out next
      cutweb worklist crawl-1 crawl-2 --out next --by value --weight backlinks
      cutweb worklist crawl-1 crawl-2 --out next --ranks 4 --partition crawl-2-in-4
      cutweb worklist crawl-1 --out by-pagerank --by pagerank --limit 1000000
      cutweb worklist crawl-1 crawl-2 --out next --now 2026-03-01 --crawl-seconds 604800
    """
    now, problems = _now(options["now"])
    if options["weight"] is not None and options["by"] != "value":
        problems.append("--weight is for --by value; leave one of the two out")
    if not isfinite(options["crawl_seconds"]):
        problems.append(f"--crawl-seconds {options['crawl_seconds']}: is no number of seconds")
    refuse_once(context, problems)
    made = _made(context, sessions, out, {**options, "now": now})
    if made is not None:
        _print(made, out)


def _now(text: str | None) -> tuple[datetime, list[str]]:
    """Up to when ages are counted, and what is wrong with it."""
    present = datetime.now(UTC)
    if text is None:
        return present, []
    try:
        told = datetime.fromisoformat(text)
        return (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC), []
    except (ValueError, OverflowError):
        return present, [f"--now {text}: is no time as in 2026-03-01 or 2026-03-01T12:00:00+00:00"]


def _made(
    context: click.Context, sessions: tuple[Path, ...], out: Path, options: dict[str, Any]
) -> "MadeWorklist | None":
    """What was made, on the first rank."""
    from crawler.config.command_line import UsageError
    from crawler.launch.working_together import TogetherError, started, working_together
    from partition.communication.ranks import Ranks

    ranks, about = options.pop("ranks"), sessions[0]
    try:
        if not is_launched(os.environ):
            if ranks is not None and ranks > 1:
                context.exit(started(ranks, context.obj or sys.argv[1:]))
            with leaving_on_signals():
                return or_refuse(context, about, _expected_errors(), lambda: _make(Ranks(), sessions, out, options))
        with leaving_on_signals(also=[SIGUSR1]), working_together(ranks, _expected_errors()) as together:
            made = _make(together, sessions, out, options)
            return made if together.rank == 0 else None
    except UsageError as error:
        refuse_once(context, error.problems)
    except TogetherError as error:
        refuse_once(context, [problem_of(error.problem, about)])
    return None


def _expected_errors() -> tuple[type[Exception], ...]:
    from crawler.worklist.manifest import WorklistError
    from partition.map.manifest import MapError
    from sessions.session import SessionError

    return WorklistError, MapError, SessionError, OSError, MemoryError


def _make(ranks: "Ranks", sessions: tuple[Path, ...], out: Path, options: dict[str, Any]) -> "MadeWorklist":
    from crawler.worklist.make_worklist import make_worklist

    settings = _settings(ranks, options)
    with ProgressLine() as line:
        return make_worklist(ranks, sessions, out, settings, line.say if ranks.rank == 0 else say_nothing)


def _settings(ranks: "Ranks", options: dict[str, Any]) -> "WorklistSettings":
    from crawler.worklist.make_worklist import WorklistSettings

    now = ranks.told(options.pop("now"))
    return WorklistSettings(
        **{**options, "weight": options["weight"] or WEIGHTS[0], "memory": options["memory"] << 20, "now": now}
    )


def _print(made: "MadeWorklist", out: Path) -> None:
    manifest = made.manifest
    for warning in made.warnings:
        tell(f"warning: {warning}", err=True)
    tell(
        f"{out}: {counted(manifest.new, 'new URL')} and {counted(manifest.old, 'old one')} by {manifest.formula}, "
        f"of {counted(len(manifest.sessions), 'session')} with {made.links:,} links at the latest visits"
    )
    for line in _left_behind(made):
        tell(line)
    if manifest.has_urls:
        tell(f"next: cutweb crawl --worklist {shlex.quote(str(out))} --out DIR")


def _left_behind(made: "MadeWorklist") -> Iterator[str]:
    """What change by links leaves behind; nothing if no URL was visited twice."""
    again, kept, without = (getattr(made.manifest, name) for name in ("visited_again", "kept_links", "without_links"))
    if again:
        yield (
            f"of {counted(again, 'old URL')} visited again {kept:,} ({kept / again:.0%}) kept all links: by anansi "
            f"their priority is 0, however old they are; {without:,} ({without / again:.0%}) have no links, which "
            "counts as a change of all, for ever"
        )
