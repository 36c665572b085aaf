"""A crawl of the live web from plan to end, and how the session is committed epoch by epoch."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from mpi4py import MPI

from crawler.config.crawl_options import CrawlOptions
from crawler.config.settings import settings_from
from crawler.discovery.admission import AdmissionSettings, UrlRules
from crawler.discovery.discovery import Discovery
from crawler.exchange.verdict import Ending
from crawler.frontier.listed_first import ListedFirst, in_millionths
from crawler.frontier.order_settings import OrderSettings
from crawler.frontier.ordering import ordering_named
from crawler.launch.plan import Plan
from crawler.launch.remaining_limits import used_up
from crawler.launch.scratch import remove_left_by, scratch_of
from crawler.monitoring.counters import Counters
from crawler.monitoring.events import say
from crawler.monitoring.watcher import Watcher
from crawler.network.contact import crawl_information
from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from crawler.network.web import Web
from crawler.politeness.mailbox import Mailbox
from crawler.rank.assembly import (
    Frame,
    Ground,
    discovery_for,
    frame_for,
    intake_for,
    polite_visits_for,
    queued_in_memory,
    rank_of,
)
from crawler.rank.listed_urls import ListedUrls, most_ahead, with_listed
from crawler.rank.pacing import TimedPacing
from crawler.rank.rank import Rank
from crawler.rank.resuming.back_links import Recounting
from crawler.rank.watchers import watching
from crawler.worklist.worklist import open_worklist
from sessions.records import End, RankEntry
from sessions.session import Session, SessionError
from sessions.writing.commit import check_owner, commit
from sessions.writing.recorder import Recorder

_KIB, _MIB = 1 << 10, 1 << 20


def crawl(comm: MPI.Intracomm, plan: Plan) -> Ending:
    """Crawl as one of the ranks of ``comm``, which all call this with the same plan; why the crawl ended."""
    with watching(plan, comm.rank) as watchers:
        return run(comm, plan, network_for(plan.options), live_rank, watchers)


def run(
    comm: MPI.Intracomm, plan: Plan, web: Web, assemble: Callable[[Ground], Rank], watchers: Sequence[Watcher]
) -> Ending:
    """Crawl ``web``, which is closed at the end, as the rank that ``assemble`` puts together; why the crawl ended.

    The ``watchers`` of this rank are shown how it goes.
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
        session = Session.open(plan.out) if options.is_resumed else None
        if session is not None:
            remove_left_by([earlier.run for earlier in session.runs[:-1]], options.scratch)
        scratch = stack.enter_context(scratch_of(plan.out, comm.rank, plan.run, options.scratch))
        counters = Counters(superstep=session.superstep if session is not None else 0)
        rank = assemble(Ground(comm, plan, web, recorder, scratch, counters, session))
        return _run(plan, rank, watchers, used_up(session)[1] if session is not None else 0.0)


@contextmanager
def _telling_of_others(plan: Plan) -> Iterator[None]:
    """Of errors that have to do with files, say so if another run has taken the session over: that removes files."""
    try:
        yield
    except (OSError, SessionError):
        check_owner(plan.out, plan.run)
        raise


def live_rank(ground: Ground) -> Rank:
    """A rank that visits the live web."""
    if ground.plan.options.worklist is not None:
        return listing_rank(ground, ground.plan.options.worklist)
    options = ground.plan.options
    settings = settings_from(options, OrderSettings)
    frame = frame_for(ground, ordering_named(options.order, ground.scratch, queued_in_memory(ground.plan), settings))
    discovery = _live_discovery(frame, ground.plan.seeds)
    if frame.refill is not None:
        frame.refill.discovery(discovery, frame.assignment, _recounting(frame))
    if not _has_begun(ground):
        discovery.seed(ground.plan.seeds, frame.seeding)
    return _visiting_rank(frame, discovery)


