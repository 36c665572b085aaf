"""A rank's loop: fetch for a superstep, exchange, and again, until the ranks agree that the crawl has ended."""

from typing import TypedDict

import numpy as np

from crawler.discovery.discovery import Discovery
from crawler.exchange.verdict import Ending, Status, Verdict
from crawler.intake.intake import Intake
from crawler.monitoring.counters import Counters
from crawler.monitoring.stage_clock import StageClock
from crawler.network.web import ERROR_KINDS, Web
from crawler.rank.epoch_growth import EpochGrowth
from crawler.rank.epoch_schedule import EpochSchedule
from crawler.rank.fetch_loop import FetchLoop
from crawler.rank.left_urls import LeftUrls
from crawler.rank.superstep_exchange import SuperstepExchange
from crawler.urls.batch import UrlBatch
from sessions.peak_memory import peak_memory
from sessions.records import RankEntry, Report
from sessions.writing.recorder import Recorder

_NO_ERRORS = (0,) * len(ERROR_KINDS)
_PAUSE_SECONDS = 0.5
"""So often ranks that pause ask whether they are to go on."""
_MERGES_SHARE = 0.1
"""Of its time a rank spends at most so much on merging early for the sake of others."""


class Tallies(TypedDict):
    """What a rank's `Status` says of its counters."""

    superstep: int
    pages: int
    bytes: int
    failed: int
    filtered: int
    largest_domain_pages: int
    written_bytes: int
    errors: tuple[int, ...]


class EpochState(TypedDict):
    """What a rank's `Status` says of its epoch, and of what keeps it from being closed."""

    milliseconds: int
    undelivered: int
    waiting: int
    merges_early: int
    is_epoch_due: int
    may_epoch_be_early: int
    has_long_rest: int


class Rank:
    """One process of a crawl.  Its parts are built by `crawler.rank.assembly`; here they work together.

    ``fetching`` and ``exchange`` are the halves of a superstep; ``left`` records what the crawl leaves at its end.
    ``epochs`` began when the rank did.
    """

    def __init__(
        self,
        web: Web,
        fetching: FetchLoop,
        exchange: SuperstepExchange,
        left: LeftUrls,
        *,
        discovery: Discovery,
        intake: Intake,
        recorder: Recorder,
        counters: Counters,
        clock: StageClock,
        epochs: EpochSchedule,
    ) -> None:
        self._web = web
        self._fetching = fetching
        self._exchange = exchange
        self._left = left
        self._discovery = discovery
        self._intake = intake
        self._recorder = recorder
        self._counters = counters
        self._clock = clock
        self._epochs = epochs
        self._growth = EpochGrowth()
        self._may_merge_early = self._began = web.now()

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
        self._fetching.fetch()
        states, verdict = self._meet()
        self._recorder.remove_replaced()
        self._exchange.superstep_ended(states)
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
        while self._exchange.is_quiet:
            self._web.stand_still(_PAUSE_SECONDS)
            states = self._exchange.states(self.state())
            if any(state.is_stopping for state in states):
                return

    def save_frontier(self, ending: Ending) -> None:
        """Record what is still queued now that the crawl has ended, and what lay beyond the limits."""
        self._left.save(ending)

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
        entries = self._exchange.links.gather(entry)
        self._epochs.closed(self._web.now())
        self._discovery.epoch_closed()
        return entries

    def leave(self) -> None:
        """End the visits: nothing is under way when this rank ends.  All ranks must call it."""
        self._fetching.close()
        self._intake.close()
        self._exchange.close()

    def report(self) -> Report:
        """Return this rank's counters, as docs/formats.md describes them."""
        return self._counters.report(
            {
                **self._exchange.report(),
                "letters": self._fetching.packets,
                "resent": self._discovery.resent,
                "seconds": self.seconds,
                "cpu": self._clock.seconds(),
                "peak_rss": peak_memory(),
            }
        )

    def state(self) -> Status:
        """What this rank says of itself at the end of a superstep."""
        now = self._web.now()
        return Status(**self._fetching.state(now), **self._exchange.state(), **self._epoch(now), **self._tallies())

    def _merge_early(self) -> None:
        """Some rank has nothing to do, and what waits here for a merge may be its own."""
        began = self._web.now()
        if self._discovery.undelivered and began >= self._may_merge_early:
            self._discovery.flush()
            ended = self._web.now()
            self._may_merge_early = ended + (ended - began) / _MERGES_SHARE

    def _meet(self, *, is_closing: bool = False) -> tuple[list[Status], Verdict]:
        """Exchange URLs and then states with all ranks, and come to the common verdict.

        If ``is_closing``, nothing waits afterwards that was found before.
        """
        self._intake.settle_duplicates(self._exchange.links, wants_all=is_closing)
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
        self._exchange.settle()
        states, verdict = self._exchange.agree(self.state())
        self._recorder.flush()
        self._clock.enter("other")
        return states, verdict

    def _swap(self) -> list[UrlBatch]:
        exchange = self._exchange.links
        received = exchange.swap(self._discovery.outgoing())
        receivers, *amounts = exchange.last_sent
        if len(receivers):
            superstep = np.full(len(receivers), self._counters.superstep, np.uint32)
            sender = np.full(len(receivers), exchange.rank, np.uint16)
            self._recorder.exchanges([superstep, sender, receivers, *amounts])
        return received

    def _epoch(self, now: float) -> EpochState:
        is_due, is_quiet = self._epochs.is_due(now), self._exchange.is_quiet
        return {
            "milliseconds": round(1000 * (now - self._began)),
            "undelivered": self._discovery.undelivered,
            "waiting": self._intake.waiting,
            "merges_early": int(is_due and not is_quiet and self._discovery.merges_early()),
            "is_epoch_due": int(is_quiet or is_due),
            "may_epoch_be_early": int(self._epochs.may_be_early(now)),
            "has_long_rest": int(self._recorder.has_long_rest),
        }

    def _tallies(self) -> Tallies:
        counters = self._counters
        return {
            "superstep": counters.superstep,
            "pages": counters.fetched,
            "bytes": counters.bytes,
            "failed": counters.failed.total(),
            "filtered": counters.filtered.total(),
            "largest_domain_pages": counters.largest_domain_pages,
            "written_bytes": counters.written_bytes,
            "errors": tuple(map(counters.errors.get, ERROR_KINDS, _NO_ERRORS)),
        }
