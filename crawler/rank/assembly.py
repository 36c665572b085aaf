"""Putting a rank together from its plan: the parts that every crawl has, and those that visit the live web.

A replay (`crawler.replay.replay_rank`) uses the same parts, with other visits, another pacing and another web.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from crawler.config.crawl_options import DEFAULT_ASSIGNMENT
from crawler.config.filters import ContentTypes
from crawler.config.settings import settings_from
from crawler.discovery.admission import Admission
from crawler.discovery.depth_limits import Limits
from crawler.discovery.discovery import LINKS_PER_BATCH, Discovery, Referrals
from crawler.discovery.external_links import external_links
from crawler.discovery.own_urls import OwnUrls
from crawler.discovery.sent_urls import SentUrls
from crawler.discovery.url_seen import Seen
from crawler.drum.keep_alive import KeepAlive
from crawler.exchange.announcements import Announcements
from crawler.exchange.bandwidth_share import BandwidthShare
from crawler.exchange.link_exchange import LinkExchange
from crawler.exchange.page_quota import Credits
from crawler.exchange.parallel_modes import EXCHANGE
from crawler.exchange.verdict import EndConditions
from crawler.exchange.wire_format import Wire
from crawler.fetching.fetcher import Fetcher, FetchSettings
from crawler.fetching.look_ahead import LookAhead
from crawler.fetching.message_dispatch import MessageDispatch
from crawler.fetching.polite_visits import PoliteVisits
from crawler.fetching.refill_policy import few_sites
from crawler.fetching.robots_fetcher import RobotsFetching, RobotsSettings
from crawler.fetching.visits import Visits
from crawler.fetching.workbench import Workbench
from crawler.frontier.back_links import BackLinks, back_links_for
from crawler.frontier.budgets.budget_delays import BudgetRests
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.star import Star
from crawler.frontier.ordering import Ordering
from crawler.intake.comparisons import ComparisonSettings, comparing
from crawler.intake.intake import Intake, PageLimits
from crawler.launch.plan import Plan
from crawler.launch.remaining_limits import conditions_left
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.network.product_token import product_token
from crawler.network.web import Web
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.cap_gatekeeper import CapGatekeeper
from crawler.politeness.delays import ALIKE, Delays
from crawler.politeness.earlier_rests import NO_EARLIER_RESTS
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.page_caps import Caps
from crawler.politeness.robots_cache import RobotsCache
from crawler.politeness.server_gatekeeper import ServerGatekeeper
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from crawler.process.attendance import Attendance
from crawler.process.stop_signals import StopSignal
from crawler.rank.operator_wishes import OperatorWishes
from crawler.rank.pacing import Pacing
from crawler.rank.rank import Rank
from crawler.rank.resuming.restore import Refill
from crawler.rank.site_limits import page_caps, sites_to_keep_busy
from partition.assignment.assignment import Assignment, assignment_named
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from sessions.session import Session
from sessions.writing.recorder import Recorder

if TYPE_CHECKING:
    from mpi4py import MPI

_MIB = 1 << 20


class Ground(NamedTuple):
    """What a rank is built on.

    ``scratch`` is its folder for what does not stay; ``session`` is what earlier runs have left of the session that
    this one goes on with, None if it begins one; ``attendance`` is told where the rank waits for others, and ``wishes``
    are those of an operator.
    """

    comm: "MPI.Intracomm"
    plan: Plan
    web: Web
    recorder: Recorder
    scratch: Path
    counters: Counters
    session: Session | None = None
    attendance: Attendance | None = None
    wishes: OperatorWishes | None = None


@dataclass(frozen=True)
class Frame:
    """What the parts of a rank have in common, beside its ground.

    ``assignment`` says who owns a URL, ``seeding`` who owns a seed; ``keep_alive`` serves the web
    while something merges; ``star`` budgets the domains, if anything does, ``back_links`` counts links, if anything
    goes by them; ``refill`` fills the parts where a session goes on.
    """

    comm: "MPI.Intracomm"
    plan: Plan
    web: Web
    recorder: Recorder
    scratch: Path
    session: Session | None
    attendance: Attendance
    wishes: OperatorWishes | None
    refill: Refill | None
    ordering: Ordering
    assignment: Assignment
    seeding: Assignment
    exchange: LinkExchange
    counters: Counters
    clock: StageClock
    credits: Credits
    stop: StopSignal
    limits: Limits
    conditions: EndConditions
    keep_alive: KeepAlive
    star: Star | None
    back_links: BackLinks | None


def frame_for(ground: Ground, ordering: Ordering) -> Frame:
    """The frame of this rank's parts; from now on it listens to signals."""
    options = ground.plan.options
    attendance, clock = ground.attendance or Attendance(), StageClock()
    attendance.follow(clock.standing)
    keep_alive = KeepAlive(attendance.move, ground.web.advance)
    assignment, seeding, wire = _ownership(ground.plan, ground.comm)
    stop = StopSignal()
    stop.listen()
    refill = Refill(ground.session, ground.comm.rank, ground.comm.size) if ground.session is not None else None
    return Frame(
        **{**ground._asdict(), "attendance": attendance},
        refill=refill,
        ordering=ordering,
        assignment=assignment,
        seeding=seeding,
        exchange=LinkExchange(ground.comm, wire, attendance=attendance),
        clock=clock,
        credits=Credits(is_limited=options.max_pages is not None),
        stop=stop,
        limits=Limits(options.max_depth, options.max_redirects),
        conditions=conditions_left(options, ground.session),
        keep_alive=keep_alive,
        star=star_for(ground, ordering, refill, keep_alive),
        back_links=back_links_for(ordering.back_links, assignment),
    )


