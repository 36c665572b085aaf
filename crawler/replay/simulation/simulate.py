"""A replay in virtual time by K ranks that are coroutines of this process, and what came of it."""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.depth_limits import Limits
from crawler.discovery.discovery import Discovery
from crawler.discovery.scope import Scope
from crawler.exchange.wire_format import Wire
from crawler.launch.plan import Plan
from crawler.monitoring.stage_clock import StageClock
from crawler.process.stop_signals import StopSignal
from crawler.rank.assembly import Ground
from crawler.rank.rank import Rank
from crawler.replay.course import Course, Messages, course_from
from crawler.replay.ownership import Ownership
from crawler.replay.recordedweb.recorded_pages import RecordedPages
from crawler.replay.recordedweb.recorded_sites import RecordedSites
from crawler.replay.recording import Recording
from crawler.replay.replay_options import ESTIMATED_ORDERS
from crawler.replay.replay_rank import timed_rank
from crawler.replay.settings import ReplaySettings
from crawler.replay.simulation.course_recorder import CourseRecorder
from crawler.replay.simulation.joint_discovery import JointDiscovery
from crawler.replay.simulation.joint_exchange import JointExchange
from crawler.replay.simulation.joint_links import JointLinks, may_settle
from crawler.replay.simulation.joint_mailbox import MailRoom
from crawler.replay.simulation.joint_seen import JointSeen
from crawler.replay.simulation.joint_time import JointTime
from crawler.replay.simulation.meetings import Meetings
from crawler.replay.simulation.seat import Seat
from crawler.replay.simulation.simulated_web import SimulatedWeb
from crawler.replay.virtualtime.latency import Latencies
from crawler.urls import hash_table
from sessions.progress import Share, unshared
from sessions.records import Header, Report
from sessions.writing.recorder import Recorder


class Simulated(NamedTuple):
    """What came of a simulation of K ranks.

    ``course``, and how many virtual ``seconds`` it took; ``milliseconds`` float64[P], how long each page of the
    recording took, 0 if none fetched it; the ``reports`` of the ranks, as in a session.
    """

    course: Course
    seconds: float
    milliseconds: npt.NDArray[np.float64]
    reports: list[Report]


def simulate(
    recording: Recording,
    ownership: Ownership,
    crawl: CrawlOptions,
    settings: ReplaySettings,
    latencies: Sequence[Latencies],
    scratch: Path,
    progress: Share = unshared,
) -> Simulated:
    """Replay a recording as the ranks of as many ``latencies`` do under MPI, with files in the folder ``scratch``.

    ``ownership`` is that of the crawl's own assignment.
    ``progress`` is told now and then how many pages have been fetched, and how many there are to fetch.
    """
    hash_table.load_compiled()
    ranks = _Ranks(recording, ownership, crawl, settings, latencies, scratch, progress)
    seconds = ranks.run()
    return Simulated(ranks.course(), seconds, ranks.milliseconds(), ranks.reports)


