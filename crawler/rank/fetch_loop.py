"""What a rank does between two exchanges: visit sites, until all ranks have come to the end of the superstep."""

from typing import TypedDict

from crawler.discovery.discovery import Discovery
from crawler.exchange.page_quota import Credits
from crawler.fetching.visits import Visits
from crawler.frontier.ordering import Ordering
from crawler.monitoring.stage_clock import StageClock
from crawler.network.web import Web
from crawler.rank.merge_share import MergeShare
from crawler.rank.operator_wishes import OperatorWishes
from crawler.rank.pacing import Pacing

_FOREVER_MILLISECONDS = 1 << 60
_NEVER = float("inf")


class FetchState(TypedDict):
    """What a rank's `Status` says of its visits."""

    queued: int
    in_flight: int
    pages_in_flight: int
    mail_sent: int
    mail_received: int
    lookups: int
    wait_milliseconds: int
    is_asking: int
    has_paused_sites: int
    is_idle: int
    delay_debt_milliseconds: int


class FetchLoop:
    """Keeps a rank's connections busy: URLs go from the ordering to the visits, and what arrives back to these.

    ``merges`` go on in between.  Sites that would be waited for longer than ``max_wait`` seconds do not keep others
    from being visited.  ``wishes`` are those of an operator, who may want to pause.
    """

    def __init__(
        self,
        web: Web,
        ordering: Ordering,
        visits: Visits,
        discovery: Discovery,
        *,
        pacing: Pacing,
        credits: Credits,
        merges: MergeShare,
        clock: StageClock,
        max_wait: float,
        wishes: OperatorWishes | None,
    ) -> None:
        self._web = web
        self._ordering = ordering
        self._visits = visits
        self._discovery = discovery
        self._pacing = pacing
        self._credits = credits
        self._merges = merges
        self._clock = clock
        self._max_wait = max_wait
        self._wishes = wishes

    def fetch(self) -> None:
        """Visit sites until the superstep is over."""
        web, visits, pacing = self._web, self._visits, self._pacing
        pacing.begin()
        is_busy, has_work = False, self._has_work
        while True:
            if has_work:
                self._work()
            has_work = True
            if pacing.is_over(self._is_out_of_work):
                return
            now = web.now()
            event = _NEVER if self._is_pausing else visits.next_event(now)
            arrivals = web.wait(pacing.at_most(now, min(event, self._merges.go_on(is_busy=is_busy))))
            is_busy = bool(arrivals)
            if not is_busy and web.now() < event and pacing.is_over(self._is_out_of_work):
                return  # nothing has come, so there is nothing to start
            for arrival in arrivals:
                visits.take(arrival)

    def state(self, now: float) -> FetchState:
        """What there is to visit at this time, and what is under way."""
        under_way, queued, in_flight = self._visits.under_way(), self._queued, self._web.in_flight
        next_due = self._visits.next_due()
        wait = self._wait_milliseconds(now, next_due)
        return {
            "queued": queued,
            "in_flight": in_flight,
            "pages_in_flight": under_way.pages_in_flight,
            "mail_sent": under_way.mail_sent,
            "mail_received": under_way.mail_received,
            "lookups": under_way.lookups,
            "wait_milliseconds": wait,
            "is_asking": int(under_way.is_asking),
            "has_paused_sites": int(under_way.has_paused_sites),
            "is_idle": int(not in_flight and (not queued or wait > 0)),
            "delay_debt_milliseconds": round(1000 * max(0.0, now - next_due)) if next_due is not None else 0,
        }

    @property
    def packets(self) -> int:
        """What travelled to other ranks for the sake of politeness."""
        return self._visits.packets

    def close(self) -> None:
        """End the visits: nothing is under way afterwards.  All ranks call it."""
        self._visits.close()

    @property
    def _has_work(self) -> bool:
        """Is there anything to do before the next event?  Most supersteps of most ranks bring nothing new."""
        now = self._web.now()
        return bool(self._ordering.ready or self._discovery.undelivered) or self._visits.next_event(now) <= now

    def _work(self) -> None:
        """Do what is due by now."""
        self._clock.enter("fetch")
        self._visits.attend()
        if not self._is_pausing:
            self._start_visits()

    def _start_visits(self) -> None:
        """Keep the connections busy: hand over from the ordering; if the visits run dry, settle links early."""
        self._hand_over()
        if not self._visits.start():
            return
        if self._visits.is_low and not self._ordering.current:
            self._discovery.settle()
            if not (self._web.in_flight or self._queued):
                self._discovery.flush()
            self._hand_over()
        self._visits.resume()

    def _hand_over(self) -> None:
        ordering, visits = self._ordering, self._visits
        while ordering.ready and (room := visits.room):
            if ordering.current:
                visits.put(ordering.take(room))
            elif self._may_move_on:
                ordering.move_on()
            else:
                return

    @property
    def _may_move_on(self) -> bool:
        """Is there more, and is what was handed over mostly visited, or to wait so long that the crawl would end?"""
        if not self._ordering.ready:
            return False
        soonest = self._visits.next_due()
        is_stuck = soonest is not None and soonest - self._web.now() > self._max_wait
        return is_stuck or self._visits.is_thin

    @property
    def _is_pausing(self) -> bool:
        return self._wishes is not None and self._wishes.is_pausing

    @property
    def _queued(self) -> int:
        return len(self._ordering) + len(self._visits)

    @property
    def _is_out_of_work(self) -> bool:
        has_some = self._ordering.ready or len(self._visits)
        may_begin = self._credits.available and not self._is_pausing
        return not self._web.in_flight and not (has_some and may_begin)

    def _wait_milliseconds(self, now: float, next_due: float | None) -> int:
        """How long nothing can be requested."""
        ordering, visits = self._ordering, self._visits
        is_coming = ordering.current or self._may_move_on or len(ordering) > ordering.ready
        if self._web.in_flight or (is_coming and visits.room):
            return 0
        if next_due is None:
            return _FOREVER_MILLISECONDS
        return round(min(max(0.0, 1000 * (next_due - now)), _FOREVER_MILLISECONDS))
