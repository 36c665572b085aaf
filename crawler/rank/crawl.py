"""A crawl of the live web from plan to end, and how the session is committed epoch by epoch."""

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from crawler.config.crawl_options import CrawlOptions
from crawler.exchange.verdict import Ending
from crawler.launch.closing_message import what_is_left
from crawler.launch.earlier_ranks import hosts_left
from crawler.launch.plan import Plan
from crawler.launch.remaining_limits import used_up
from crawler.launch.scratch import remove_left_by, scratch_of
from crawler.launch.told_session import told_session
from crawler.monitoring.counters import Counters
from crawler.monitoring.events import say
from crawler.monitoring.presence import Presence
from crawler.monitoring.silence import HeldUp
from crawler.monitoring.watcher import Watcher
from crawler.network.bandwidth import Bandwidth
from crawler.network.contact import crawl_information
from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from crawler.network.proxy import DIRECT, Proxy
from crawler.network.web import Web
from crawler.process.attendance import Attendance
from crawler.process.common_clock import common_clock
from crawler.process.end_at_once import abort_of
from crawler.process.terminal import tell
from crawler.rank.assembly import Ground
from crawler.rank.live_rank import live_rank
from crawler.rank.operator_wishes import OperatorWishes
from crawler.rank.rank import Rank
from crawler.rank.silence_limit import ending_after
from crawler.rank.watchers import watching
from sessions.records import RankEntry, RunEnd
from sessions.session import SessionError
from sessions.writing.commit import check_owner, commit
from sessions.writing.recorder import Recorder

if TYPE_CHECKING:
    from mpi4py import MPI

_KIB, _MIB = 1 << 10, 1 << 20


def crawl(comm: "MPI.Intracomm", plan: Plan) -> Ending:
    """Crawl as one of the ranks of ``comm``, which all call this with the same plan; why the crawl ended."""
    options, attendance = plan.options, Attendance()
    this = f"cutweb crawl: rank {comm.rank} of {comm.size}"
    presence = Presence(
        plan.out,
        plan.run,
        comm.rank,
        comm.size,
        options.superstep,
        attendance,
        lambda words: tell(f"{this}: {words}", err=True),
    )

    wishes = OperatorWishes(plan.out, plan.run, lambda: os.kill(os.getpid(), signal.SIGUSR1))

    def last_words(reason: str) -> str:
        return f"{this}: {reason}{what_is_left(TimeoutError(), plan.out)}"

    def held_up() -> HeldUp:
        return HeldUp(tuple(presence.silences), presence.standstill, wishes.is_pausing)

    _name_scratch_left(comm, plan)
    with (
        watching(plan, comm.rank, held_up) as watchers,
        ending_after(options.max_silence, presence, attendance, last_words, abort_of(comm)),
        presence.given(),
        wishes.read(is_first=comm.rank == 0),
    ):
        return run(comm, plan, network_for(options, common_clock(comm)), live_rank, watchers, attendance, wishes)


def run(
    comm: "MPI.Intracomm",
    plan: Plan,
    web: Web,
    assemble: Callable[[Ground], Rank],
    watchers: Sequence[Watcher],
    attendance: Attendance | None = None,
    wishes: OperatorWishes | None = None,
) -> Ending:
    """Crawl ``web``, which is closed at the end, as the rank that ``assemble`` puts together; why the crawl ended.

    The ``watchers`` of this rank are shown how it goes; ``attendance`` is told where it waits for the others, and
    ``wishes`` are what its operator wants.
    """
    options = plan.options
    with _telling_of_others(plan), ExitStack() as stack:
        stack.callback(web.close)
        recorder = Recorder(
            plan.out,
            comm.rank,
            plan.run,
            store_bodies=options.store_bodies,
            epoch=plan.header["epochs"] + 1,
            information=crawl_information(options.user_agent, options.contact or ""),
        )
        stack.callback(recorder.close)
        session = told_session(comm, plan.out) if options.is_resumed else None
        if session is not None:
            remove_left_by([earlier.run for earlier in session.runs[:-1]], options.scratch)
        scratch = stack.enter_context(scratch_of(plan.out, comm.rank, plan.run, options.scratch))
        counters = Counters(superstep=session.superstep if session is not None else 0)
        rank = assemble(Ground(comm, plan, web, recorder, scratch, counters, session, attendance, wishes))
        return _run(plan, rank, watchers, used_up(session)[1] if session is not None else 0.0)


