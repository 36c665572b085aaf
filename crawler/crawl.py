"""A crawl of the live web from plan to end, and how the session is committed epoch by epoch."""

import shutil
from collections.abc import Callable
from typing import Any

from mpi4py import MPI

from crawler.admission import UrlRules
from crawler.assembly import Ground, discovery_for, frame_for, intake_for, polite_visits_for, queued_in_memory, rank_of
from crawler.network import Network
from crawler.options import CrawlOptions
from crawler.ordering import ordering_named
from crawler.pacing import TimedPacing
from crawler.plan import Plan
from crawler.politeness.post import Post
from crawler.progress import Progress
from crawler.rank import Rank
from crawler.transfer import NetworkSettings
from crawler.verdict import Ending
from crawler.web import Web
from sessions.recorder import Recorder, rank_folder
from sessions.session import commit
from sessions.tables import forgo_pandas

_KIB, _MIB = 1 << 10, 1 << 20


def crawl(comm: MPI.Intracomm, plan: Plan) -> Ending:
    """Crawl as one of the ranks of ``comm``, which all call this with the same plan; why the crawl ended."""
    return run(comm, plan, network_for(plan.options), live_rank)


def run(
    comm: MPI.Intracomm, plan: Plan, web: Web, assemble: Callable[[Ground], Rank], progress: Progress | None = None
) -> Ending:
    """Crawl ``web``, which is closed at the end, as the rank that ``assemble`` puts together; why the crawl ended.

    Rank 0 shows its ``progress``.
    """
    forgo_pandas()
    scratch = rank_folder(plan.out, comm.rank) / "frontier"
    recorder = Recorder(plan.out, comm.rank, plan.run, store_bodies=plan.options.store_bodies)
    try:
        rank = assemble(Ground(comm, plan, web, recorder, scratch))
        return _run(plan, rank, progress or Progress() if comm.rank == 0 else None)
    finally:
        recorder.close()
        web.close()
        shutil.rmtree(scratch, ignore_errors=True)


def live_rank(ground: Ground) -> Rank:
    """A rank that visits the live web."""
    plan, options = ground.plan, ground.plan.options
    frame = frame_for(ground, ordering_named(options.order, ground.scratch, queued_in_memory(plan)))
    discovery = discovery_for(frame, UrlRules(options, plan.seeds, plan.year))
    discovery.seed(plan.seeds, frame.seeding)
    intake = intake_for(frame, discovery)
    pacing = TimedPacing(
        ground.web, frame.exchange, frame.stop, seconds=options.superstep, most_seconds=options.max_seconds
    )
    visits = polite_visits_for(frame, intake, Post(ground.comm))
    return rank_of(frame, discovery=discovery, intake=intake, visits=visits, pacing=pacing)


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


def _run(plan: Plan, rank: Rank, progress: Progress | None) -> Ending:
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
