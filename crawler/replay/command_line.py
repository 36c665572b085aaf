"""What ``cutweb replay`` is asked for: read from the command line, and checked for contradictions."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from crawler.config.command_line import UsageError
from crawler.config.crawl_options import DEFAULT_ASSIGNMENT
from crawler.config.option_declaration import click_parameters
from crawler.config.option_groups import GroupedCommand
from crawler.config.settings import settings_from
from crawler.exchange.parallel_modes import EXCHANGE
from crawler.frontier.order_settings import OrderSettings
from crawler.launch.order_checks import BY_PRIORITY
from crawler.replay.replay_options import ESTIMATED_ORDERS, ReplayOptions
from crawler.replay.settings import ReplaySettings
from crawler.replay.source import is_warc, recorded_place
from partition.choices import ASSIGNMENTS, usual_models
from partition.map.manifest import MapError, read_manifest
from sessions.session import Session, SessionError

_EXAMPLES = """\b
Examples:
  mpiexec -n 4 cutweb replay session --partition map-4 --out replayed
  cutweb replay session --ranks 4 --assign page-hash --out replayed
  cutweb replay session --estimate --models page,page-hash --parts 8,64,1024 --out report
  cutweb replay session --estimate --latency 0.1+1e6/s --models page,site-hash --parts 4,16,64 --out timed
  cutweb replay next --from session --models all --parts 4,8,16 --out report
  cutweb replay crawl.warc.gz --ranks 2 --latency 0.1+1e6/s --out replayed
