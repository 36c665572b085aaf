"""A replay under MPI from what is asked for to its last words: planned by rank 0, run by all."""

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from crawler.commands.progressline import ProgressLine
from crawler.configuration import UsageError, as_plain_values
from crawler.heldmap import HeldMap
from crawler.launch import Command, launch
from crawler.options import CrawlOptions
from crawler.plan import Assigned, Plan, check_size, with_assignment
from crawler.replay.asking import parsed, settings_of
from crawler.replay.options import ReplayOptions
from crawler.replay.recordedweb.storedbodies import index_of
from crawler.replay.recording import Recording, recording_of
from crawler.replay.settings import ReplaySettings
from crawler.replay.source import folder_above, recorded_session
from crawler.replay.virtualtime.latency import RECORDED
from crawler.scope import Scope, ScopeError, scope_named
from crawler.stopping import leave_no_more
from partition.map.manifest import MapError
from sessions.commit import claim
from sessions.importing.source import SourceError
from sessions.session import Session, SessionError, check_claimable, new_run_id

_MOST_REDIRECTS = 254
_READING = ("max_links", "max_decoded", "content_types", "user_agent")
_NO_LIMIT = float("inf")


def replay_as_ranks(arguments: list[str]) -> int:
    """Run ``cutweb replay`` as ranks of an MPI run; its exit code."""
    with ExitStack() as sources:
        running = _Running()
        return launch(Command("replay", parsed, _Planning(sources).plan, running.run), arguments) or running.code


class _Planning:
    """Rank 0's check of a replay; ``sources`` keeps the session of a WARC file until the end."""

    def __init__(self, sources: ExitStack) -> None:
        self._sources = sources

    def plan(self, options: ReplayOptions, ranks: int, held: Sequence[HeldMap]) -> Any:
        """The plan.  Raises UsageError, with nothing written, if the replay cannot begin."""
        from crawler.replay.replaying import ReplayPlan

        check_size(options.ranks, ranks, os.environ)
        assert options.out is not None
        try:
            check_claimable(options.out)
            scratch = folder_above(options.out)
            with ProgressLine() as line:
                importing = recorded_session(options.sessions[0], scratch, line, line.warn)
                path = self._sources.enter_context(importing)
            recording = recording_of(path)
            if options.latency == RECORDED and not recording.milliseconds.any():
                raise UsageError(
                    f"--latency {RECORDED}: {options.sessions[0]} has no times of requests; name a model, as in "
                    "--latency 0.1+1e6/s"
                )
            if options.bodies:
                index_of(recording.session)
            scope = _scope(recording) if options.bodies else Scope()
            settings = settings_of(options).with_end(recording.page_count)
            assigned = with_assignment(_crawl_options(options, settings, recording.session), ranks, held)
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
        except (SessionError, SourceError, ScopeError) as error:
            raise UsageError(str(error)) from error
        except OSError as error:
            raise UsageError(f"{error.filename or options.out}: {error.strerror or error}") from error
        crawl = Plan(assigned.options, options.out, run, (), scope, header)
        return ReplayPlan(crawl, path, settings, options.latency, options.bodies)


def _crawl_options(options: ReplayOptions, settings: ReplaySettings, session: Session) -> CrawlOptions:
    """The replay as a crawl."""
    return CrawlOptions(
        out=options.out,
        ranks=options.ranks,
        assign=options.assign,
        partition=options.partition,
        unknown=options.unknown[0] if options.unknown else None,
        max_pages=settings.max_pages,
        max_redirects=_MOST_REDIRECTS,
        honour_nofollow=session.honours_nofollow,
        **_reading_options(session),
        superstep=options.superstep,
        connections=options.connections,
        delay=options.delay,
        server_delay=options.server_delay,
        retries=0,
        parse_seconds=_NO_LIMIT,
        max_wait=_NO_LIMIT,
        store_bodies=False,
        duplicates=False,
        epoch_seconds=options.epoch_seconds,
        frontier_memory=options.frontier_memory,
        sent_memory=options.sent_memory,
        scratch=options.scratch,
    )


def _reading_options(session: Session) -> dict[str, Any]:
    """The options by which the recorded crawl read its pages."""
    configuration = session.header["configuration"]
    return {name: configuration[name] for name in _READING if name in configuration}


def _scope(recording: Recording) -> Scope:
    """The scope of the recorded crawl, which the links found in bodies have to be told by."""
    name = recording.session.header["configuration"].get("scope", "all")
    return scope_named(name, recording.texts(recording.seeds))


def _configuration(options: ReplayOptions, assigned: Assigned) -> dict[str, Any]:
    """What the session says of how it was made."""
    return {
        "replay": as_plain_values(options),
        "partition": None,
        "unknown": assigned.options.unknown,
        "mode": options.mode,
        "honour_nofollow": assigned.options.honour_nofollow,
        **assigned.recorded,
    }


class _Running:
    """What every rank does by the plan; then ``code`` is the exit code of a replay that has ended in order."""

    def __init__(self) -> None:
        self.code = 0

    def run(self, comm: Any, plan: Any) -> str:
        """Replay, and on rank 0 report on it; the last words."""
        from crawler.replay.replaying import replay as replay_by_plan
        from crawler.waitingasleep import wait_asleep

        ending = replay_by_plan(comm, plan)
        if comm.rank == 0:
            self._report(plan)
        # The others wait for the report, lest they ask MPI all the time whether they may leave; and the session of a
        # WARC file must stay until all have read it.
        wait_asleep(comm.Ibarrier())
        return f"replay ended: {ending}; see it with: cutweb info {plan.crawl.out}"

    def _report(self, plan: Any) -> None:
        """The session stands, whatever becomes of the report."""
        try:
            _report(plan)
        except (OSError, MemoryError, SessionError, MapError) as error:
            self.code = 1
            problem = f"{plan.crawl.out}: the session is complete, but its report could not be written: {_why(error)}"
            print(f"cutweb replay: {problem}", file=sys.stderr, flush=True)


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    return "not enough memory" if isinstance(error, MemoryError) else str(error)


def _report(plan: Any) -> None:
    from crawler.replay.reporting.afterwards import REPORT, report_on
    from crawler.replay.reporting.report import PAGE
    from crawler.replay.reporting.summary import print_summary

    print_summary([report_on(plan.crawl.out, plan.session, plan.settings)])
    print(f"report: {plan.crawl.out / REPORT / PAGE}")
