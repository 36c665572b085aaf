"""A rank's loop: fetch for a superstep, exchange, and again, until the ranks agree that the crawl has ended."""

from collections.abc import Callable, Sequence

import numpy as np

from crawler.discovery.discovery import Discovery
from crawler.exchange.announcements import Announcements
from crawler.exchange.bandwidth_share import BandwidthShare, BandwidthState
from crawler.exchange.link_exchange import LinkExchange
from crawler.exchange.page_quota import Credits
from crawler.exchange.verdict import EndConditions, Ending, Status, Verdict
from crawler.fetching.visits import Visits
from crawler.frontier.ordering import Ordering
from crawler.intake.intake import Intake
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.network.web import ERROR_KINDS, Web
from crawler.process.stop_signals import StopSignal
from crawler.rank.epoch_growth import EpochGrowth
from crawler.rank.epoch_schedule import EpochSchedule
from crawler.rank.merge_share import MergeShare, Merging
from crawler.rank.operator_wishes import OperatorWishes
from crawler.rank.pacing import Pacing
from crawler.rank.superstep_participant import SuperstepParticipant
from crawler.urls.batch import Depths, Hops, UrlBatch
from crawler.urls.kinds import are_of_kind
from sessions.peak_memory import peak_memory
from sessions.records import RankEntry, Report
from sessions.schema import FILTERED
from sessions.url import Hashes
from sessions.writing.recorder import Recorder

_FOREVER_MILLISECONDS = 1 << 60
_NEVER = float("inf")
_NO_ERRORS = (0,) * len(ERROR_KINDS)
_PAUSE_SECONDS = 0.5
"""So often ranks that pause ask whether they are to go on."""
NOT_LISTED = "not-listed"
"""Why a URL is left by a crawl that keeps to a worklist, if it is not in there."""
_SENT = ("sent_urls", "sent_numbers", "sent_bytes", "wire_bytes", "messages")
"""The counters that the link exchange keeps."""
_MERGES_SHARE = 0.1
"""Of its time a rank spends at most so much on merging early for the sake of others."""