"""
_PARTITION = "-partition"
_OF_LATENCY = ("superstep", "connections", "delay", "server_delay", "delay_factor")
_OF_BODIES = ("bodies", "lenient")
_OF_SESSION = ("epoch_seconds", "frontier_memory", "sent_memory", "scratch")
_OF_RANKS = ("ranks", *_OF_BODIES, *_OF_SESSION)
_OF_ONE_PROCESS = ("parts", "models")
_OF_CUTTING = ("objective", "tolerance", "effort", "seed")


def replay_command() -> click.Command:
    """``cutweb replay`` as click knows it; it returns the options and the names of those that were given."""
    return GroupedCommand(
        "replay",
        context_settings={"help_option_names": ["-h", "--help"]},
        params=click_parameters(ReplayOptions),
        callback=_asked,
        help="Crawl a recorded session again under another assignment, without a network: under MPI, as an estimate "
        "for any number of ranks, or to compare what was foreseen from one session with what came in the next.",
        epilog=_EXAMPLES,
    )


def parsed(arguments: list[str]) -> ReplayOptions | int:
    """The options that the arguments ask for, or an exit code if they only wanted help.

    Raises UsageError for anything that is not an option, not a value for it, or contradicts another.
    """
    try:
        asked = replay_command().main(arguments, prog_name="cutweb replay", standalone_mode=False)
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error
    if isinstance(asked, int):
        return asked
    options, given = asked
    if problems := list(_problems(options, given)):
        raise UsageError(*problems)
    return options if options.previous else _with_recorded_assignment(options)


def settings_of(options: ReplayOptions) -> ReplaySettings:
    """How a session is replayed."""
    return ReplaySettings(
        options.pages_per_superstep,
        options.mode,
        options.replicate,
        options.max_pages,
        options.order,
        settings_from(options, OrderSettings),
    )


def models_of(options: ReplayOptions) -> tuple[str, ...]:
    """Under which models a session is replayed in one process, if not by a map."""
    if options.previous is not None:
        return options.models or usual_models()
    return options.models or (options.assign or DEFAULT_ASSIGNMENT,)


def _asked(**values: Any) -> tuple[ReplayOptions, frozenset[str]]:
    """The options, and the names of those that stand on the command line; a switch that is off is as good as absent."""
    source = click.get_current_context().get_parameter_source
    given = frozenset(name for name in values if source(name) is ParameterSource.COMMANDLINE)
    return ReplayOptions(**values), given - {name for name in given if values[name] is False}


def _problems(options: ReplayOptions, given: Set[str]) -> Iterator[str]:
    """What is missing, and which of what is given would have no effect."""
    if not options.sessions:
        yield "no session: name the folder of one, or a WARC file"
    if options.out is None:
        yield "--out DIR is required"
    if len(options.sessions) > 1 and options.previous is None:
        yield "several sessions are replayed only in comparison with an earlier one: --from SESSION"
    if options.replicate and options.mode != EXCHANGE:
        yield f"--replicate says what need not be sent, but with --mode {options.mode} nothing is"
    if options.partition is not None and (options.assign is not None or options.models):
        yield "--partition names an assignment, and so do --assign and --models: leave one of them out"
    if options.order == BY_PRIORITY and options.priorities is None:
        yield f"--order {BY_PRIORITY} needs --priorities WORKLIST, which cutweb worklist makes"
    if options.order != BY_PRIORITY and options.priorities is not None:
        yield f"--priorities is for --order {BY_PRIORITY}, but the order is {options.order}: leave it out"
    if options.estimate or options.previous is not None:
        yield from _problems_in_one_process(options, given)
    else:
        yield from _problems_of_ranks(options, given)


def _problems_in_one_process(options: ReplayOptions, given: Set[str]) -> Iterator[str]:
    if options.order not in ESTIMATED_ORDERS and options.latency is None:
        yield (
            f"--order {options.order} needs --latency or a replay under MPI: --estimate and --from without it take "
            f"{', '.join(ESTIMATED_ORDERS)}"
        )
    yield from _given_in_vain(given, _OF_RANKS, "needs a replay under MPI: leave out --estimate and --from, or it")
    if options.previous is not None:
        yield from _given_in_vain(given, ("latency", *_OF_LATENCY), "is not for --from, which has no clock")
    else:
        yield from _problems_of_time(options, given)
    if options.previous is not None and (options.partition is not None or options.assign is not None):
        yield "--from makes the partitions itself: say --models, and neither --partition nor --assign"
    if options.assign is not None and options.models:
        yield "--models names assignments, and so does --assign: leave one of them out"
    if options.partition is not None:
        yield from _problems_of_parts(options.parts, options.partition)
        yield from _given_in_vain(given, _OF_CUTTING, "says how models cut a session, but --partition is cut already")
    elif not options.parts:
        yield "--parts K,... is missing: for which numbers of ranks?"
    elif ASSIGNMENTS.keys() >= set(models_of(options)):
        yield from _given_in_vain(
            given, (*_OF_CUTTING, "unknown"), "is about partition maps, but a hash needs none: name other --models"
        )


def _problems_of_parts(parts: Sequence[int], partition: Path) -> Iterator[str]:
    """That ``parts`` are given and are not the K of the map, or that there is no map."""
    if not parts:
        return
    try:
        k = read_manifest(partition).parts
    except MapError as error:
        yield str(error)
        return
    if tuple(parts) != (k,):
        told = ",".join(map(str, parts))
        yield f"--parts {told}, but the map of --partition {partition} is for {k} ranks: leave --parts out"


def _problems_of_ranks(options: ReplayOptions, given: Set[str]) -> Iterator[str]:
    yield from _given_in_vain(
        given, _OF_ONE_PROCESS, "belongs to --estimate and --from; here mpiexec -n or --ranks says how many"
    )
    yield from _given_in_vain(given, _OF_CUTTING, "belongs to --estimate and --from, where models cut a session")
    yield from _problems_of_time(options, given)
    if options.lenient and not options.bodies:
        yield "--lenient says how many bodies may be unreadable, and none is read without --bodies"
    if options.unknown is not None and len(options.unknown) > 1:
        yield "--unknown: one rule, where there is one replay"


def _problems_of_time(options: ReplayOptions, given: Set[str]) -> Iterator[str]:
    if options.latency is None:
        yield from _given_in_vain(given, _OF_LATENCY, "needs --latency: a replay without it has no clock")
    else:
        yield from _given_in_vain(
            given, ("pages_per_superstep",), "contradicts --latency, with which --superstep says how long one is"
        )


def _given_in_vain(given: Set[str], names: Sequence[str], problem: str) -> Iterator[str]:
    """The problem with each of these options that is given."""
    for name in names:
        if name in given:
            yield f"--{name.replace('_', '-')} {problem}"


def _with_recorded_assignment(options: ReplayOptions) -> ReplayOptions:
    """What the recorded crawl went by, if nothing else is asked for.  Raises UsageError if that is not to be had."""
    path = options.sessions[0]
    if options.models or options.assign is not None or options.partition is not None or is_warc(path):
        return options
    session = _opened(path)
    name = session.header["assignment"]
    if name in ASSIGNMENTS:
        return replace(options, assign=name)
    configuration = session.header["configuration"]
    if options.estimate or _PARTITION not in name or not isinstance(configuration.get("partition"), str):
        return options  # an estimate for other Ks could not use the map
    folder = recorded_place(session, configuration["partition"])
    if not folder.is_dir():
        raise UsageError(f"{path} was crawled with the partition {folder}, which is gone: name --partition or --assign")
    _check_identity(path, folder, configuration.get("partition_identity"))
    rule = configuration.get("unknown")
    return replace(options, partition=folder, unknown=options.unknown or ((rule,) if rule else None))


def _check_identity(session: Path, folder: Path, identity: str | None) -> None:
    """Raise UsageError unless the map in the folder is that of the crawl; older sessions do not say which it was."""
    try:
        found = read_manifest(folder).identity
    except MapError as error:
        raise UsageError(f"{error}; {session} was crawled with it: name --partition or --assign") from error
    if identity not in (None, found):
        raise UsageError(f"{folder} is not the map that {session} was crawled with: name --partition")


def _opened(path: Path) -> Session:
    try:
        return Session.open(path)
    except SessionError as error:
        raise UsageError(str(error)) from error
