"""Visits to the live web: a workbench, a fetcher, and the messages to and from the gatekeepers of sites and servers."""

from collections.abc import Collection, Iterator

from crawler.fetching.blocked_sites import BlockedSites
from crawler.fetching.fetcher import Fetcher
from crawler.fetching.look_ahead import LookAhead
from crawler.fetching.message_dispatch import MessageDispatch
from crawler.fetching.site_picker import SitePicker
from crawler.fetching.supply import Supply
from crawler.fetching.visits import UnderWay, Waiting
from crawler.network.web import Found, Response, Web
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.site import Site
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from crawler.politeness.soonest import soonest
from crawler.urls.batch import UrlBatch

_PAUSE_SECONDS = 1.0
"""After that long a rank looks again whether a site that a rule pauses may be visited, as it tells the others."""


class PoliteVisits:
    """URLs that wait on the workbench until their site may be visited, whichever rank visited it last.

    What rules block is ``blocked``; ``paused`` are the sites with URLs that rules pause.
    """

    def __init__(
        self,
        *,
        web: Web,
        supply: Supply,
        picker: SitePicker,
        blocked: BlockedSites,
        paused: Collection[Site],
        leases: Leases,
        fetcher: Fetcher,
        mailbox: Mailbox,
        site_gatekeeper: SiteGatekeeper,
        message_dispatch: MessageDispatch,
        look_ahead: LookAhead | None = None,
    ) -> None:
        self._web = web
        self._supply = supply
        self._picker = picker
        self._blocked = blocked
        self._paused = paused
        self._leases = leases
        self._fetcher = fetcher
        self._mailbox = mailbox
        self._site_gatekeeper = site_gatekeeper
        self._message_dispatch = message_dispatch
        self._look_ahead = look_ahead or LookAhead()
        self._wants_more = False
        self._urls_have_come = False

    def __len__(self) -> int:
        return len(self._supply)

    @property
    def room(self) -> int:
        return self._look_ahead.room(self._supply.room, len(self._supply))

    @property
    def is_thin(self) -> bool:
        return self._supply.is_thin

    @property
    def packets(self) -> int:
        return self._mailbox.packets

    def put(self, batch: UrlBatch) -> None:
        self._wants_more = False
        self._urls_have_come = True
        self._supply.put(batch)

    def attend(self) -> None:
        self._message_dispatch.carry(self._web.now)

    def start(self) -> bool:
        if self._blocked.has_more:
            self._blocked.turn_more_away()
        self._urls_have_come = False
        return self._fetcher.start()

    @property
    def is_low(self) -> bool:
        supply, connections = self._supply, self._fetcher.connections
        return len(supply) < connections or (supply.is_running_dry and supply.servers < connections)

    def resume(self) -> None:
        if self._supply.unpark():
            self._urls_have_come = True
        if not self._web.in_flight:
            self._site_gatekeeper.flush(self._web.now())
        if self._urls_have_come:
            self._fetcher.start()
        if not self._web.in_flight and self._picker.next_release() is not None:
            self._wants_more = self._look_ahead.widen(len(self._supply))

    def take(self, arrival: Response | Found) -> None:
        if isinstance(arrival, Found):
            self._site_gatekeeper.found(arrival, self._web.now())
        else:
            self._fetcher.finish(arrival)

    def next_event(self, now: float) -> float:
        due = self._message_dispatch.next_event(now)
        if self._blocked.has_more:
            return now
        if (self._supply.looks_further or self._wants_more) and self._fetcher.has_free_connection:
            return now
        free_from = self._fetcher.free_from(now)
        release = self._picker.next_release() if free_from > now or self._fetcher.has_free_connection else None
        return due if release is None else min(due, max(release, free_from))

    def next_due(self) -> float | None:
        # Nobody knows when a pause ends: while there is one, the crawl does not end for want of anything to do.
        pause = self._web.now() + _PAUSE_SECONDS if self._paused else None
        return soonest(self._picker.next_release(), self._message_dispatch.next_due(), pause)

    def under_way(self) -> UnderWay:
        return UnderWay(
            self._fetcher.pages_in_flight,
            self._mailbox.sent,
            self._mailbox.received,
            self._site_gatekeeper.lookups + self._site_gatekeeper.waiting,
            self._leases.is_asking,
            bool(self._paused),
        )

    def abandon(self) -> Iterator[Waiting]:
        while self._blocked.has_more:
            self._blocked.turn_more_away()
        self._fetcher.abandon()
        return self._supply.drain(self._fetcher.turn_away)

    def close(self) -> None:
        self._mailbox.close()
        self._site_gatekeeper.close()
