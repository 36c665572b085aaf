"""A rank's loop: fetch for a superstep, exchange, and again, until the ranks agree that the crawl has ended."""

from typing import Any

from crawler.counters import Counters
from crawler.credits import Credits
from crawler.discovery import Discovery, Limits
from crawler.exchange import LinkExchange
from crawler.fetcher import Fetcher
from crawler.intake import Intake
from crawler.ordering import Ordering
from crawler.peakmemory import peak_memory
from crawler.politeness.correspondence import Correspondence
from crawler.politeness.post import Post
from crawler.politeness.sitekeeper import SiteKeeper
from crawler.stages import StageClock
from crawler.stopping import StopSignal
from crawler.verdict import EndConditions, Ending, Status, Verdict, judge
from crawler.web import ERROR_KINDS, Found, Web
from crawler.workbench import Workbench
from sessions.recorder import Recorder
from sessions.schema import FILTERED
from sessions.url import Hashes

_BATCH = 1024
_SHORTEST_POLL_SECONDS = 0.001
_LONGEST_POLL_SECONDS = 0.01
_LONGEST_WAIT_SECONDS = 0.25
_FIRST_EPOCH_SECONDS = 2.0
_FIRST_SUPERSTEP_SECONDS = 0.05
_SHARE_OF_CRAWL = 0.1
_FOREVER_MILLISECONDS = 1 << 60


