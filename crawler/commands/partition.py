"""`cutweb partition`: which rank of the next crawl owns which page."""

import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from signal import SIGUSR1
from typing import TYPE_CHECKING, Any

import click

from crawler.commands.partition_in_words import (
    expectation_in_words,
    how_it_was_made,
    moves_in_words,
    warnings_of,
)
from crawler.config.learning_options import learner_settings, learning_options, problems_of_learning, unknown_rule
from crawler.config.option_groups import CUTTING, OWNERS, SESSION, GroupedCommand, grouped_option
from crawler.config.partition_options import cutting_options, out_option, previous_option, ranks_option
from crawler.config.rank_shares import problems_of_shares, share_settings
from crawler.config.refusing import or_refuse, refuse_if_any, refuse_once
from crawler.config.suggestions import OneOf
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.mpi_environment import is_launched, launched_as
from crawler.process.printing import counted
from crawler.process.problems import problem_of
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import tell
from partition.choices import BALANCED, LEARNT_MODELS, MODELS, MODELS_BY_RANKS, MOST_PARTS, map_models
from sessions.progress import say_nothing

if TYPE_CHECKING:
    from partition.communication.ranks import Ranks
    from partition.make_partition.made_partition import MadePartition
    from partition.models.settings import Settings

_OF_SETTINGS = (
    "objective",
    "tolerance",
    "effort",
    "seed",
    "migration_cost",
    "time_cost",
    "balance",
    "kahypar",
    "threads",
)


@click.command(cls=GroupedCommand)
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@grouped_option(
    OWNERS,
    "--parts",
    metavar="K",
    type=click.IntRange(1, MOST_PARTS),
    required=True,
    help="Ranks of the next crawl.",
)
@out_option
@grouped_option(
    CUTTING,
    "--model",
    type=OneOf(map_models()),
    default="page",
    show_default=True,
    help=f"What is kept together. {MODELS.told()}; {LEARNT_MODELS.told()}.",
)
@cutting_options
@learning_options
@previous_option(
    "An earlier map, to whose owners pages are left where that costs nothing, or not too much; for --model twoma, by "
    "which SESSION was crawled, and from whose states sites go on. With --time-cost or --balance seconds, what was "
    "measured before it counts as well."
)
@grouped_option(
    OWNERS,
    "--migration-cost",
    metavar="X",
    type=click.FloatRange(0),
    help="How many bytes of URLs between parts (see --objective) it is worth that a byte of pages keeps its owner in "
    "--previous-map; 0, which is the default, gives the parts their old numbers and no more.",
)
@ranks_option("Cut", f"Only for --model {', '.join(MODELS_BY_RANKS)}.")
@grouped_option(
    CUTTING,
    "--one-rank-limit",
    metavar="N",
    type=click.IntRange(1),
    default=2_000_000,
    show_default=True,
    help="With several ranks: vertices that one rank cuts by itself; what has more is first made smaller by all.",
)
@grouped_option(
    CUTTING,
    "--streaming",
    is_flag=True,
    help="For webs that fit nowhere: never hold the links in memory, but sort pages and links on disk beside DIR, and "
    "pass over them a batch of pages at a time, the oftener the higher --effort is. Only for --model page.",
)
@grouped_option(
    CUTTING,
    "--threads",
    metavar="N",
    type=click.IntRange(1),
    help="Threads that cut; the parts are the same whatever their number.  [default: as many as there are cores that "
    "this process may use, or its part of these if several ranks run on one machine]",
)
@grouped_option(
    CUTTING,
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=1,
    show_default=True,
    help="Of all random choices.",
)
@grouped_option(
    SESSION,
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a page that shows the cut to FILE as well: where sites lie, what parts send each other, what costs "
    "most.",
)
@click.pass_context
def partition(context: click.Context, /, session: Path, out: Path, page: Path | None, **options: Any) -> None:
    """Cut the links of a finished session into K parts of equal weight, for the K ranks of the next crawl.

    Writes the map DIR.  `cutweb crawl --ranks K --partition DIR` crawls by it; `cutweb quality` compares models.
    Exits with 0 if DIR was written, though the parts may be unbalanced if SESSION allows no better (a warning says
    so); with 2, leaving nothing (but DIR if FILE alone cannot be written), if something is wrong.

    \b
    Examples:
      cutweb partition crawl-1 --parts 8 --out crawl-1-in-8
      cutweb partition crawl-1 --parts 8 --ranks 4 --out crawl-1-in-8
      cutweb partition crawl-1 --parts 8 --streaming --out crawl-1-in-8
      cutweb partition crawl-1 --parts 8 --model prefix --effort high --out by-prefix
      cutweb partition crawl-1 --parts 8 --balance storage,requests,links=0.1 --out even-links
      cutweb partition crawl-1 --parts 8 --out crawl-1-in-8 --html crawl-1-in-8.html
      cutweb partition crawl-1 --parts 3 --rank-shares 1,1,2 --out third-rank-has-half
      cutweb partition crawl-2 --parts 8 --previous-map crawl-1-in-8 --migration-cost 0.001 --out crawl-2-in-8
      cutweb partition crawl-1 --parts 8 --model twoma --learn settling --out crawl-1-learnt
      cutweb partition crawl-1 --parts 8 --model prefix --learn settling --time-cost 1000 --out near-and-together
      cutweb partition crawl-1 --parts 8 --balance bytes,requests,seconds --out as-long-each
    """
    refuse_once(context, [*_problems(page, options), *problems_of_learning(context, options)])
    options["unknown"] = unknown_rule(context, options)
    ranks, limit, streams = options.pop("ranks"), options.pop("one_rank_limit"), options.pop("streaming")
    if is_launched(os.environ):
        made = _made_by_ranks(context, session, out, page, options, ranks, limit)
    elif ranks is not None and ranks > 1:
        context.exit(_started(context, ranks))
    else:
        with leaving_on_signals():
            made = _streamed(context, session, out, options) if streams else _made(context, session, out, page, options)
    if made is not None:
        _print(made, session, out)
    if page is not None:
        tell(f"page: {page}")