def queued_in_memory(plan: Plan) -> int:
    """How many bytes of URLs the ordering may keep in memory, and as many the queue of parked ones."""
    return round(plan.options.frontier_memory * _MIB) // 2


def star_for(ground: Ground, ordering: Ordering, refill: Refill | None, keep_alive: KeepAlive) -> Star | None:
    """What budgets the domains, if the ordering wants that."""
    if ordering.budgeted is None:
        return None
    options = ground.plan.options
    star = Star(
        ground.scratch,
        ordering.budgeted,
        options.budget,
        round(options.budget_memory * _MIB),
        seeds=domain_hashes(ground.plan.seeds),
        arrived=ground.recorder.referrals,
        keep_alive=keep_alive,
    )
    if refill is not None:
        refill.star(star)
    return star


def discovery_for(
    frame: Frame,
    admission: Admission,
    *,
    links_per_batch: int = LINKS_PER_BATCH,
    mode: str = EXCHANGE,
    later: Ordering | None = None,
) -> Discovery:
    """What becomes of the URLs that this rank finds."""
    options, rank = frame.plan.options, frame.comm.rank
    seen, sent = (
        Seen(frame.scratch, name, round(memory * _MIB), frame.limits, frame.keep_alive)
        for name, memory in (("seen", options.seen_memory), ("sent", options.sent_memory))
    )
    own = OwnUrls(
        rank,
        seen,
        admission,
        ordering=frame.ordering,
        later=later,
        recorder=frame.recorder,
        counters=frame.counters,
    )
    return Discovery(
        rank,
        frame.assignment,
        scope=frame.plan.scope,
        own=own,
        sent=SentUrls(sent, frame.assignment.ranks, frame.scratch),
        recorder=frame.recorder,
        counters=frame.counters,
        clock=frame.clock,
        honours_nofollow=options.honour_nofollow,
        links_per_batch=links_per_batch,
        mode=mode,
        referrals=_referrals(frame.star),
        back_links=frame.back_links.links if frame.back_links is not None else None,
        external=external_links(options.external, frame.recorder),
    )


def intake_for(frame: Frame, discovery: Discovery) -> Intake:
    """What becomes of the pages that this rank fetches."""
    options = frame.plan.options
    compared = comparing(
        settings_from(options, ComparisonSettings), frame.comm.rank, frame.assignment, frame.scratch, frame.keep_alive
    )
    if frame.refill is not None and compared.waiting is not None:
        frame.refill.documents(compared.waiting, frame.exchange, stores_bodies=options.store_bodies)
    return Intake(
        frame.comm.rank,
        frame.plan.run,
        document_limit=round(options.max_decoded * _MIB),
        agent=product_token(options.user_agent, options.robots_token),
        honours_noindex=options.honour_nofollow,
        limits=PageLimits(options.max_links, options.parse_seconds, ContentTypes(options.content_types)),
        comparing=compared,
        discovery=discovery,
        recorder=frame.recorder,
        counters=frame.counters,
        clock=frame.clock,
    )


