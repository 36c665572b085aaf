"""Putting together the visits of a rank to the live web: its workbench, fetcher and gatekeepers."""

from crawler.config.settings import settings_from
from crawler.fetching.fetcher import Fetcher, FetchSettings
from crawler.fetching.look_ahead import LookAhead
from crawler.fetching.message_dispatch import MessageDispatch
from crawler.fetching.polite_visits import PoliteVisits
from crawler.fetching.refill_policy import few_sites
from crawler.fetching.robots_fetcher import RobotsFetching, RobotsSettings
from crawler.fetching.site_knowledge import OriginFacts
from crawler.fetching.site_rests import SiteRests
from crawler.fetching.workbench import Workbench
from crawler.frontier.budgets.budget_delays import BudgetRests
from crawler.intake.intake import Intake
from crawler.network.product_token import product_token
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.cap_gatekeeper import CapGatekeeper
from crawler.politeness.delays import ALIKE, Delays
from crawler.politeness.earlier_rests import NO_EARLIER_RESTS, EarlierRests
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.page_caps import Caps, PageCaps
from crawler.politeness.robots.rules import keep_matchers
from crawler.politeness.robots_cache import RobotsCache
from crawler.politeness.server_gatekeeper import ServerGatekeeper
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from crawler.rank.assembly import Frame, queued_in_memory
from crawler.rank.site_limits import page_caps, site_memory, sites_to_keep_busy


def polite_visits_for(
    frame: Frame,
    intake: Intake,
    mailbox: Mailbox,
    *,
    visited_at: float | None = None,
    most_ahead: int | None = None,
) -> PoliteVisits:
    """Visits that hold all delays over all ranks, which the gatekeepers of sites and servers see to by ``mailbox``.

    All sites and servers count as visited at ``visited_at``, a time of the web, if that is given.  ``most_ahead`` is
    as `crawler.fetching.look_ahead` has it.
    """
    options = frame.plan.options
    limits = page_caps(options)
    caps = Caps(limits)
    memory = site_memory(options)
    keep_matchers(memory.matchers)
    cache = RobotsCache(frame.scratch, budget=memory.repository, keep_alive=frame.keep_alive)
    earlier = _remembered(frame, limits, caps, cache)
    leases = Leases(mailbox, server_delay=options.server_delay)
    workbench = _workbench_for(frame, mailbox, leases, limits)
    site_gatekeeper = SiteGatekeeper(
        mailbox,
        frame.web,
        workbench.picker.run_errand,
        by_address=options.server_delay > 0,
        fetch_robots=workbench.answers.fetch_robots,
        cache=cache,
        earlier=earlier,
        most_sites=memory.sites,
        most_bytes=memory.rules,
        rules=frame.rules,
    )
    server_gatekeeper = ServerGatekeeper(mailbox, server_delay=options.server_delay)
    robots = _robots_fetching_for(frame, site_gatekeeper)
    return PoliteVisits(
        web=frame.web,
        supply=workbench.supply,
        picker=workbench.picker,
        blocked=workbench.blocked,
        paused=workbench.lifecycle.paused,
        leases=leases,
        fetcher=_fetcher_for(frame, intake, workbench, mailbox, robots, visited_at),
        mailbox=mailbox,
        site_gatekeeper=site_gatekeeper,
        message_dispatch=MessageDispatch(
            mailbox, workbench.answers, leases, site_gatekeeper, server_gatekeeper, CapGatekeeper(mailbox, caps)
        ),
        look_ahead=LookAhead(most_ahead),
    )


def _remembered(frame: Frame, limits: PageCaps, caps: Caps, cache: RobotsCache) -> EarlierRests:
    """What earlier runs of the session know of sites: pages under caps, robots.txt files, and rests, returned."""
    if frame.refill is None:
        return NO_EARLIER_RESTS
    options, now = frame.plan.options, frame.web.now()
    frame.refill.page_counts(limits, caps)
    frame.refill.robots(cache, product_token(options.user_agent, options.robots_token), frame.rules, now)
    return frame.refill.rests(now)


def _workbench_for(frame: Frame, mailbox: Mailbox, leases: Leases, limits: PageCaps) -> Workbench:
    options, memory = frame.plan.options, site_memory(frame.plan.options)
    return Workbench(
        Backlogs(frame.scratch, queued_in_memory(frame.plan)),
        mailbox,
        leases,
        frame.web.now,
        connections=few_sites(options.connections, frame.comm.size),
        caps=limits,
        capacity=memory.urls,
        most_sites=sites_to_keep_busy(options),
        known=OriginFacts(most_origins=memory.sites, most_bytes=memory.rules),
        rules=frame.rules,
    )


def _fetcher_for(
    frame: Frame,
    intake: Intake,
    workbench: Workbench,
    mailbox: Mailbox,
    robots: RobotsFetching,
    visited_at: float | None,
) -> Fetcher:
    options = frame.plan.options
    delays = Delays(
        delay=options.delay,
        server_delay=options.server_delay,
        factor=options.delay_factor,
        retry_wait=options.retry_wait,
        rests=BudgetRests(frame.star) if frame.star is not None else ALIKE,
        visited_at=visited_at,
    )
    return Fetcher(
        settings_from(options, FetchSettings),
        web=frame.web,
        picker=workbench.picker,
        knowledge=workbench.knowledge,
        mailbox=mailbox,
        rests=SiteRests(delays, workbench.picker, frame.recorder, frame.web.now),
        robots=robots,
        credits=frame.credits,
        intake=intake,
        recorder=frame.recorder,
        counters=frame.counters,
        rules=frame.rules,
        quotas=frame.quotas,
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
    return RobotsFetching(frame.comm.rank, settings, site_gatekeeper, frame.recorder, frame.counters, frame.rules)