class Rank:
    """One process of a crawl.  Its parts are built by `crawler.rank.assembly`; here they work together.

    ``epoch`` is in seconds.  ``merging`` is what merges in pieces.  ``matters`` come in each exchange once URLs were
    received, ``announcements`` at its end; ``wishes`` are those of an operator, who may want to pause.  ``bandwidth``
    is this rank's share in a limit.  ``unblocked`` keeps URLs that no rule blocks, and records what becomes of others.
    """

    def __init__(
        self,
        *,
        exchange: LinkExchange,
        web: Web,
        ordering: Ordering,
        visits: Visits,
        discovery: Discovery,
        intake: Intake,
        credits: Credits,
        recorder: Recorder,
        counters: Counters,
        clock: StageClock,
        conditions: EndConditions,
        stop: StopSignal,
        pacing: Pacing,
        epoch: float,
        merging: Sequence[Merging],
        matters: Sequence[SuperstepParticipant] = (),
        announcements: Announcements | None = None,
        bandwidth: BandwidthShare | None = None,
        wishes: OperatorWishes | None = None,
        unblocked: Callable[[UrlBatch], UrlBatch] = lambda batch: batch,
    ) -> None:
        self._exchange = exchange
        self._web = web
        self._ordering = ordering
        self._visits = visits
        self._discovery = discovery
        self._intake = intake
        self._credits = credits
        self._recorder = recorder
        self._counters = counters
        self._clock = clock
        self._conditions = conditions
        self._stop = stop
        self._pacing = pacing
        self._matters = matters
        self._announcements = announcements or Announcements()
        self._bandwidth = bandwidth
        self._bandwidth_state = BandwidthState()
        self._wishes = wishes
        self._growth = EpochGrowth()
        self._unblocked = unblocked
        self._may_merge_early = web.now()
        self._merges = MergeShare(merging, web.now)
        self._began = web.now()
        self._epochs = EpochSchedule(epoch, self._began)

    @property
    def seconds(self) -> float:
        """How long the crawl has run."""
        return self._web.now() - self._began

    @property
    def supersteps(self) -> int:
        """Supersteps that have ended."""
        return self._counters.superstep

    def knows(self, batch: UrlBatch) -> bool:
        """Would it change nothing here if another rank sent these URLs?"""
        return self._discovery.knows(batch)

    def forgets(self) -> bool:
        """May it change something here to receive a URL again?"""
        return self._discovery.seen.forgets

    def superstep(self) -> tuple[list[Status], Verdict]:
        """Fetch until all ranks have come to the end of the superstep, then exchange; the ranks' states and verdict."""
        self._fetch()
        states, verdict = self._meet()
        self._recorder.remove_replaced()
        if self._wishes is not None:
            self._wishes.look_at(states)
        self._epochs.pauses(self._web.now())
        if verdict.closes_epoch:
            self._epochs.closes(has_long_rest=any(state.has_long_rest for state in states))
            # No epoch closes over a page that waits, or a link whose target nobody has taken note of; and where such
            # come to light, a crawl may go on after all.
            while any(state.waiting or state.undelivered for state in states):
                states, verdict = self._meet(is_closing=True)
        elif any(state.is_idle for state in states):
            self._merge_early()
        return states, verdict

    def stand_still(self) -> None:
        """If an operator wants the crawl to pause, and an epoch was closed, wait until it is to go on, or to stop.

        No time of the web passes meanwhile.  All ranks call it together.
        """
        while self._is_quiet:
            self._web.stand_still(_PAUSE_SECONDS)
            states = self._exchange.states(self._status())
            if states[0].has_news:
                self._announcements.spread(self._exchange)
            if any(state.is_stopping for state in states):
                return

    def save_frontier(self, ending: Ending) -> None:
        """Record what is still queued now that the crawl has ended, and what lay beyond the limits."""
        for waiting in self._visits.abandon():
            self._save(*waiting, ending)
        for batch in map(self._unblocked, self._ordering.drain()):
            for its, reason in self._reasons(batch, ending):
                self._save(its.hashes, its.depths, its.hops, reason)
        for beyond, is_too_deep in self._discovery.seen.beyond():
            for url_hash, too_deep in zip(beyond.tolist(), is_too_deep.tolist(), strict=True):
                reason = "depth" if too_deep else "redirects"
                self._recorder.outcome(url_hash, FILTERED, reason)
                self._counters.filtered[reason] += 1

    def close_epoch(self, *, is_last: bool) -> list[RankEntry] | None:
        """Bring this rank's files to disk; on rank 0, the entries of all ranks for the commit record.

        Small files of earlier epochs are merged now and then, unless the crawl ends with this one: who removes the
        files that are merged has to know that the epoch was committed, and learns that in the next superstep.
        """
        self._clock.enter("record")
        files = self._recorder.close_epoch(merges=not is_last)
        self._counters.written_bytes += self._growth.of(files)
        entry: RankEntry = {**files, "report": self.report()}
        self._clock.enter("exchange")
        entries = self._exchange.gather(entry)
        self._epochs.closed(self._web.now())
        self._discovery.epoch_closed()
        return entries

    def leave(self) -> None:
        """End the visits: nothing is under way when this rank ends.  All ranks must call it."""
        self._visits.close()
        self._intake.close()
        for matter in self._matters:
            matter.close()

    def report(self) -> Report:
        """Return this rank's counters, as docs/formats.md describes them."""
        return self._counters.report(
            {
                **{name: getattr(self._exchange, name) for name in _SENT},
                "letters": self._visits.packets,
                "order_bytes": sum(matter.wire_bytes for matter in self._matters),
                "resent": self._discovery.resent,
                "network_bytes": self._bandwidth_state.network_bytes,
                "seconds": self.seconds,
                "cpu": self._clock.seconds(),
                "peak_rss": peak_memory(),
            }
        )

    def _fetch(self) -> None:
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
        while room := visits.room:
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
        is_stuck = soonest is not None and soonest - self._web.now() > self._conditions.max_wait
        return is_stuck or self._visits.is_thin

    def _merge_early(self) -> None:
        """Some rank has nothing to do, and what waits here for a merge may be its own."""
        began = self._web.now()
        if self._discovery.undelivered and began >= self._may_merge_early:
            self._discovery.flush()
            ended = self._web.now()
            self._may_merge_early = ended + (ended - began) / _MERGES_SHARE

    @property
    def _is_pausing(self) -> bool:
        return self._wishes is not None and self._wishes.is_pausing

    @property
    def _is_quiet(self) -> bool:
        return self._wishes is not None and self._wishes.is_quiet

    @property
    def _queued(self) -> int:
        return len(self._ordering) + len(self._visits)

    @property
    def _is_out_of_work(self) -> bool:
        has_some = self._ordering.ready or len(self._visits)
        may_begin = self._credits.available and not self._is_pausing
        return not self._web.in_flight and not (has_some and may_begin)

    def _meet(self, *, is_closing: bool = False) -> tuple[list[Status], Verdict]:
        """Exchange URLs and then states with all ranks, and come to the common verdict.

        If ``is_closing``, nothing waits afterwards that was found before.
        """
        self._intake.settle_duplicates(self._exchange, wants_all=is_closing)
        self._discovery.settle()
        if is_closing:
            self._discovery.flush()
        self._clock.enter("exchange")
        received = self._swap()
        self._counters.superstep += 1
        self._clock.enter("seen")
        self._discovery.receive(received)
        if is_closing:
            self._discovery.flush()
        self._clock.enter("exchange")
        for matter in self._matters:
            matter.settle(self._exchange)
        states, verdict = self._exchange.agree(self._status(), self._conditions)
        if states[0].has_news:
            self._announcements.spread(self._exchange)
        if self._bandwidth is not None:
            self._bandwidth.take(states, self._exchange.rank, self._web.now())
        self._credits.replace(verdict.credits[self._exchange.rank] if verdict.credits is not None else None)
        self._recorder.flush()
        self._clock.enter("other")
        return states, verdict

    def _swap(self) -> list[UrlBatch]:
        exchange = self._exchange
        received = exchange.swap(self._discovery.outgoing())
        receivers, *amounts = exchange.last_sent
        if len(receivers):
            superstep = np.full(len(receivers), self._counters.superstep, np.uint32)
            sender = np.full(len(receivers), exchange.rank, np.uint16)
            self._recorder.exchanges([superstep, sender, receivers, *amounts])
        return received

    def _status(self) -> Status:
        counters, under_way = self._counters, self._visits.under_way()
        now, queued, in_flight, next_due = self._web.now(), self._queued, self._web.in_flight, self._visits.next_due()
        wait = self._wait_milliseconds(now, next_due)
        milliseconds, memory = self._exchange.usage()
        is_due = self._epochs.is_due(now)
        if self._bandwidth is not None:
            self._bandwidth_state = self._bandwidth.state(self._web.now())
        return Status(
            queued=queued,
            in_flight=in_flight,
            pages_in_flight=under_way.pages_in_flight,
            undelivered=self._discovery.undelivered,
            sent=self._exchange.sent_urls,
            received=self._exchange.received_urls,
            mail_sent=under_way.mail_sent,
            mail_received=under_way.mail_received,
            lookups=under_way.lookups,
            pages=counters.fetched,
            waiting=self._intake.waiting,
            bytes=counters.bytes,
            failed=counters.failed.total(),
            filtered=counters.filtered.total(),
            wait_milliseconds=wait,
            is_asking=int(under_way.is_asking),
            has_paused_sites=int(under_way.has_paused_sites),
            is_idle=int(not in_flight and (not queued or wait > 0)),
            is_stopping=int(self._stop.is_set),
            superstep=counters.superstep,
            milliseconds=round(1000 * (now - self._began)),
            merges_early=int(is_due and not self._is_quiet and self._discovery.merges_early()),
            is_epoch_due=int(self._is_quiet or is_due),
            may_epoch_be_early=int(self._epochs.may_be_early(now)),
            has_long_rest=int(self._recorder.has_long_rest),
            has_news=int(self._exchange.rank == 0 and self._announcements.look()),
            **self._bandwidth_state._asdict(),
            delay_debt_milliseconds=round(1000 * max(0.0, now - next_due)) if next_due is not None else 0,
            largest_domain_pages=counters.largest_domain_pages,
            written_bytes=counters.written_bytes,
            cpu_milliseconds=milliseconds,
            memory_bytes=memory,
            wire_bytes=self._exchange.wire_bytes,
            errors=tuple(map(counters.errors.get, ERROR_KINDS, _NO_ERRORS)),
        )

    def _wait_milliseconds(self, now: float, next_due: float | None) -> int:
        """How long nothing can be requested."""
        ordering, visits = self._ordering, self._visits
        is_coming = ordering.current or self._may_move_on or len(ordering) > ordering.ready
        if self._web.in_flight or (is_coming and visits.room):
            return 0
        if next_due is None:
            return _FOREVER_MILLISECONDS
        return round(min(max(0.0, 1000 * (next_due - now)), _FOREVER_MILLISECONDS))

    def _reasons(self, batch: UrlBatch, ending: Ending) -> list[tuple[UrlBatch, str]]:
        """Why the URLs of a batch are left: not because of the crawl's end if it keeps to a list that lacks them."""
        if not self._conditions.keeps_to_list:
            return [(batch, ending)]
        is_listed = ~are_of_kind(batch.flags, "")
        return [(batch.where(is_listed), ending), (batch.where(~is_listed), NOT_LISTED)]

    def _save(self, hashes: Hashes, depths: Depths, hops: Hops, reason: str) -> None:
        if not len(hashes):
            return
        depths, hops = self._discovery.seen.shortest(hashes, depths, hops)
        self._recorder.frontier(hashes, depths, hops, [str(reason)] * len(hashes))
        self._counters.queued[str(reason)] += len(hashes)
