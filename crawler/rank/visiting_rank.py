"""Putting a rank together that visits the live web politely, whatever its ordering: what all such ranks share."""

from collections.abc import Sequence

from crawler.config.settings import settings_from
from crawler.discovery.admission import AdmissionSettings, UrlRules
from crawler.discovery.discovery import Discovery
from crawler.exchange.bandwidth_share import BandwidthShare
from crawler.network.timetable import Timetable
from crawler.politeness.mailbox import Mailbox
from crawler.rank.assembly import (
    Frame,
    Ground,
    discovery_for,
    intake_for,
    rank_of,
)
from crawler.rank.pacing import TimedPacing
from crawler.rank.rank import Rank
from crawler.rank.visits_assembly import polite_visits_for


def has_begun(ground: Ground) -> bool:
    """Has an earlier run of this session committed what the crawl begins with?"""
    return ground.session is not None and bool(ground.session.table_files("urls"))


def live_discovery(frame: Frame, named: Sequence[str]) -> Discovery:
    """What becomes of URLs that are found; the rules admit those that the user has ``named`` in any case."""
    plan = frame.plan
    rules = UrlRules(settings_from(plan.options, AdmissionSettings), named, plan.year)
    return discovery_for(frame, rules)


def visiting_rank(frame: Frame, discovery: Discovery, *, most_ahead: int | None = None) -> Rank:
    """The rank, with polite visits; ``most_ahead`` is as `crawler.fetching.look_ahead` has it."""
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
    bandwidth = _bandwidth_share(frame)
    return rank_of(frame, discovery=discovery, intake=intake, visits=visits, pacing=pacing, bandwidth=bandwidth)


def _bandwidth_share(frame: Frame) -> BandwidthShare | None:
    """This rank's share in the limits of bandwidth, if there are any."""
    options, bandwidth = frame.plan.options, frame.web.bandwidth
    if bandwidth is None:
        return None
    timetable = Timetable(options.max_bandwidth, options.bandwidth_hours)
    return BandwidthShare(bandwidth, timetable, options.max_host_bandwidth, frame.comm.size, frame.web.now())