def listing_rank(ground: Ground, path: Path) -> Rank:
    """A rank that visits what a worklist names."""
    worklist = open_worklist(path)
    if worklist.identity != ground.plan.worklist:
        raise SessionError(f"{path}: rank {ground.comm.rank} has another worklist there than rank 0")
    plan = replace(ground.plan, scope=with_listed(ground.plan.scope, worklist))
    ordering = listed_first(ground)
    frame = frame_for(ground._replace(plan=plan), ordering)
    # No rule makes an exception of listed URLs, as of seeds: they were found, and not named by the user.
    discovery = _live_discovery(frame, ())
    listed = ListedUrls(worklist, frame.seeding, ground.comm.rank)
    if frame.refill is not None:
        frame.refill.discovery(discovery, frame.assignment, are_listed=listed.among)
    if not _has_begun(ground):
        ground.counters.listed.update(listed.record(discovery))
    listed.queue(discovery, frame.refill.own_rows if frame.refill is not None else None)
    return _visiting_rank(frame, discovery, most_ahead=most_ahead(ordering.left, in_millionths(plan.options.new_share)))


def listed_first(ground: Ground) -> ListedFirst:
    """The ordering of a rank that keeps to a worklist; as many ranks as before go on where these were."""
    options, session, comm = ground.plan.options, ground.session, ground.comm
    reports = session.rank_reports() if session is not None and session.runs[-2].ranks == comm.size else []
    earlier = sum(reports[comm.rank].get("handed_out", {}).values()) if reports else 0
    return ListedFirst(
        ground.scratch,
        queued_in_memory(ground.plan),
        share=in_millionths(options.new_share),
        handed_out=ground.counters.handed_out,
        earlier=earlier,
        goes_beyond=options.beyond,
    )


def _has_begun(ground: Ground) -> bool:
    """Has an earlier run of this session committed what the crawl begins with?"""
    return ground.session is not None and bool(ground.session.table_files("urls"))


def _live_discovery(frame: Frame, named: Sequence[str]) -> Discovery:
    """What becomes of URLs that are found; the rules admit those that the user has ``named`` in any case."""
    plan = frame.plan
    return discovery_for(frame, UrlRules(settings_from(plan.options, AdmissionSettings), named, plan.year))


def _visiting_rank(frame: Frame, discovery: Discovery, *, most_ahead: int | None = None) -> Rank:
    web = frame.web
    intake = intake_for(frame, discovery)
    pacing = TimedPacing(
        web,
        frame.exchange,
        frame.stop,
        seconds=frame.plan.options.superstep,
        most_seconds=frame.conditions.max_seconds,
    )
    visited_at = web.now() if frame.session is not None else None
    visits = polite_visits_for(frame, intake, Mailbox(frame.comm), visited_at=visited_at, most_ahead=most_ahead)
    return rank_of(frame, discovery=discovery, intake=intake, visits=visits, pacing=pacing)


def _recounting(frame: Frame) -> Recounting | None:
    """What counts back-links again where a session goes on, if the ordering goes by them."""
    if frame.back_links is None:
        return None
    return Recounting(frame.back_links, frame.exchange, frame.scratch, queued_in_memory(frame.plan))


def network_for(options: CrawlOptions) -> CurlWeb:
    """The network as these options ask for it."""
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
        )
    )


def _run(plan: Plan, rank: Rank, watchers: Sequence[Watcher], seconds_before: float) -> Ending:
    """Crawl to the end; earlier runs of the session have taken ``seconds_before``."""
    while True:
        states, verdict = rank.superstep()
        for watcher in watchers:
            watcher.show(states, is_last=verdict.ending is not None)
        if verdict.closes_epoch:
            _close_epoch(plan, rank)
        if verdict.ending is not None:
            # What a crawl says when it ends is an epoch of its own, which a run that goes on withdraws.
            rank.save_frontier(verdict.ending)
            seconds = seconds_before + states[0].milliseconds / 1000
            _close_epoch(plan, rank, {"reason": str(verdict.ending), "seconds": seconds})
            rank.leave()
            say("crawl ended", reason=str(verdict.ending), seconds=round(rank.seconds, 3))
            return verdict.ending


def _close_epoch(plan: Plan, rank: Rank, ended: End | None = None) -> None:
    began = rank.seconds
    entries = rank.close_epoch()
    say("epoch closed", superstep=rank.supersteps, seconds=round(rank.seconds - began, 3))
    _commit(plan, rank, entries, ended)


def _commit(plan: Plan, rank: Rank, entries: list[RankEntry] | None, ended: End | None) -> None:
    """On rank 0, make the epoch that all ranks have closed part of the session."""
    if entries is None:
        return
    began = rank.seconds
    commit(plan.out, plan.header, rank.supersteps, entries, ended)
    say("epoch committed", epoch=plan.header["epochs"], seconds=round(rank.seconds - began, 3))
