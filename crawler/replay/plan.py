"""A replay under MPI from what is asked for to its last words: planned by rank 0, run by all."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from crawler.config.command_line import UsageError, as_plain_values
from crawler.discovery.scope import Scope, ScopeError, scope_named
from crawler.exchange.verdict import Ending
from crawler.launch.checks import Checks
from crawler.launch.closing_message import Closing
from crawler.launch.map_agreement import HeldMap
from crawler.launch.order_checks import check_counting, check_priorities, one_site_warning
from crawler.launch.plan import Assigned, Plan, check_size, with_assignment
from crawler.launch.scratch import check_scratch
from crawler.launch.start_ranks import Command, launch
from crawler.process.problems import problem_of
from crawler.process.progress_line import ProgressLine
from crawler.process.stop_signals import first_received, leave_no_more
from crawler.process.terminal import tell
from crawler.replay.as_crawl import crawl_options, latencies_of
from crawler.replay.command_line import parsed, settings_of
from crawler.replay.ownership import numbers_in
from crawler.replay.recordedweb.stored_bodies import MOST_UNREAD, BodyCounts, index_of, total
from crawler.replay.recording import Recording, recording_of
from crawler.replay.replay_options import ReplayOptions
from crawler.replay.source import folder_above, recorded_session
from crawler.replay.warnings import map_warnings, session_warnings, warn
from partition.map.manifest import MapError
from partition.map.partition_map import PartitionMap
from sessions.importing.source import SourceError
from sessions.records import Configuration
from sessions.session import SessionError, new_run_id
from sessions.writing.commit import check_free, claim


def replay_as_ranks(arguments: list[str]) -> int:
    """Run ``cutweb replay`` as ranks of an MPI run; its exit code."""
    with ExitStack() as sources:
        return launch(Command("replay", parsed, _Planning(sources).plan, _run), arguments)


class _Planning:
    """Rank 0's check of a replay; ``sources`` keeps the session of a WARC file until the end."""

    def __init__(self, sources: ExitStack) -> None:
        self._sources = sources

    def plan(
        self, options: ReplayOptions, ranks: int, held: Sequence[HeldMap], scratch_problems: Sequence[str | None] = ()
    ) -> Any:
        """The plan.  Raises UsageError, with nothing written, if the replay cannot begin.

        What takes no reading of the recorded session is checked before that, and told together.
        """
        _check_before_reading(options, ranks, scratch_problems)
        try:
            return self._plan(options, ranks, held)
        except (SessionError, SourceError, ScopeError, OSError) as error:
            raise UsageError(problem_of(error, options.out)) from error

    def _plan(self, options: ReplayOptions, ranks: int, held: Sequence[HeldMap]) -> Any:
        from crawler.replay.replay_rank import ReplayPlan

        assert options.out is not None
        path = self._session_of(options.sessions[0], folder_above(options.out))
        recording = recording_of(path)
        latencies = latencies_of(options, ranks, recording)
        if options.bodies:
            warn(index_of(recording.session).warnings)
        scope = _scope(recording) if options.bodies else Scope()
        settings = settings_of(options).with_end(recording.page_count)
        assigned = with_assignment(crawl_options(options, settings, recording.session), ranks, held)
        check_counting(assigned.options, settings.mode)
        _warn_of(recording, options)
        run = new_run_id()
        leave_no_more()
        header = claim(
            options.out,
            run=run,
            ranks=ranks,
            assignment=assigned.name,
            configuration=_configuration(options, assigned),
            previous=str(options.sessions[0]),
        )
        crawl = Plan(assigned.options, options.out, run, (), scope, header)
        return ReplayPlan(crawl, path, settings, latencies, options.bodies, options.lenient)

    def _session_of(self, source: Path, scratch: Path) -> Path:
        """The recorded session, which is made first if it is a WARC file that is given."""
        with ProgressLine() as line:
            return self._sources.enter_context(recorded_session(source, scratch, line, line.warn))


def _check_before_reading(options: ReplayOptions, ranks: int, scratch_problems: Sequence[str | None]) -> None:
    assert options.out is not None
    checks = Checks()
    checks.run(check_size, options.ranks, ranks, os.environ)
    checks.run(check_scratch, scratch_problems)
    checks.run(check_free, options.out)
    checks.run(check_priorities, options.priorities)
    checks.refuse()


def _warn_of(recording: Recording, options: ReplayOptions) -> None:
    warn(session_warnings(recording))
    warn(one_site_warning(options.order, recording.has_invented_urls))
    if options.partition is not None:
        warn(map_warnings(recording, numbers_in(PartitionMap.open(options.partition), recording) < 0))


def _scope(recording: Recording) -> Scope:
    """The scope of the recorded crawl, which the links found in bodies have to be told by."""
    name = recording.session.header["configuration"].get("scope", "all")
    return scope_named(name, recording.texts(recording.seeds))


def _configuration(options: ReplayOptions, assigned: Assigned) -> Configuration:
    """What the session says of how it was made."""
    return {
        "replay": as_plain_values(options),
        "partition": None,
        "unknown": assigned.options.unknown,
        "mode": options.mode,
        "honour_nofollow": assigned.options.honour_nofollow,
        **assigned.recorded,
    }


def _run(comm: Any, plan: Any) -> Closing:
    """Replay, as every rank does by the plan, and on rank 0 report on it; what is said in the end."""
    from crawler.process.mpi_wait import sleeping_wait
    from crawler.replay.replay_rank import replay as replay_by_plan

    ending, of_rank = replay_by_plan(comm, plan)
    bodies = total(comm.allgather(of_rank)) if plan.bodies else None
    stopped_by = max(comm.allgather(first_received()))
    code = _reported(plan, bodies) if comm.rank == 0 else 0
    # The others wait for the report, lest they ask MPI all the time whether they may leave; and the session of a WARC
    # file must stay until all have read it.
    sleeping_wait(comm.Ibarrier())
    words = f"replay ended: {ending}; see it with: cutweb info {plan.crawl.out}"
    if ending != Ending.SIGNAL:
        return Closing(words, code)
    return Closing(f"{words}; a replay cannot be resumed", 128 + stopped_by)


def _reported(plan: Any, bodies: BodyCounts | None) -> int:
    """Report on a replay; the exit code.  The session stands, whatever becomes of the report."""
    code = 0
    try:
        _report(plan, bodies)
    except (OSError, MemoryError, SessionError, MapError) as error:
        _say(f"{plan.crawl.out}: the session is complete, but its report could not be written: {problem_of(error)}")
        code = 1
    if bodies is not None and bodies.share_unread > MOST_UNREAD and not plan.lenient:
        _say(f"{bodies}; more than {MOST_UNREAD:.0%} is an error unless --lenient is given")
        code = 1
    return code


def _say(problem: str) -> None:
    tell(f"cutweb replay: {problem}", err=True)


def _report(plan: Any, bodies: BodyCounts | None) -> None:
    from crawler.process.answer_lines import print_answer
    from crawler.replay.reporting.replay_report import REPORT, report_on
    from crawler.replay.reporting.report import PAGE
    from crawler.replay.reporting.summary import print_summary

    if bodies is not None:
        tell(f"bodies: {bodies}")
    further = [str(bodies)] if bodies is not None and bodies.unread else []
    entry, answer = report_on(plan.crawl.out, plan.session, plan.settings, further)
    print_answer(answer)
    print_summary([entry])
    tell(f"report: {plan.crawl.out / REPORT / PAGE}")
