"""`cutweb quality`: how good the models' partitions of a session are, as a report."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from crawler.commands.quality_of_map import tell_of_map
from crawler.config.option_groups import CUTTING, OWNERS, RESOURCES, SESSION, GroupedCommand, grouped_option
from crawler.config.option_types import FloatList, NumberList
from crawler.config.partition_options import cutting_options, models_option, previous_option, ranks_option
from crawler.config.rank_shares import problems_of_shares, share_settings
from crawler.config.refusing import or_refuse, refuse_once
from crawler.process.answer_lines import print_answer
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.printing import empty_table, printer
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell
from partition.choices import MOST_PARTS, all_models
from partition.quality.fork_server import fork_server

if TYPE_CHECKING:
    from collections.abc import Callable

    from partition.quality.report import Report
    from partition.quality.request import QualityRequest
    from partition.quality.trial import Outcome

_OF_MAPS = ("session", "table", "ranks")
_COSTS = (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0)


@click.command(cls=GroupedCommand)
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@grouped_option(
    SESSION,
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="New or empty folder for the report; required, but with --map.",
)
@grouped_option(
    OWNERS,
    "--map",
    "table",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Cut nothing and write no report: print how good this map is for SESSION.",
)
@ranks_option("Measure", "Only with --map.")
@grouped_option(
    OWNERS,
    "--parts",
    metavar="K,...",
    type=NumberList(MOST_PARTS),
    default="4,8,16",
    show_default=True,
    help="Numbers of ranks.",
)
@models_option(f"Of {', '.join(all_models())}; what SESSION does not allow is left out.")
@grouped_option(
    CUTTING,
    "--seeds",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Trials of each model at each K, with as many seeds; models without chance are tried once.  More show how far "
    "chance goes.",
)
@grouped_option(
    CUTTING,
    "--seed",
    type=click.IntRange(0, 2**31 - 1001),
    default=1,
    show_default=True,
    help="The first seed.",
)
@grouped_option(
    RESOURCES,
    "--jobs",
    type=click.IntRange(1, 1024),
    help="Trials at a time; if not given, one for each core.",
)
@cutting_options
@previous_option(
    "An earlier map: at its K, report how many bytes move to other owners, against volume, by --migration-costs."
)
@grouped_option(
    OWNERS,
    "--migration-costs",
    metavar="X,...",
    type=FloatList(),
    help="What a moved byte of pages counts in bytes of volume, as --migration-cost of `cutweb partition`; "
    f"{','.join(f'{cost:g}' for cost in _COSTS)} if not given.",
)
@click.pass_context
def quality(context: click.Context, /, session: Path, out: Path | None, **options: Any) -> None:
    """Partition a session by several models and report how good each is: report.html, report.json and CSVs.

    For each model and K, over seeds: imbalance (how much more than the mean the fullest rank has), volume, edge cut,
    messages, bytes on the wire (as they travel, compressed), ranks per site, size and speed of the map, time, memory.
    Each trial runs in a process of its own; with --jobs above 1 they disturb each other's times, nothing else.  Exits
    with 0 if DIR was written; with 2, leaving nothing, if something is wrong.

    \b
    Examples:
      cutweb quality crawl-1 --out crawl-1-quality
      cutweb quality crawl-1 --parts 4,8 --models page,prefix,site-hash --seeds 1 --out quick
      cutweb quality google --jobs 4 --effort high --objective links --out google-quality
      cutweb quality crawl-2 --parts 8 --previous-map crawl-1-in-8 --out crawl-2-moves
      cutweb quality crawl-2 --map crawl-1-in-8 --ranks 4
    """
    refuse_once(context, list(_problems(context, out, options)))
    table, ranks = options.pop("table"), options.pop("ranks")
    if table is not None:
        tell_of_map(context, session, table, ranks)
        return
    assert out is not None
    with leaving_on_signals():
        fork_server()  # first: it gets ready while the session is read
        report = _made(context, session, options, out)
    _print(report, session, out)


def _problems(context: click.Context, out: Path | None, options: dict[str, Any]) -> Iterator[str]:
    if options["table"] is not None:
        for option in context.command.params:
            is_given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
            if is_given and option.name not in _OF_MAPS:
                yield f"--map DIR is measured as it is; leave {option.opts[0]} out"
        return
    if out is None:
        yield "--out DIR is required"
    if options["ranks"] is not None:
        yield "--ranks says how many measure --map DIR, which is missing"
    if options["migration_costs"] is not None and options["previous"] is None:
        yield "--migration-costs say what --previous-map DIR is worth, which is missing"
    if options["rank_shares"] is not None and len(options["parts"]) > 1:
        yield "--rank-shares are those of one number of ranks; name it with --parts"
    else:
        yield from problems_of_shares(options["rank_shares"], options["parts"][0])


def _made(context: click.Context, session: Path, options: dict[str, Any], out: Path) -> "Report":
    from partition.graphs.link_graph import GraphError
    from partition.map.manifest import MapError
    from partition.models.rank_speeds import SpeedError
    from partition.quality.make_report import ReportError, make_report
    from partition.twoma.site_times import TimesError
    from sessions.session import SessionError

    def make() -> "Report":
        with ProgressLine() as line:
            line.say(f"reading {session}")
            return make_report(session, _request(session, options), out, _progress(line), _left_out(line))

    return or_refuse(context, out, (GraphError, MapError, ReportError, SessionError, SpeedError, TimesError), make)


def _request(session: Path, options: dict[str, Any]) -> "QualityRequest":
    from partition.models.settings import Settings
    from partition.quality.request import QualityRequest

    first = options["seed"]
    shares = share_settings(session, options["rank_shares"], options["parts"][0])
    return QualityRequest(
        models=options["models"],
        parts=tuple(sorted(options["parts"])),
        seeds=tuple(range(first, first + options["seeds"])),
        settings=Settings(
            objective=options["objective"],
            tolerance=options["tolerance"],
            balance=options["balance"],
            effort=options["effort"],
            seed=first,
            **shares,
        ),
        unknown=options["unknown"],
        jobs=options["jobs"] or len(os.sched_getaffinity(0)),
        previous=None if options["previous"] is None else str(options["previous"]),
        site_seconds=None if options["site_seconds"] is None else str(options["site_seconds"]),
        migration_costs=tuple(sorted(set(options["migration_costs"] or _COSTS))),
    )


def _progress(line: ProgressLine) -> "Callable[[Outcome, int, int], None]":
    """What shows how many trials are done, and which was the last."""

    def show(outcome: "Outcome", done: int, total: int) -> None:
        line.say(f"{done} of {total} trials done, the last: {outcome.trial}")

    return show


def _left_out(line: ProgressLine) -> "Callable[[list[str]], None]":
    """What says why something is left out."""

    def show(notes: list[str]) -> None:
        line.clear()
        for note in notes:
            tell(f"note: {note}", err=True)

    return show


def _print(report: "Report", session: Path, out: Path) -> None:
    from partition.quality.answer import answer_of, deciding_figure
    from partition.quality.make_report import PAGE
    from partition.report.tables import ResultGrid

    for line in report.warnings:
        tell(f"warning: {line}", err=True)
    print_answer(answer_of(report, shlex.quote(str(session))))
    grid = ResultGrid(report.results, report.request.tolerances)
    figure = deciding_figure(report)
    scale = grid.scale(figure)
    console = printer()
    unit = f", {scale.unit}" if scale.unit else ""
    tell(f"{figure.title}{unit}; less is better; * is beyond the tolerance")
    table = empty_table(console)
    for column in ("K", *grid.models):
        table.add_column(column, justify="right")
    for k in grid.parts:
        cells = [str(k)]
        for model in grid.models:
            spread = grid.spread(figure, model, k)
            cells.append(f"{scale.text(spread.mean)}{'*' if grid.mark(model, k) else ' '}" if spread else "- ")
        table.add_row(*cells)
    console.print(table)
    tell(f"report: {out / PAGE}")