def _name_scratch_left(comm: "MPI.Intracomm", plan: Plan) -> None:
    """Say where scratch folders of killed runs may lie that no rank of this one can remove."""
    hosts = comm.gather(os.uname().nodename)
    if hosts is not None and plan.options.scratch is not None:
        for host in hosts_left(plan.out, set(hosts)):
            tell(
                f"{host} has no rank any more: a killed run may have left {plan.options.scratch}/cutweb-*",
                err=True,
            )


@contextmanager
def _telling_of_others(plan: Plan) -> Iterator[None]:
    """Of errors that have to do with files, say so if another run has taken the session over: that removes files."""
    try:
        yield
    except (OSError, SessionError):
        check_owner(plan.out, plan.run)
        raise


def network_for(options: CrawlOptions, dates: Callable[[], float] | None = None) -> CurlWeb:
    """The network as these options ask for it; ``dates`` is as `CurlWeb` has it."""
    is_limited = bool(options.max_bandwidth or options.bandwidth_hours or options.max_host_bandwidth)
    return CurlWeb(
        NetworkSettings(
            user_agent=options.user_agent,
            contact=options.contact or "",
            connections=options.connections,
            timeout=options.timeout,
            connect_timeout=options.connect_timeout,
            idle_timeout=options.idle_timeout,
            min_speed=options.min_speed,
            body_limit=round(options.max_body * _MIB),
            header_limit=round(options.max_header * _KIB),
            connect_to=options.connect_to,
            allow_net=options.allow_net,
            dns_servers=options.dns_server,
            dns_timeout=options.dns_timeout,
            ca_cert=options.ca_cert,
            tls_verify=options.tls_verify,
            http2=options.http2,
            proxy=Proxy.parse(options.proxy) if options.proxy is not None else DIRECT,
        ),
        Bandwidth() if is_limited else None,
        dates,
    )


def _run(plan: Plan, rank: Rank, watchers: Sequence[Watcher], seconds_before: float) -> Ending:
    """Crawl to the end; earlier runs of the session have taken ``seconds_before``."""
    gc.freeze()  # what was made by now stays, and need not be looked at again for what is not used any more
    while True:
        states, verdict = rank.superstep()
        for watcher in watchers:
            watcher.show(states, is_last=verdict.ending is not None)
        if verdict.closes_epoch:
            _close_epoch(plan, rank, is_last=verdict.ending is not None)
            rank.stand_still()
        if verdict.ending is not None:
            # What a crawl says when it ends is an epoch of its own, which a run that goes on withdraws.
            rank.save_frontier(verdict.ending)
            seconds = seconds_before + states[0].milliseconds / 1000
            _close_epoch(plan, rank, {"reason": str(verdict.ending), "seconds": seconds}, is_last=True)
            rank.leave()
            say("crawl ended", reason=str(verdict.ending), seconds=round(rank.seconds, 3))
            return verdict.ending


def _close_epoch(plan: Plan, rank: Rank, ended: RunEnd | None = None, *, is_last: bool) -> None:
    began = rank.seconds
    entries = rank.close_epoch(is_last=is_last)
    say("epoch closed", superstep=rank.supersteps, seconds=round(rank.seconds - began, 3))
    _commit(plan, rank, entries, ended)


def _commit(plan: Plan, rank: Rank, entries: list[RankEntry] | None, ended: RunEnd | None) -> None:
    """On rank 0, make the epoch that all ranks have closed part of the session."""
    if entries is None:
        return
    began = rank.seconds
    commit(plan.out, plan.header, rank.supersteps, entries, ended)
    say("epoch committed", epoch=plan.header["epochs"], seconds=round(rank.seconds - began, 3))