def polite_visits_for(
    frame: Frame, intake: Intake, mailbox: Mailbox, *, visited_at: float | None = None, most_ahead: int | None = None
) -> PoliteVisits:
    """Visits that hold all delays over all ranks, which the gatekeepers of sites and servers see to by ``mailbox``.

    All sites and servers count as visited at ``visited_at``, a time of the web, if that is given.  ``most_ahead`` is
    as `crawler.fetching.look_ahead` has it.
    """
    options = frame.plan.options
    limits = page_caps(options)
    caps = Caps(limits)
    cache = RobotsCache(frame.scratch, keep_alive=frame.keep_alive)
    earlier = NO_EARLIER_RESTS
    if frame.refill is not None:
        web = frame.web
        frame.refill.page_counts(limits, caps)
        frame.refill.robots(cache, product_token(options.user_agent, options.robots_token), web.now())
        earlier = frame.refill.rests(web.now())
    leases = Leases(mailbox, server_delay=options.server_delay)
    workbench = Workbench(
        Backlogs(frame.scratch, queued_in_memory(frame.plan)),
        mailbox,
        leases,
        frame.web.now,
        connections=few_sites(options.connections, frame.comm.size),
        caps=limits,
        most_sites=sites_to_keep_busy(options),
    )
    site_gatekeeper = SiteGatekeeper(
        mailbox,
        frame.web,
        workbench.picker.run_errand,
        by_address=options.server_delay > 0,
        cache=cache,
        earlier=earlier,
    )
    server_gatekeeper = ServerGatekeeper(mailbox, server_delay=options.server_delay)
    return PoliteVisits(
        web=frame.web,
        supply=workbench.supply,
        picker=workbench.picker,
        leases=leases,
        fetcher=_fetcher_for(
            frame, intake, workbench, mailbox, _robots_fetching_for(frame, site_gatekeeper), visited_at
        ),
        mailbox=mailbox,
        site_gatekeeper=site_gatekeeper,
        message_dispatch=MessageDispatch(
            mailbox, workbench.answers, leases, site_gatekeeper, server_gatekeeper, CapGatekeeper(mailbox, caps)
        ),
        look_ahead=LookAhead(most_ahead),
    )


def rank_of(
    frame: Frame,
    *,
    discovery: Discovery,
    intake: Intake,
    visits: Visits,
    pacing: Pacing,
    bandwidth: BandwidthShare | None = None,
) -> Rank:
    """The rank, whole."""
    options = frame.plan.options
    return Rank(
        exchange=frame.exchange,
        web=frame.web,
        ordering=frame.ordering,
        visits=visits,
        discovery=discovery,
        intake=intake,
        credits=frame.credits,
        recorder=frame.recorder,
        counters=frame.counters,
        clock=frame.clock,
        conditions=frame.conditions,
        stop=frame.stop,
        pacing=pacing,
        epoch=options.epoch_seconds,
        bandwidth=bandwidth,
        matters=[matter for matter in (frame.star, frame.back_links) if matter is not None],
        announcements=Announcements([topic for topic in (frame.wishes,) if topic is not None]),
        wishes=frame.wishes,
    )


def _referrals(star: Star | None) -> Referrals | None:
    """Tells links to what counts them."""
    if star is None:
        return None
    return lambda domains, targets: star.links(domains, domain_hashes(targets))


def _ownership(plan: Plan, comm: "MPI.Intracomm") -> tuple[Assignment, Assignment, Wire]:
    """Who owns a URL, who owns a seed, and how URLs are written to their owners."""
    options = plan.options
    if options.partition is None:
        by_hash = assignment_named(options.assign or DEFAULT_ASSIGNMENT, comm.size)
        return by_hash, by_hash, Wire()
    table = PartitionMap.open(options.partition, verify=False)  # verified by every rank before the crawl began
    by_part = PartitionAssignment(table, comm.rank, options.unknown)
    return by_part, by_part.for_seeds(), Wire(table)


def _fetcher_for(
    frame: Frame,
    intake: Intake,
    bench: Workbench,
    mailbox: Mailbox,
    robots: RobotsFetching,
    visited_at: float | None,
) -> Fetcher:
    options = frame.plan.options
    return Fetcher(
        settings_from(options, FetchSettings),
        web=frame.web,
        picker=bench.picker,
        knowledge=bench.knowledge,
        mailbox=mailbox,
        delays=Delays(
            delay=options.delay,
            server_delay=options.server_delay,
            factor=options.delay_factor,
            retry_wait=options.retry_wait,
            rests=BudgetRests(frame.star) if frame.star is not None else ALIKE,
            visited_at=visited_at,
        ),
        robots=robots,
        credits=frame.credits,
        intake=intake,
        recorder=frame.recorder,
        counters=frame.counters,
        bandwidth=frame.web.bandwidth,
    )


def _robots_fetching_for(frame: Frame, site_gatekeeper: SiteGatekeeper) -> RobotsFetching:
    options = frame.plan.options
    settings = RobotsSettings(
        agent=product_token(options.user_agent, options.robots_token),
        retries=options.retries,
        retry_wait=options.retry_wait,
        patience=options.robots_wait,
        max_crawl_delay=options.max_crawl_delay,
    )
    return RobotsFetching(frame.comm.rank, settings, site_gatekeeper, frame.recorder, frame.counters)