class _Ranks:
    """All ranks of a simulation."""

    def __init__(
        self,
        recording: Recording,
        ownership: Ownership,
        crawl: CrawlOptions,
        settings: ReplaySettings,
        latencies: Sequence[Latencies],
        scratch: Path,
        progress: Share,
    ) -> None:
        count = len(latencies)
        self._recording = recording
        self._plan = Plan(crawl, scratch, "", (), Scope(), cast(Header, {}))
        self._settings = settings
        self._latencies = latencies
        self._scratch = scratch
        self._progress = progress
        self._to_fetch = settings.max_pages or recording.page_count
        self._answers, self._sites = RecordedPages(recording), RecordedSites(recording)
        self._links = None
        if may_settle(recording, ownership, crawl, settings):
            seen = JointSeen(recording, Limits(crawl.max_depth, crawl.max_redirects))
            self._links = JointLinks(recording, ownership, settings, seen)
        # Credits are dealt out anew in each superstep, and other orders tell each other something in each.
        may_be_away = settings.max_pages is None and settings.order in ESTIMATED_ORDERS
        self._time, self._meetings = JointTime(count), Meetings(self._links, may_be_away=may_be_away)
        self._seats = [Seat(rank, count, self._time, self._meetings) for rank in range(count)]
        self._meetings.seats = self._seats
        self._mail = MailRoom(self._seats)
        self._recorders = [CourseRecorder() for _ in self._seats]
        self._stop = StopSignal()
        self._exchanges: list[JointExchange] = []
        self._ended: dict[int, Rank] = {}

    def run(self) -> float:
        """Replay to the end; how many virtual seconds it took."""
        for seat in self._seats:
            seat.begin(partial(self._replay, seat))
        self._meetings.hold(self._wake)
        while not self._ended:
            self._time.pass_window(lambda: [self._seats[rank] for rank in self._mail.deliver()])
            for seat in self._seats:
                if self._meetings.has_to_come(seat):
                    self._wake(seat)
            self._meetings.hold(self._wake)
        messages = self._meetings.messages()
        for exchange in self._exchanges:
            exchange.count(messages)
        return self._time.now

    @property
    def reports(self) -> list[Report]:
        """The counters of each rank, once it has ended."""
        return [self._ended[seat.rank].report() for seat in self._seats]

    def course(self) -> Course:
        """What the ranks have written down."""
        recorders = self._recorders
        numbers = np.repeat(np.arange(len(recorders)), [len(recorder.hashes) for recorder in recorders])
        fetches = [
            np.concatenate([np.array(getattr(recorder, name), dtype) for recorder in recorders])
            for name, dtype in (("hashes", np.uint64), ("supersteps", np.int64))
        ]
        messages = self._meetings.messages()
        sent = [getattr(messages, field.name) for field in fields(Messages)]
        return course_from(self._recording, len(recorders), self.reports, (fetches[0], numbers, fetches[1]), sent)

    def milliseconds(self) -> npt.NDArray[np.float64]:
        """How long each page took, float64[P]."""
        times = np.zeros(self._recording.page_count)
        for recorder in self._recorders:
            times[self._recording.numbers_of(np.array(recorder.hashes, np.uint64))] = recorder.milliseconds
        return times

    def _wake(self, seat: Seat) -> None:
        seat.wake(self._time.now)

    def _replay(self, seat: Seat) -> None:
        """What a rank does from its beginning to its end, as `crawler.rank.crawl.run` has it."""
        rank = self._assembled(seat)
        seat.state = rank.state
        while True:
            states, verdict = rank.superstep()
            if seat.rank == 0:
                fetched = sum(state.pages for state in states)
                self._progress(min(fetched, self._to_fetch), self._to_fetch)
            if verdict.closes_epoch:
                rank.close_epoch(is_last=verdict.ending is not None)
            if verdict.ending is not None:
                rank.save_frontier(verdict.ending)
                seat.tell(None)  # nobody ends before the others have
                rank.leave()
                self._ended[seat.rank] = rank
                return

    def _exchange(self, seat: Seat, wire: Wire) -> JointExchange:
        exchange = JointExchange(seat, self._meetings, wire)
        self._exchanges.append(exchange)
        return exchange

    def _assembled(self, seat: Seat) -> Rank:
        number = seat.rank
        folder = self._scratch / str(number)
        folder.mkdir()
        ground = Ground(
            cast(Any, seat),
            self._plan,
            SimulatedWeb(seat, self._sites, self._answers, self._latencies[number]),
            cast(Recorder, self._recorders[number]),
            folder,
            seat.counters,
            exchange=partial(self._exchange, seat),
            stop=self._stop,
            clock=StageClock(lambda: 0.0),  # the CPU time of a simulation is nobody's
        )
        discovery = Discovery if self._links is None else partial(JointDiscovery, self._links)
        return timed_rank(self._settings, self._recording, seat, self._mail.mailboxes[number], ground, discovery)
