"""A crawl from plan to end: the rank's parts are put together here, and here the session is committed."""

import shutil
from pathlib import Path
from typing import Any

from mpi4py import MPI

from crawler.admission import Admission
from crawler.caps import Caps
from crawler.comparing import comparing
from crawler.counters import Counters
from crawler.credits import Credits
from crawler.discovery import Discovery, Limits
from crawler.exchange import LinkExchange
from crawler.fetcher import Fetcher, FetchSettings
from crawler.filters import ContentTypes
from crawler.intake import Intake, PageLimits
from crawler.network import Network
from crawler.options import DEFAULT_ASSIGNMENT, CrawlOptions
from crawler.ordering import ordering_named
from crawler.plan import Plan
from crawler.politeness.capkeeper import CapKeeper
from crawler.politeness.correspondence import Correspondence
from crawler.politeness.delays import Delays
from crawler.politeness.post import Post
from crawler.politeness.serverkeeper import ServerKeeper
from crawler.politeness.sitekeeper import SiteKeeper
from crawler.progress import Progress
from crawler.rank import Rank
from crawler.robots import product_token
from crawler.robotsfetching import RobotsFetching, RobotsSettings
from crawler.stages import StageClock
from crawler.stopping import StopSignal
from crawler.transfer import NetworkSettings
from crawler.urlqueue import UrlQueue
from crawler.verdict import EndConditions, Ending
from crawler.web import Web
from crawler.wire import Wire
from crawler.workbench import Workbench
from partition.assignment import Assignment
from partition.hashing import assignment_named
from partition.map.ownership import PartitionAssignment
from partition.map.table import PartitionMap
from sessions.recorder import Recorder, rank_folder
from sessions.session import commit
from sessions.tables import forgo_pandas

_KIB, _MIB = 1 << 10, 1 << 20
_BYTES_PER_QUEUED_URL = 256


def crawl(comm: MPI.Intracomm, plan: Plan) -> Ending:
    """Crawl as one of the ranks of ``comm``, which all call this with the same plan; why the crawl ended."""
    forgo_pandas()
    web = network_for(plan.options)
    scratch = rank_folder(plan.out, comm.rank) / "frontier"
    recorder = Recorder(plan.out, comm.rank, plan.run, store_bodies=plan.options.store_bodies)
    try:
        return _run(comm, plan, _assemble(comm, plan, web, recorder, scratch))
    finally:
        recorder.close()
        web.close()
        shutil.rmtree(scratch, ignore_errors=True)


def network_for(options: CrawlOptions) -> Network:
    """The network as these options ask for it."""
    return Network(
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


def _run(comm: MPI.Intracomm, plan: Plan, rank: Rank) -> Ending:
    progress = Progress() if comm.rank == 0 else None
    while True:
        states, verdict = rank.superstep()
        if verdict.ending is not None:
            rank.save_frontier(verdict.ending)
        if progress:
            progress.show(states, is_last=verdict.ending is not None)
        if verdict.closes_epoch:
            _commit(plan, rank, rank.close_epoch(), states[0].milliseconds, verdict.ending)
        if verdict.ending is not None:
            if progress:
                progress.close()
            rank.leave()
            return verdict.ending


def _commit(
    plan: Plan, rank: Rank, entries: list[dict[str, Any]] | None, milliseconds: int, ending: Ending | None
) -> None:
    """On rank 0, make the epoch that all ranks have closed part of the session."""
    if entries is None:
        return
    ended = {"reason": str(ending), "seconds": milliseconds / 1000} if ending is not None else None
    commit(plan.out, plan.header, rank.supersteps, entries, ended)


def _ownership(options: CrawlOptions, comm: MPI.Intracomm) -> tuple[Assignment, Assignment, Wire]:
    """Who owns a URL, who owns a seed, and how URLs are written to their owners."""
    if options.partition is None:
        by_hash = assignment_named(options.assign or DEFAULT_ASSIGNMENT, comm.size)
        return by_hash, by_hash, Wire()
    table = PartitionMap.open(options.partition, verify=False)  # verified by every rank before the crawl began
    by_part = PartitionAssignment(table, comm.rank, options.unknown)
    return by_part, by_part.for_seeds(), Wire(table)


def _assemble(comm: MPI.Intracomm, plan: Plan, web: Web, recorder: Recorder, scratch: Path) -> Rank:
    options = plan.options
    queued_urls = round(options.frontier_memory * _MIB / _BYTES_PER_QUEUED_URL)
    counters, clock = Counters(), StageClock()
    limits = Limits(options.max_depth, options.max_redirects)
    ordering = ordering_named(options.order, scratch, queued_urls // 2)
    post = Post(comm)
    caps = Caps(options.max_pages_per_site, options.max_pages_per_prefix, options.prefix_segments)
    workbench = Workbench(
        UrlQueue(scratch, "parked", queued_urls // 2),
        post,
        web.now,
        server_delay=options.server_delay,
        cap_of=caps.prefix,
    )
    site_keeper = SiteKeeper(post, web, workbench.run_errand, by_address=options.server_delay > 0)
    server_keeper = ServerKeeper(post, server_delay=options.server_delay)
    credits = Credits(is_limited=options.max_pages is not None)
    stop = StopSignal()
    stop.listen()
    assignment, seeding, wire = _ownership(options, comm)
    discovery = Discovery(
        comm.rank,
        assignment=assignment,
        scope=plan.scope,
        admission=Admission(options, plan.seeds, plan.year),
        limits=limits,
        ordering=ordering,
        recorder=recorder,
        sent_budget=round(options.sent_memory * _MIB),
        counters=counters,
        clock=clock,
        honours_nofollow=options.honour_nofollow,
    )
    discovery.seed(plan.seeds, seeding)
    intake = Intake(
        comm.rank,
        plan.run,
        document_limit=round(options.max_decoded * _MIB),
        agent=product_token(options.user_agent),
        honours_noindex=options.honour_nofollow,
        limits=PageLimits(options.max_links, options.parse_seconds, ContentTypes(options.content_types)),
        comparing=comparing(options, comm.rank, assignment),
        discovery=discovery,
        recorder=recorder,
        counters=counters,
        clock=clock,
    )
    fetcher = Fetcher(
        FetchSettings(connections=options.connections, retries=options.retries, site_errors=options.site_errors),
        web=web,
        workbench=workbench,
        post=post,
        delays=Delays(
            delay=options.delay,
            server_delay=options.server_delay,
            factor=options.delay_factor,
            retry_wait=options.retry_wait,
        ),
        robots=RobotsFetching(
            comm.rank,
            RobotsSettings(
                agent=product_token(options.user_agent),
                retries=options.retries,
                retry_wait=options.retry_wait,
                patience=options.robots_wait,
                max_crawl_delay=options.max_crawl_delay,
            ),
            site_keeper,
            recorder,
            counters,
        ),
        credits=credits,
        intake=intake,
        recorder=recorder,
        counters=counters,
    )
    return Rank(
        exchange=LinkExchange(comm, wire),
        web=web,
        ordering=ordering,
        workbench=workbench,
        discovery=discovery,
        fetcher=fetcher,
        intake=intake,
        post=post,
        site_keeper=site_keeper,
        correspondence=Correspondence(post, workbench, site_keeper, server_keeper, CapKeeper(post, caps)),
        credits=credits,
        recorder=recorder,
        counters=counters,
        clock=clock,
        limits=limits,
        conditions=EndConditions(options.max_pages, options.max_seconds, options.max_wait),
        stop=stop,
        superstep=options.superstep,
        epoch=options.epoch_seconds,
    )
