"""The plan of a crawl that goes on: checked by rank 0, and the session taken over, before any rank begins."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler.configuration import UsageError, as_plain_values
from crawler.heldmap import HeldMap
from crawler.limits import Limits
from crawler.options import CrawlOptions
from crawler.plan import (
    Plan,
    check_certificates,
    check_connections,
    check_contact,
    check_previous,
    check_size,
    wherever_one_is,
    with_assignment,
)
from crawler.resuming.limits import used_up
from crawler.resuming.recorded import FIXED
from crawler.scope import ScopeError, scope_named
from crawler.stopping import leave_no_more
from crawler.verdict import Ending
from crawler.watching.livefile import NAME as LIVE_FILE
from crawler.watching.metricsport import check_metrics_port
from sessions.commit import take_over
from sessions.cutting import check_committed, cut_off
from sessions.session import HEADER, Session, SessionError, new_run_id

_LONG_SECONDS = 10.0


def plan_to_resume(options: CrawlOptions, ranks: int, held: Sequence[HeldMap] = ()) -> Plan:
    """Check everything that can be checked, then take the session in ``options.out`` over and cut off what is not its.

    ``held`` is as in `crawler.plan.plan`.  Raises UsageError, having written nothing, if the session cannot go on;
    SystemExit(0) if there is nothing left to do in it.
    """
    path = options.out
    assert path is not None
    check_size(options.ranks, ranks, os.environ)
    check_connections(options.connections)
    check_metrics_port(options.metrics_port)
    try:
        session = _resumable(path)
        _leave_if_complete(session, options)
        _check_limits(session, options)
        check_contact(options.contact, session.seeds, options.connect_to)
        options, assignment, _, recorded = with_assignment(options, ranks, held)
        scope = scope_named(options.scope, session.seeds)
        check_certificates(options.ca_cert)
        check_previous(options.previous)
        run = new_run_id()
        configuration = _configuration(session, options) | recorded
        leave_no_more()
        header = take_over(session, run=run, ranks=ranks, assignment=assignment, configuration=configuration)
        _tell_of_living(session)
        cut_off(Session.open(path))
    except (ScopeError, SessionError) as error:
        raise UsageError(str(error)) from error
    return Plan(options, path, run, session.seeds, scope, header)


def _configuration(session: Session, options: CrawlOptions) -> dict[str, Any]:
    """What is asked for now; what the crawl began with stays as it was asked for then."""
    begun = session.header["configuration"]
    return as_plain_values(options) | wherever_one_is(options) | {name: begun[name] for name in FIXED if name in begun}


def _resumable(path: Path) -> Session:
    session = Session.open(path)
    if not session.seeds:
        raise UsageError(f"--resume {path}: is not a crawl that can go on: it has no seeds.txt, which a crawl has")
    check_committed(session)
    return session


def _leave_if_complete(session: Session, options: CrawlOptions) -> None:
    """SystemExit(0) if all was fetched, unless limits are wider now than they were."""
    if session.ended is None or session.ended["reason"] != Ending.COMPLETE:
        return
    before = session.header["configuration"]
    was = Limits(before["max_depth"], before["max_redirects"])
    now = Limits(options.max_depth, options.max_redirects)
    if now.depth > was.depth or now.hops > was.hops:
        return
    print(f"{session.path} is complete: nothing is left to crawl", flush=True)
    raise SystemExit(0)


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
        print(
            f"{session.path}: run {run} wrote there {max(0.0, silence):.0f} s ago; if it still goes on, it ends now, "
            "and what it has not committed is fetched again",
            file=sys.stderr,
            flush=True,
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
