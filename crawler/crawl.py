"""A crawl from plan to end: the rank's parts are put together here, and here the session is committed."""

import shutil
from pathlib import Path
from typing import Any

from mpi4py import MPI

from crawler.counters import Counters
from crawler.credits import Credits
from crawler.discovery import Discovery, Limits
from crawler.exchange import LinkExchange
from crawler.fetcher import Fetcher, FetchSettings
from crawler.network import Network, NetworkSettings
from crawler.options import DEFAULT_ASSIGNMENT, CrawlOptions
from crawler.ordering import ordering_named
from crawler.plan import Plan
from crawler.progress import Progress
from crawler.rank import Rank
from crawler.robots import Robots
from crawler.stages import StageClock
from crawler.stopping import StopSignal
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

_MIB = 1 << 20
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
            connections=options.connections,
            timeout=options.timeout,
            connect_timeout=options.connect_timeout,
            body_limit=round(options.max_body * _MIB),
            connect_to=options.connect_to,
            ca_cert=options.ca_cert,
            tls_verify=options.tls_verify,
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
    workbench = Workbench(UrlQueue(scratch, "parked", queued_urls // 2), server_delay=options.server_delay)
    credits = Credits(is_limited=options.max_pages is not None)
    stop = StopSignal()
    stop.listen()
    assignment, seeding, wire = _ownership(options, comm)
    discovery = Discovery(
        comm.rank,
        assignment=assignment,
        scope=plan.scope,
        limits=limits,
        ordering=ordering,
        recorder=recorder,
        sent_budget=round(options.sent_memory * _MIB),
        counters=counters,
        clock=clock,
    )
    discovery.seed(plan.seeds, seeding)
    fetcher = Fetcher(
        comm.rank,
        plan.run,
        FetchSettings(
            connections=options.connections,
            delay=options.delay,
            retries=options.retries,
            retry_wait=options.retry_wait,
            document_limit=round(options.max_decoded * _MIB),
        ),
        web=web,
        workbench=workbench,
        robots=Robots(options.user_agent.partition("/")[0].strip()),
        credits=credits,
        discovery=discovery,
        recorder=recorder,
        counters=counters,
        clock=clock,
    )
    return Rank(
        exchange=LinkExchange(comm, wire),
        web=web,
        ordering=ordering,
        workbench=workbench,
        discovery=discovery,
        fetcher=fetcher,
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