def _problems(page: Path | None, options: dict[str, Any]) -> Iterator[str]:
    yield from problems_of_shares(options["rank_shares"], options["parts"])
    if (options["ranks"] or launched_as(os.environ)[1]) > 1:
        yield from _problems_of_ranks(page, options)
    if options["streaming"]:
        yield from _problems_of_streaming(page, options)
    if options["migration_cost"] is not None and options["previous"] is None:
        yield "--migration-cost says what --previous-map DIR is worth, which is missing"


def _problems_of_ranks(page: Path | None, options: dict[str, Any]) -> Iterator[str]:
    """What several ranks cannot do."""
    if options["model"] not in MODELS_BY_RANKS:
        others = f"--model {', '.join(MODELS_BY_RANKS[:-1])} or {MODELS_BY_RANKS[-1]}"
        yield f"--ranks: the model {options['model']} is cut by one process; leave --ranks out, or take {others}"
    if options["migration_cost"]:
        yield "--ranks: a cut with --migration-cost is made by one process; leave one of the two out"
    if options["time_cost"] is not None:
        yield "--ranks: a cut with --time-cost is made by one process; leave one of the two out"
    if page is not None:
        yield "--ranks: the page of --html is made by one process; leave one of the two out"
    for weight in options["balance"] or ():
        if weight not in BALANCED:
            yield f"--ranks: {weight} in --balance is balanced by one process; leave one of the two out"


def _problems_of_streaming(page: Path | None, options: dict[str, Any]) -> Iterator[str]:
    """What is not done a batch of pages at a time."""
    if options["model"] != "page":
        yield f"--streaming: the model {options['model']} is cut as a whole; leave one out, or take --model page"
    if options["objective"] != "sent":
        yield f"--streaming: --objective {options['objective']} is for cuts as a whole; leave one of the two out"
    if options["previous"] is not None:
        yield "--streaming: a cut with --previous-map is made as a whole; leave one of the two out"
    if options["time_cost"] is not None:
        yield "--streaming: a cut with --time-cost is made as a whole; leave one of the two out"
    if page is not None:
        yield "--streaming: the page of --html shows a cut as a whole; leave one of the two out"
    if is_launched(os.environ) or (options["ranks"] or 1) > 1:
        yield "--streaming is done by one process; leave --ranks out, and start no ranks"
    for weight in options["balance"] or ():
        if weight not in BALANCED:
            yield f"--streaming: {weight} in --balance is balanced as a whole; leave one of the two out"


def _started(context: click.Context, ranks: int) -> int:
    """Run this very command as ranks; the exit code."""
    from crawler.config.command_line import UsageError
    from crawler.launch.working_together import started

    try:
        return started(ranks, context.obj or sys.argv[1:])
    except UsageError as error:
        refuse_if_any(context, error.problems)
        raise


def _made_by_ranks(
    context: click.Context,
    session: Path,
    out: Path,
    page: Path | None,
    options: dict[str, Any],
    ranks: int | None,
    limit: int,
) -> "MadePartition | None":
    """As one of the ranks that a launcher started: what was made, on rank 0."""
    from crawler.config.command_line import UsageError
    from crawler.launch.working_together import TogetherError, working_together

    try:
        with leaving_on_signals(also=[SIGUSR1]), working_together(ranks, _expected_errors()) as together:
            if together.size > 1:
                made = _made_together(together, session, out, options, limit)
                return made if together.rank == 0 else None
    except UsageError as error:
        refuse_once(context, error.problems)
    except TogetherError as error:
        refuse_once(context, [problem_of(error.problem, session)])
    with leaving_on_signals():
        return _made(context, session, out, page, options)


