"""The plan of a crawl that goes on: checked by rank 0, and the session taken over, before any rank begins."""

from collections.abc import Sequence
from pathlib import Path

from crawler.config.command_line import UsageError, as_plain_values
from crawler.config.crawl_options import CrawlOptions
from crawler.config.resume_options import FIXED
from crawler.discovery.depth_limits import Limits
from crawler.exchange.verdict import Ending
from crawler.launch.checks import Checks
from crawler.launch.closing_message import closing
from crawler.launch.earlier_ranks import host_of_living
from crawler.launch.map_agreement import HeldMap
from crawler.launch.plan import (
    Begin,
    Plan,
    begin_by_worklist,
    check_contact,
    check_files,
    check_machine,
    of_worklist,
    scope_of_begin,
    tell_of_proxies,
    wherever_one_is,
    with_assignment,
)
from crawler.launch.remaining_limits import used_up
from crawler.launch.rule_checks import planned_rules
from crawler.monitoring.live_file import NAME as LIVE_FILE
from crawler.process.stop_signals import leave_no_more
from crawler.process.terminal import tell
from sessions.records import Configuration
from sessions.session import HEADER, SEEDS, Session, SessionError, new_run_id
from sessions.writing.commit import fence_and_take_over
from sessions.writing.truncate import check_committed, truncate_to_commit

_LONG_SECONDS = 10.0


def plan_to_resume(
    options: CrawlOptions, ranks: int, held: Sequence[HeldMap] = (), scratch_problems: Sequence[str | None] = ()
) -> Plan:
    """Check everything that can be checked, then take the session in ``options.out`` over and cut off what is not its.

    ``held`` and ``scratch_problems`` are as in `crawler.launch.plan.plan`.  Raises UsageError with all that is wrong,
    having written nothing, if the session cannot go on; SystemExit if there is nothing left to do in it, whatever has
    become of the files that its options name.
    """
    path = options.out
    assert path is not None
    try:
        session, seeds = _resumable(path)
        _leave_if_complete(session, options)
        checks = Checks()
        check_machine(checks, options, ranks, scratch_problems)
        checks.run(_check_limits, session, options)
        checks.run(_check_living, session, options)
        begin = checks.run(_begin_again, session, seeds, options)
        if begin is not None:
            checks.run(check_contact, options.contact, begin.visited, options.connect_to)
        assigned = checks.run(with_assignment, options, ranks, held)
        scope = checks.run(scope_of_begin, options, seeds)
        check_files(checks, options)
        rules = checks.run(planned_rules, options.rules, session)
        checks.refuse()
        assert begin is not None
        assert assigned is not None
        assert scope is not None
        options, assignment, _, recorded = assigned
        run = new_run_id()
        configuration = _configuration(session, options) | recorded | of_worklist(begin.worklist)
        leave_no_more()
        header = fence_and_take_over(session, run=run, ranks=ranks, assignment=assignment, configuration=configuration)
        _tell_of_living(session)
        truncate_to_commit(Session.open(path))
    except SessionError as error:
        raise UsageError(str(error)) from error
    tell_of_proxies(options, rules)
    return Plan(options, path, run, seeds, scope, header, begin.worklist, rules)


def _begin_again(session: Session, seeds: tuple[str, ...], options: CrawlOptions) -> Begin:
    """What the crawl began with.  Raises UsageError if its worklist is not there any more, or another."""
    if options.worklist is None:
        return Begin(seeds, seeds)
    from crawler.launch.worklist_checks import check_same

    begin = begin_by_worklist(options.worklist, options)
    assert begin.worklist is not None
    check_same(session.header["configuration"].get("worklist_identity"), begin.worklist, options.worklist)
    return begin


def _configuration(session: Session, options: CrawlOptions) -> Configuration:
    """What is asked for now; what the crawl began with stays as it was asked for then."""
    begun = session.header["configuration"]
    return as_plain_values(options) | wherever_one_is(options) | {name: begun[name] for name in FIXED if name in begun}


def _resumable(path: Path) -> tuple[Session, tuple[str, ...]]:
    """The session and its seeds, which are read once, before anything in its folder changes."""
    session = Session.open(path)
    seeds = session.seeds
    if not seeds and session.header["configuration"].get("worklist") is None:
        lack = f"{SEEDS} is empty" if (path / SEEDS).exists() else f"it has no {SEEDS}, which a crawl has"
        raise UsageError(f"--resume {path}: is not a crawl that can go on: {lack}")
    check_committed(session)
    return session, seeds


def _leave_if_complete(session: Session, options: CrawlOptions) -> None:
    """SystemExit with the crawl's exit code if all was fetched, unless limits are wider now than they were."""
    ended = session.ended["reason"] if session.ended is not None else None
    if ended not in (Ending.COMPLETE, Ending.WORKLIST) or (ended == Ending.WORKLIST and options.beyond):
        return
    before = session.header["configuration"]
    was = Limits(before["max_depth"], before["max_redirects"])
    now = Limits(options.max_depth, options.max_redirects)
    if now.depth > was.depth or now.hops > was.hops:
        return
    told = "nothing is left to crawl"
    if ended == Ending.WORKLIST:
        told = "its worklist is used up; --beyond follows what was found and is not listed"
    tell(f"{session.path} is complete: {told}")
    raise SystemExit(closing(session, Ending(ended)).code)


def _tell_of_living(session: Session) -> None:
    """Say so if the run that was the session's until now may not know yet that it has ended.

    By the clock of those who keep the files: the session's header has just been written.
    """
    try:
        silence = (session.path / HEADER).stat().st_mtime - (session.path / LIVE_FILE).stat().st_mtime
    except FileNotFoundError:
        return
    if session.ended is None and silence < _LONG_SECONDS:
        run = session.header["run"]
        tell(
            f"{session.path}: run {run} wrote there {max(0.0, silence):.0f} s ago; if it still goes on, it ends now, "
            "and what it has not committed is fetched again",
            err=True,
        )


def _check_living(session: Session, options: CrawlOptions) -> None:
    """Raise UsageError if somebody crawls the session, unless it is to be taken from them."""
    host = None if options.takes_over or session.ended is not None else host_of_living(session.path)
    if host is not None:
        raise UsageError(
            f"--resume {session.path}: run {session.header['run']} is crawling it, on {host}; stop that run (cutweb "
            f"stop {session.path}), or give --take-over: it then ends, and what it has not committed is fetched again"
        )


def _check_limits(session: Session, options: CrawlOptions) -> None:
    """Limits hold for the session as a whole: one that ended by a limit goes on only with a higher one."""
    ended = session.ended["reason"] if session.ended is not None else None
    pages, seconds = used_up(session)
    if ended == Ending.MAX_PAGES and options.max_pages is not None and pages >= options.max_pages:
        raise UsageError(f"--resume {session.path}: has its {pages:,} pages; go on with a larger --max-pages")
    if ended == Ending.MAX_SECONDS and options.max_seconds is not None and seconds >= options.max_seconds:
        raise UsageError(
            f"--resume {session.path}: has had its {options.max_seconds:g} seconds; go on with a larger --max-seconds"
        )