class Rank:
    """One process of a crawl.  Its parts are built by `crawler.crawl`; here they work together.

    ``superstep`` and ``epoch`` are seconds.  Early supersteps are shorter, so that every rank soon has something to
    do: one lasts at most a tenth of the crawl before it, but for the first.  Early epochs are shorter too, so that a
    young session that is killed leaves something: one lasts at most as long as the crawl before it.
    """

    def __init__(
        self,
        *,
        exchange: LinkExchange,
        web: Web,
        ordering: Ordering,
        workbench: Workbench,
        discovery: Discovery,
        fetcher: Fetcher,
        intake: Intake,
        post: Post,
        site_keeper: SiteKeeper,
        correspondence: Correspondence,
        credits: Credits,
        recorder: Recorder,
        counters: Counters,
        clock: StageClock,
        limits: Limits,
        conditions: EndConditions,
        stop: StopSignal,
        superstep: float,
        epoch: float,
    ) -> None:
        self._exchange = exchange
        self._web = web
        self._ordering = ordering
        self._workbench = workbench
        self._discovery = discovery
        self._fetcher = fetcher
        self._intake = intake
        self._post = post
        self._site_keeper = site_keeper
        self._correspondence = correspondence
        self._credits = credits
        self._recorder = recorder
        self._counters = counters
        self._clock = clock
        self._limits = limits
        self._conditions = conditions
        self._stop = stop
        self._superstep_seconds = superstep
        self._epoch_seconds = epoch
        self._began = self._epoch_began = web.now()

    @property
    def seconds(self) -> float:
        """How long the crawl has run."""
        return self._web.now() - self._began

    @property
    def supersteps(self) -> int:
        """Supersteps that have ended."""
        return self._counters.superstep

    def superstep(self) -> tuple[list[Status], Verdict]:
        """Fetch until all ranks have come to the end of the superstep, then exchange; the ranks' states and verdict."""
        self._fetch()
        return self._meet()

    def save_frontier(self, ending: Ending) -> None:
        """Record what is still queued now that the crawl has ended, and what lay beyond the limits."""
        self._fetcher.abandon()
        for hashes in self._workbench.drain():
            self._save(hashes, ending)
        while len(self._ordering):
            self._save(self._ordering.take(_BATCH).hashes, ending)
        beyond, is_too_deep = self._discovery.seen.beyond(self._limits.depth, self._limits.hops)
        for url_hash, too_deep in zip(beyond.tolist(), is_too_deep.tolist(), strict=True):
            reason = "depth" if too_deep else "redirects"
            self._recorder.outcome(url_hash, FILTERED, reason)
            self._counters.filtered[reason] += 1

    def close_epoch(self) -> list[dict[str, Any]] | None:
        """Bring this rank's files to disk; on rank 0, the entries of all ranks for the commit record."""
        self._clock.enter("record")
        entry = {**self._recorder.close_epoch(), "report": self.report()}
        self._epoch_began = self._web.now()
        self._clock.enter("exchange")
        return self._exchange.gather(entry)

    def leave(self) -> None:
        """Take the last messages, so that none is under way when this rank ends.  All ranks must call it."""
        self._post.close()

    def report(self) -> dict[str, Any]:
        """This rank's counters, as docs/formats.md describes them."""
        counters, exchange = self._counters, self._exchange
        failed, filtered = counters.failed.total(), counters.filtered.total()
        return {
            "discovered": counters.discovered,
            "fetched": counters.fetched,
            "failed": failed,
            "filtered": filtered,
            "queued": counters.discovered - counters.fetched - failed - filtered,
            "reasons": {
                "failed": dict(counters.failed),
                "filtered": dict(counters.filtered),
                "queued": dict(counters.queued),
            },
            "statuses": {str(status): count for status, count in sorted(counters.statuses.items())},
            "links": counters.links,
            "links_out_of_scope": counters.links_out_of_scope,
            "links_over_limit": counters.links_over_limit,
            "links_nofollow": counters.links_nofollow,
            "duplicates": counters.duplicates,
            "near_duplicates": counters.near_duplicates,
            "unchanged": counters.unchanged,
            "defects": dict(counters.defects),
            "bytes": counters.bytes,
            "decoded_bytes": counters.decoded_bytes,
            "robots_fetched": counters.robots_fetched,
            "errors": dict(counters.errors),
            "sent_urls": exchange.sent_urls.tolist(),
            "sent_numbers": exchange.sent_numbers.tolist(),
            "sent_bytes": exchange.sent_bytes.tolist(),
            "wire_bytes": exchange.wire_bytes.tolist(),
            "messages": exchange.messages.tolist(),
            "letters": self._post.letters,
            "resent": self._discovery.resent,
            "supersteps": counters.superstep,
            "seconds": self.seconds,
            "cpu": self._clock.seconds(),
            "peak_rss": peak_memory(),
        }

    def _fetch(self) -> None:
        web, exchange = self._web, self._exchange
        deadline = web.now() + min(
            self._superstep_seconds, max(_FIRST_SUPERSTEP_SECONDS, _SHARE_OF_CRAWL * self.seconds)
        )
        if self._conditions.max_seconds is not None:
            deadline = min(deadline, self._began + self._conditions.max_seconds)
        has_arrived = False
        poll = _SHORTEST_POLL_SECONDS
        while True:
            self._clock.enter("fetch")
            self._correspondence.carry(web.now)
            self._start_fetching()
            now = web.now()
            if not has_arrived and (now >= deadline or self._is_out_of_work or self._stop.is_set):
                exchange.arrive()
                has_arrived = True
            if has_arrived and exchange.all_have_arrived():
                return
            until = self._next_event(now, deadline)
            if has_arrived:
                until, poll = now + poll, min(2 * poll, _LONGEST_POLL_SECONDS)
            for arrival in web.wait(until):
                if isinstance(arrival, Found):
                    self._site_keeper.found(arrival, web.now())
                else:
                    self._fetcher.finish(arrival)

    def _start_fetching(self) -> None:
        """Keep the connections busy: fill the workbench from the ordering; if it runs dry, settle links early."""
        self._fill_workbench()
        if not self._fetcher.start():
            return
        if self._queued < self._fetcher.connections:
            self._discovery.settle()
            self._fill_workbench()
        self._workbench.unpark()
        self._fetcher.start()

    def _fill_workbench(self) -> None:
        while len(self._ordering) and self._workbench.room >= _BATCH:
            self._workbench.put(self._ordering.take(_BATCH))

    def _next_event(self, now: float, deadline: float) -> float:
        """Until when nothing can happen here but the arrival of a response, or of a signal, which is looked for."""
        release = self._workbench.next_release() if self._fetcher.has_free_connection else None
        soonest = min(deadline, now + _LONGEST_WAIT_SECONDS, self._correspondence.next_event(now))
        return max(now, soonest if release is None else min(soonest, release))

    @property
    def _queued(self) -> int:
        return len(self._ordering) + len(self._workbench)

    @property
    def _is_out_of_work(self) -> bool:
        return not self._web.in_flight and not (self._queued and self._credits.available)

    def _meet(self) -> tuple[list[Status], Verdict]:
        """Exchange URLs and then states with all ranks, and come to the common verdict."""
        self._intake.settle_duplicates(self._exchange)
        self._discovery.settle()
        self._clock.enter("exchange")
        self._counters.superstep += 1
        received = self._exchange.swap(self._discovery.outgoing())
        self._clock.enter("seen")
        self._discovery.receive(received)
        self._clock.enter("exchange")
        states = self._exchange.states(self._status())
        verdict = judge(states, self._conditions)
        self._credits.replace(verdict.credits[self._exchange.rank] if verdict.credits is not None else None)
        self._recorder.flush()
        self._clock.enter("other")
        return states, verdict

    def _status(self) -> Status:
        counters = self._counters
        return Status(
            queued=self._queued,
            in_flight=self._web.in_flight,
            pages_in_flight=self._fetcher.pages_in_flight,
            undelivered=self._discovery.undelivered,
            sent=int(self._exchange.sent_urls.sum()),
            received=self._exchange.received_urls,
            mail_sent=self._post.sent,
            mail_received=self._post.received,
            lookups=self._site_keeper.lookups,
            pages=counters.fetched,
            bytes=counters.bytes,
            failed=counters.failed.total(),
            filtered=counters.filtered.total(),
            wait_milliseconds=self._wait_milliseconds(),
            is_asking=int(self._workbench.leases.is_asking),
            is_stopping=int(self._stop.is_set),
            milliseconds=round(1000 * self.seconds),
            is_epoch_due=int(self._is_epoch_due),
            wire_bytes=int(self._exchange.wire_bytes.sum()),
            errors=tuple(counters.errors[kind] for kind in ERROR_KINDS),
        )

    def _wait_milliseconds(self) -> int:
        if self._web.in_flight or (len(self._ordering) and self._workbench.room >= _BATCH):
            return 0
        times = (self._workbench.next_release(), self._correspondence.next_due())
        soonest = min((time for time in times if time is not None), default=None)
        if soonest is None:
            return _FOREVER_MILLISECONDS
        return round(min(max(0.0, 1000 * (soonest - self._web.now())), _FOREVER_MILLISECONDS))

    @property
    def _is_epoch_due(self) -> bool:
        wanted = min(self._epoch_seconds, max(_FIRST_EPOCH_SECONDS, self._epoch_began - self._began))
        return self._web.now() - self._epoch_began >= wanted

    def _save(self, hashes: Hashes, ending: Ending) -> None:
        if not len(hashes):
            return
        depths, hops = self._discovery.seen.ways_to(hashes)
        self._recorder.frontier(hashes, depths, hops, [str(ending)] * len(hashes))
        self._counters.queued[str(ending)] += len(hashes)