def _made_together(together: "Ranks", session: Path, out: Path, options: dict[str, Any], limit: int) -> "MadePartition":
    from crawler.launch.working_together import threads_here
    from partition.make_partition.by_ranks import make_partition_by_ranks
    from partition.models.settings import Settings

    settings = together.each(lambda: _settings(session, options))
    own_cores = threads_here(together, Settings().threads)
    settings = replace(settings, threads=options["threads"] or own_cores)
    with ProgressLine() as line:
        say = line.say if together.rank == 0 else say_nothing
        return make_partition_by_ranks(
            together,
            session,
            options["model"],
            options["parts"],
            out,
            settings,
            unknown=options["unknown"],
            previous=options["previous"],
            one_rank_limit=limit,
            progress=say,
        )


def _streamed(context: click.Context, session: Path, out: Path, options: dict[str, Any]) -> "MadePartition":
    from partition.make_partition.by_streaming import make_partition_by_streaming

    def make() -> "MadePartition":
        with ProgressLine() as line:
            return make_partition_by_streaming(
                session,
                options["parts"],
                out,
                _settings(session, options),
                unknown=options["unknown"],
                progress=line.say,
            )

    return or_refuse(context, session, _expected_errors(), make)


def _made(
    context: click.Context, session: Path, out: Path, page: Path | None, options: dict[str, Any]
) -> "MadePartition":
    from partition.export.output_files import place_of_file
    from partition.make_partition.in_memory import make_partition

    def make() -> "MadePartition":
        if page is not None:
            place_of_file(page).check(replace=True)  # before the work, not after it
        settings = _settings(session, options)
        with ProgressLine() as line:
            made = make_partition(
                session,
                options["model"],
                options["parts"],
                out,
                settings,
                unknown=options["unknown"],
                previous=options["previous"],
                site_seconds=options["site_seconds"],
                learning=learner_settings(context, options),
                with_look=page is not None,
                progress=line.say,
            )
        if page is not None:
            _write_page(page, made, session, out)
        return made

    return or_refuse(context, session, _expected_errors(), make)


def _expected_errors() -> tuple[type[Exception], ...]:
    from partition.cut.metis import MetisError
    from partition.export.output_files import PlaceError
    from partition.graphs.link_graph import GraphError
    from partition.map.manifest import MapError
    from partition.models.rank_speeds import SpeedError
    from partition.twoma.site_times import TimesError
    from sessions.session import SessionError

    return GraphError, MapError, MetisError, PlaceError, SessionError, SpeedError, TimesError, OSError, MemoryError


def _settings(session: Path, options: dict[str, Any]) -> "Settings":
    """How to cut, as the options say; what is measured is read from the session."""
    from partition.models.settings import Settings

    given = {name: value for name, value in options.items() if name in _OF_SETTINGS and value is not None}
    return Settings(**given, **share_settings(session, options["rank_shares"], options["parts"]))


def _write_page(page: Path, made: "MadePartition", session: Path, out: Path) -> None:
    from crawler.commands.partition_page import as_html
    from crawler.replay.reporting.report import now_in_utc
    from partition.export.output_files import replace_text

    told = warnings_of(made)
    replace_text(page, as_html(made, session.resolve().name, told, _next(made, session, out), now_in_utc()))


def _next(made: "MadePartition", session: Path, out: Path) -> str:
    """The command of the crawl by this map."""
    from crawler.config.next_crawl import next_crawl

    return next_crawl(session, f"--ranks {made.partition.k} --partition {shlex.quote(str(out))}")


def _print(made: "MadePartition", session: Path, out: Path) -> None:
    from partition.models.rank_speeds import shares_in_words
    from partition.models.tolerances import imbalances_in_words

    traffic, partition, settings, origin = made.measures.pages, made.partition, made.settings, made.manifest.origin
    for warning in warnings_of(made):
        tell(f"warning: {warning}", err=True)
    if partition.k == 1:
        tell("one part holds every page: of use as --previous-map of a later cut; one rank needs no map")
    if settings.shares is not None:
        words = shares_in_words(settings.shares, are_measured=settings.shares_are_measured)
        tell(f"shares of the ranks: {words}")
    for words in how_it_was_made(partition):
        tell(words)
    imbalances = imbalances_in_words(origin.imbalances, origin.weights)
    tell(
        f"{out}: {made.pages:,} pages in {counted(partition.k, 'part')} by {partition.model}; "
        f"imbalance of these (fullest part over the mean, less one) {imbalances}"
    )
    unit = "bytes of URLs" if made.has_urls else "URLs"
    tell(
        f"between parts: {traffic.cut_links / max(1, traffic.links):.2%} of {traffic.links:,} links; "
        f"{traffic.sent_bytes:,} {unit} if each is sent once, {traffic.cut_bytes:,} for every link "
        f"({made.seconds:.1f} s)"
    )
    if made.moves is not None:
        tell(moves_in_words(made.moves, made.pages))
    if made.next_crawl is not None and partition.k > 1:
        tell(expectation_in_words(made.next_crawl, made.manifest.unknown))
    tell(f"next: {_next(made, session, out)}")
