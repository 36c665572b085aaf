"""What ``cutweb replay`` does without MPI: estimates, and the comparison of sessions."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from crawler.config.command_line import UsageError
from crawler.launch.order_checks import check_priorities
from crawler.process.answer_lines import print_answer
from crawler.process.mpi_environment import launched_as
from crawler.process.problems import problem_of
from crawler.process.progress_line import ProgressLine
from crawler.process.terminal import refuse, tell
from crawler.replay.command_line import models_of, parsed, settings_of
from crawler.replay.estimating import Estimates, estimate_by_map, estimates_by_models
from crawler.replay.foresight.foresight import ForesightError
from crawler.replay.foresight.make_report import PAGE as FORESIGHT_PAGE
from crawler.replay.foresight.make_report import make_foresight
from crawler.replay.foresight.request import ForesightRequest
from crawler.replay.foresight.summary import print_foresight
from crawler.replay.recording import Recording, recording_of
from crawler.replay.replay_options import ReplayOptions
from crawler.replay.reporting.answer import answer_of
from crawler.replay.reporting.report import PAGE, now_in_utc, write_report
from crawler.replay.reporting.summary import print_summary
from crawler.replay.settings import ReplaySettings
from crawler.replay.source import folder_above, name_of, recorded_session
from crawler.replay.warnings import warn
from partition.choices import UNKNOWN_RULES
from partition.cut.metis import MetisError
from partition.graphs.link_graph import GraphError
from partition.map.manifest import MapError
from partition.models.settings import Settings
from partition.report.answer import Answer
from partition.report.results import lines_of
from sessions.importing.source import SourceError
from sessions.progress import Say
from sessions.session import SessionError, check_claimable

_PROBLEMS = (SessionError, SourceError, GraphError, MetisError, MapError, ForesightError)
_FIRST_RULE = tuple(UNKNOWN_RULES)[:1]
Result = TypeVar("Result")


def replay_in_one_process(arguments: list[str]) -> int | None:
    """Estimate, or compare sessions, as the arguments of ``cutweb replay`` say; its exit code.

    None, with nothing done, if they ask for neither.
    """
    rank, ranks = launched_as(os.environ)
    try:
        options = parsed(arguments)
        if isinstance(options, int):
            return options
        if not options.estimate and options.previous is None:
            return None
        if ranks > 1:
            raise UsageError(
                f"--estimate and --from take one process, for whatever number of ranks, but {ranks} were launched: "
                "leave out mpiexec"
            )
        (compare if options.previous is not None else estimate)(options, settings_of(options))
    except UsageError as error:
        if rank == 0:
            refuse("cutweb replay", *error.problems)
        return 2
    return 0


def estimate(options: ReplayOptions, settings: ReplaySettings) -> None:
    """Estimate the replay of a session under each assignment asked for, print it, and write the report.

    Raises UsageError if that cannot be done; then nothing is left.
    """
    check_priorities(options.priorities)
    out = _out(options)
    with ProgressLine() as progress:
        estimates, answer = _or_refuse(options.sessions[0], lambda: _estimated(options, settings, out, progress))
    warn([line for entry in estimates.entries for line in entry.warnings])
    print_answer(answer)
    for line in lines_of(estimates.left_out):
        tell(f"note: {line}")
    print_summary(estimates.entries)
    tell(f"report: {out / PAGE}")


def compare(options: ReplayOptions, settings: ReplaySettings) -> None:
    """Make partitions from one session, estimate the replay of others under each, and write the report.

    Raises UsageError if that cannot be done; then nothing is left.
    """
    check_priorities(options.priorities)
    out, previous = _out(options), options.previous
    assert previous is not None
    request = ForesightRequest(
        models=models_of(options),
        parts=options.parts,
        rules=options.unknown or tuple(UNKNOWN_RULES),
        settings=settings,
        cutting=_cutting(options),
    )
    with ProgressLine() as line:
        foresight = _or_refuse(
            out,
            lambda: make_foresight(
                previous, options.sessions, out, request, made=now_in_utc(), progress=line.say, warn=line.warn
            ),
        )
    paths = {name_of(path): str(path) for path in options.sessions}
    print_foresight(
        foresight, out / FORESIGHT_PAGE, paths.get(foresight.sessions[-1].name, foresight.sessions[-1].name)
    )


def _estimated(
    options: ReplayOptions, settings: ReplaySettings, out: Path, progress: ProgressLine
) -> tuple[Estimates, Answer]:
    scratch = folder_above(out)
    with recorded_session(options.sessions[0], scratch, progress, progress.warn) as path:
        progress.say(f"reading {options.sessions[0]}")
        recording = recording_of(path)
        estimates = _estimates(options, settings, recording, scratch, progress.say)
        if not estimates.entries:
            raise GraphError(f"{options.sessions[0]}: nothing to estimate; {lines_of(estimates.left_out)[0]}")
        write_report(out, estimates.entries, recording, settings, made=now_in_utc())
    return estimates, answer_of(estimates.entries, recording, str(options.sessions[0]))


def _estimates(
    options: ReplayOptions, settings: ReplaySettings, recording: Recording, scratch: Path, progress: Say
) -> Estimates:
    request = ForesightRequest(
        models=models_of(options),
        parts=options.parts,
        rules=options.unknown or _FIRST_RULE,
        settings=settings,
        cutting=_cutting(options),
    )
    timed = None
    if options.latency is not None:
        from crawler.replay.simulation.timed_replays import TimedReplays  # with the rooms of a crawl

        timed = TimedReplays(recording, options, scratch)
    if options.partition is not None:
        return estimate_by_map(recording, options.partition, options.unknown or (None,), request, progress, timed)
    return estimates_by_models(recording, request, scratch, progress, timed)


def _cutting(options: ReplayOptions) -> Settings:
    return Settings(objective=options.objective, tolerance=options.tolerance, effort=options.effort, seed=options.seed)


def _out(options: ReplayOptions) -> Path:
    """Where the report goes, checked before hours of work."""
    out = options.out
    assert out is not None
    _or_refuse(out, lambda: check_claimable(out))
    _or_refuse(out, lambda: folder_above(out))
    return out.resolve()


def _or_refuse(about: Path, work: Callable[[], Result]) -> Result:
    """What ``work`` returns; what cannot be done is told as UsageError, ``about`` where the error names nothing."""
    try:
        return work()
    except (*_PROBLEMS, OSError, MemoryError) as error:
        raise UsageError(problem_of(error, about)) from error
