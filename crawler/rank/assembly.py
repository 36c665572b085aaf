"""Putting a rank together from its plan: the parts that every crawl has.

Those that visit the live web are put together in `crawler.rank.visits_assembly`.

A replay (`crawler.replay.replay_rank`) uses the same parts, with other visits, another pacing and another web.
"""

from collections.abc import Callable, Sequence
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
from crawler.exchange.announcements import Announcements, Topic
from crawler.exchange.bandwidth_share import BandwidthShare
from crawler.exchange.link_exchange import LinkExchange
from crawler.exchange.page_quota import Credits
from crawler.exchange.parallel_modes import EXCHANGE
from crawler.exchange.verdict import EndConditions
from crawler.exchange.wire_format import Wire
from crawler.fetching.rule_quotas import RuleQuotas
from crawler.fetching.visits import Visits
from crawler.frontier.back_links import BackLinks, back_links_for
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
from crawler.process.attendance import Attendance
from crawler.process.stop_signals import StopSignal, signals
from crawler.rank.epoch_schedule import EpochSchedule
from crawler.rank.fetch_loop import FetchLoop
from crawler.rank.left_urls import LeftUrls
from crawler.rank.merge_share import MergeShare
from crawler.rank.operator_wishes import OperatorWishes
from crawler.rank.pacing import Pacing
from crawler.rank.rank import Rank
from crawler.rank.rule_changes import RuleChanges, first_rules
from crawler.rank.superstep_exchange import SuperstepExchange
from crawler.site_rules.rules_in_force import RULE, RulesInForce
from partition.assignment.assignment import Assignment, assignment_named
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from sessions.session import Session
from sessions.writing.recorder import Recorder

if TYPE_CHECKING:
    from mpi4py import MPI

    from crawler.rank.resuming.restore import Refill

_MIB = 1 << 20


class Ground(NamedTuple):
    """What a rank is built on.

    ``scratch`` is its folder for what does not stay; ``session`` is what earlier runs have left of the session that
    this one goes on with, None if it begins one; ``attendance`` is told where the rank waits for others, and ``wishes``
    are those of an operator.  ``exchange`` makes the rank's end of the link exchange, over ``comm`` unless given;
    ``stop`` asks the rank to stop, signals unless given; ``clock`` takes the time of its stages, unless given CPU time.
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
    exchange: Callable[[Wire], LinkExchange] | None = None
    stop: StopSignal | None = None
    clock: StageClock | None = None


@dataclass(frozen=True)
class Frame:
    """What the parts of a rank have in common, beside its ground.

    ``assignment`` says who owns a URL, ``seeding`` who owns a seed; ``keep_alive`` serves the web
    while something merges; ``star`` budgets the domains, if anything does, ``back_links`` counts links, if anything
    goes by them; ``refill`` fills the parts where a session goes on.  ``rules`` are the operator's, with their
    ``quotas``; ``topics`` are what an operator may change.  ``merges_in_pieces``: the rank goes on fetching meanwhile.
    """

    comm: "MPI.Intracomm"
    plan: Plan
    web: Web
    recorder: Recorder
    scratch: Path
    session: Session | None
    attendance: Attendance
    wishes: OperatorWishes | None
    refill: "Refill | None"
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
    rules: RulesInForce
    quotas: RuleQuotas
    topics: Sequence[Topic]
    merges_in_pieces: bool


def frame_for(ground: Ground, ordering: Ordering, *, merges_in_pieces: bool = False) -> Frame:
    """The frame of this rank's parts; from now on it listens to signals, unless its ground says what stops it.

    ``merges_in_pieces`` lets it fetch while something merges.
    """
    options = ground.plan.options
    attendance, clock = ground.attendance or Attendance(), ground.clock or StageClock()
    attendance.follow(clock.standing)
    keep_alive = KeepAlive(attendance.move, ground.web.advance)
    assignment, seeding, wire = _ownership(ground.plan, ground.comm)
    exchange = ground.exchange or (lambda wire: LinkExchange(ground.comm, wire, attendance=attendance))
    rules = first_rules(ground.plan.rules)
    refill = refill_of(ground)
    made = {"attendance": attendance, "exchange": exchange(wire), "stop": ground.stop or signals(), "clock": clock}
    return Frame(
        **{**ground._asdict(), **made},
        refill=refill,
        ordering=ordering,
        assignment=assignment,
        seeding=seeding,
        credits=Credits(is_limited=options.max_pages is not None),
        limits=Limits(options.max_depth, options.max_redirects),
        conditions=conditions_left(options, ground.session),
        keep_alive=keep_alive,
        star=star_for(ground, ordering, refill, keep_alive, in_pieces=merges_in_pieces),
        back_links=back_links_for(ordering.back_links, assignment),
        rules=rules,
        quotas=quotas_for(ground, rules, refill),
        topics=topics_for(ground, rules),
        merges_in_pieces=merges_in_pieces,
    )


def refill_of(ground: Ground) -> "Refill | None":
    """What fills this rank from the session that it goes on with, if it does."""
    if ground.session is None:
        return None
    from crawler.rank.resuming.restore import Refill  # with Arrow's functions, which a new crawl does not need

    return Refill(ground.session, ground.comm.rank, ground.comm.size)


def quotas_for(ground: Ground, rules: RulesInForce, refill: "Refill | None") -> RuleQuotas:
    """The quotas of the operator's rules, with what earlier runs have used of them."""
    planned, used = ground.plan.rules, {}
    if refill is not None and planned is not None:
        used = refill.rule_counts(rules.book, planned.since)
    return RuleQuotas(rules, ground.comm.rank, ground.comm.size, used)


