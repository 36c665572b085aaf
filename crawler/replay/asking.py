"""What ``cutweb replay`` is asked for: read from the command line, and checked for contradictions."""

from dataclasses import replace
from pathlib import Path

import click

from crawler.configuration import UsageError
from crawler.modes import EXCHANGE
from crawler.options import click_parameters
from crawler.replay.options import ReplayOptions
from crawler.replay.settings import ReplaySettings
from crawler.replay.source import is_warc
from partition.hashing import ASSIGNMENTS
from sessions.session import Session, SessionError

_EXAMPLES = """\b
Examples:
  mpiexec -n 4 cutweb replay session --partition map-4 --out replayed
  cutweb replay session --ranks 4 --assign page-hash --out replayed
  cutweb replay session --estimate --models page,page-hash --parts 8,64,1024 --out report
  cutweb replay next --from session --models all --parts 4,8,16 --out report
  cutweb replay crawl.warc.gz --ranks 2 --latency 0.1+1e6/s --out replayed
"""
_PARTITION = "-partition"


def replay_command() -> click.Command:
    """``cutweb replay`` as click knows it; it returns the values of all options by name."""
    return click.Command(
        "replay",
        context_settings={"help_option_names": ["-h", "--help"]},
        params=click_parameters(ReplayOptions),
        callback=lambda **values: values,
        help="Crawl a recorded session again under another assignment, without a network: under MPI, as an estimate "
        "for any number of ranks, or to compare what was foreseen from one session with what came in the next.",
        epilog=_EXAMPLES,
    )


def parsed(arguments: list[str]) -> ReplayOptions | int:
    """The options that the arguments ask for, or an exit code if they only wanted help.

    Raises UsageError for anything that is not an option, not a value for it, or contradicts another.
    """
    try:
        values = replay_command().main(arguments, prog_name="cutweb replay", standalone_mode=False)
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error
    if isinstance(values, int):
        return values
    options = ReplayOptions(**values)
    _check(options)
    return options if options.estimate or options.previous else _with_recorded_assignment(options)


def settings_of(options: ReplayOptions) -> ReplaySettings:
    """How a session is replayed."""
    return ReplaySettings(options.pages_per_superstep, options.mode, options.replicate, options.max_pages)


def _check(options: ReplayOptions) -> None:
    if not options.sessions:
        raise UsageError("no session: name the folder of one, or a WARC file")
    if options.out is None:
        raise UsageError("--out DIR is missing: where shall the replay go?")
    is_one_process = options.estimate or options.previous is not None
    if len(options.sessions) > 1 and options.previous is None:
        raise UsageError("several sessions are replayed only in comparison with an earlier one: --from SESSION")
    if options.replicate and options.mode != EXCHANGE:
        raise UsageError(f"--replicate says what need not be sent, but with --mode {options.mode} nothing is")
    if is_one_process and options.latency is not None:
        raise UsageError("--latency needs a replay under MPI: leave out --estimate and --from, or it")
    if is_one_process and not options.parts and options.partition is None:
        raise UsageError("--parts K,... is missing: for which numbers of ranks?")
    if options.partition is not None and (options.assign is not None or options.models):
        raise UsageError("--partition names an assignment, and so do --assign and --models: leave one of them out")
    if options.previous is not None and (options.partition is not None or options.assign is not None):
        raise UsageError("--from makes the partitions itself: say --models, and neither --partition nor --assign")
    for name in ("parts", "models"):
        if not is_one_process and getattr(options, name):
            raise UsageError(f"--{name} belongs to --estimate and --from; here mpiexec -n or --ranks says how many")
    if not options.estimate and options.previous is None and options.unknown is not None and len(options.unknown) > 1:
        raise UsageError("--unknown: one rule, where there is one replay")


def _with_recorded_assignment(options: ReplayOptions) -> ReplayOptions:
    """What the recorded crawl went by, if nothing else is asked for.  Raises UsageError if that is not to be had."""
    path = options.sessions[0]
    if options.assign is not None or options.partition is not None or is_warc(path):
        return options
    session = _opened(path)
    name = session.header["assignment"]
    if name in ASSIGNMENTS:
        return replace(options, assign=name)
    folder = session.header["configuration"].get("partition")
    if _PARTITION not in name or folder is None:
        return options
    if not Path(folder).is_dir():
        raise UsageError(f"{path} was crawled with the partition {folder}, which is gone: name --partition or --assign")
    return replace(
        options, partition=Path(folder), unknown=options.unknown or (session.header["configuration"]["unknown"],)
    )


def _opened(path: Path) -> Session:
    try:
        return Session.open(path)
    except SessionError as error:
        raise UsageError(str(error)) from error