def topics_for(ground: Ground, rules: RulesInForce) -> list[Topic]:
    """What the operator of this crawl may change while it goes on; that begins to be recorded."""
    plan, counters = ground.plan, ground.counters
    if plan.rules is None:
        return []
    changes = RuleChanges(plan.rules, rules, plan.out, plan.run, lambda: counters.superstep)
    if ground.comm.rank == 0:
        changes.begin()
    return [changes]


def queued_in_memory(plan: Plan) -> int:
    """How many bytes of URLs the ordering may keep in memory, and as many the queue of parked ones."""
    return round(plan.options.frontier_memory * _MIB) // 2


def star_for(
    ground: Ground, ordering: Ordering, refill: "Refill | None", keep_alive: KeepAlive, *, in_pieces: bool
) -> Star | None:
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
        in_pieces=in_pieces,
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
    make: Callable[..., Discovery] = Discovery,
) -> Discovery:
    """What becomes of the URLs that this rank finds; ``make`` makes it of its parts."""
    options, rank = frame.plan.options, frame.comm.rank
    seen, sent = (
        Seen(
            frame.scratch, name, round(memory * _MIB), frame.limits, frame.keep_alive, in_pieces=frame.merges_in_pieces
        )
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
    return make(
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
        settings_from(options, ComparisonSettings),
        frame.comm.rank,
        frame.assignment,
        frame.scratch,
        frame.keep_alive,
        in_pieces=frame.merges_in_pieces,
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
    web, conditions, star = frame.web, frame.conditions, frame.star
    fetching = FetchLoop(
        web,
        frame.ordering,
        visits,
        discovery,
        pacing=pacing,
        credits=frame.credits,
        merges=MergeShare([discovery, intake, *([star] if star is not None else ())], web.now),
        clock=frame.clock,
        max_wait=conditions.max_wait,
        wishes=frame.wishes,
    )
    left = LeftUrls(
        visits,
        frame.ordering,
        discovery.seen,
        frame.recorder,
        frame.counters,
        unblocked=lambda batch: discovery.refuse(batch, frame.rules.blocked(batch.urls), RULE),
        keeps_to_list=conditions.keeps_to_list,
    )
    return Rank(
        web,
        fetching,
        _superstep_exchange(frame, bandwidth),
        left,
        discovery=discovery,
        intake=intake,
        recorder=frame.recorder,
        counters=frame.counters,
        clock=frame.clock,
        epochs=EpochSchedule(frame.plan.options.epoch_seconds, web.now()),
    )


def _superstep_exchange(frame: Frame, bandwidth: BandwidthShare | None) -> SuperstepExchange:
    talking = (frame.star, frame.back_links, frame.quotas)
    return SuperstepExchange(
        frame.exchange,
        frame.web,
        frame.conditions,
        frame.credits,
        frame.stop,
        participants=[participant for participant in talking if participant is not None],
        announcements=Announcements([*frame.topics, *([frame.wishes] if frame.wishes is not None else ())]),
        bandwidth=bandwidth,
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
