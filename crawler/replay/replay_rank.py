"""A replay under MPI: the crawl's own rank, with recorded pages in the place of the web."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from crawler.config.settings import settings_from
from crawler.discovery.discovery import LINKS_PER_BATCH, Discovery
from crawler.exchange.page_quota import shares
from crawler.exchange.parallel_modes import CROSS_OVER
from crawler.exchange.verdict import Ending
from crawler.frontier.order_settings import OrderSettings
from crawler.frontier.ordering import OwnFirst, ordering_named
from crawler.launch.plan import Plan
from crawler.monitoring.progress_display import ProgressDisplay
from crawler.monitoring.watcher import Watcher
from crawler.rank.assembly import (
    Frame,
    Ground,
    discovery_for,
    frame_for,
    intake_for,
    queued_in_memory,
    rank_of,
)
from crawler.rank.crawl import run
from crawler.rank.rank import Rank
from crawler.rank.visits_assembly import polite_visits_for
from crawler.replay.recordedweb.plain_visits import PagedPacing, PlainVisits
from crawler.replay.recordedweb.recorded_admission import RecordedAdmission
from crawler.replay.recordedweb.recorded_pages import RecordedPages
from crawler.replay.recordedweb.recorded_sites import RecordedSites
from crawler.replay.recordedweb.recorded_web import RecordedAnswers, RecordedWeb
from crawler.replay.recordedweb.stored_bodies import BodyCounts, StoredBodies, index_of
from crawler.replay.recording import Recording, most_linked, recording_of
from crawler.replay.settings import ReplaySettings
from crawler.replay.virtualtime.latency import Latencies
from crawler.replay.virtualtime.round_mailbox import RoundMailbox
from crawler.replay.virtualtime.shared_clock import CommonTime
from crawler.replay.virtualtime.virtual_web import VirtualWeb
from crawler.replay.virtualtime.windows import SharedTime, WindowPacing

if TYPE_CHECKING:
    from mpi4py import MPI

_ALL = 1 << 62
_SHARE_SHOWN = 0.1


@dataclass(frozen=True)
class ReplayPlan:
    """A replay that can begin: the plan of the crawl that it is, and the session that it replays.

    ``latencies`` are those of each rank, None for a replay without a clock; with ``bodies`` links are those that are
    found in the pages' bodies, and if it is ``lenient`` any number of these may be unreadable.
    """

    crawl: Plan
    session: Path
    settings: ReplaySettings
    latencies: Sequence[Latencies] | None = None
    bodies: bool = False
    lenient: bool = False


class ReplayEnd(NamedTuple):
    """Why a replay ended, and what became of the bodies that this rank asked for."""

    ending: Ending
    bodies: BodyCounts


def replay(comm: "MPI.Intracomm", plan: ReplayPlan) -> ReplayEnd:
    """Replay as one of the ranks of ``comm``, which all call this with the same plan."""
    recording = recording_of(plan.session)
    answers = StoredBodies(recording, index_of(recording.session)) if plan.bodies else RecordedPages(recording)
    ending = _replay(comm, plan, recording, answers)
    return ReplayEnd(ending, answers.counts if isinstance(answers, StoredBodies) else BodyCounts())


def _replay(comm: "MPI.Intracomm", plan: ReplayPlan, recording: Recording, answers: RecordedAnswers) -> Ending:
    if plan.latencies is None:
        with _progress(comm, 0.0) as watchers:
            assemble = partial(_untimed_rank, plan.settings, recording)
            return run(comm, plan.crawl, RecordedWeb(answers), assemble, watchers)
    mailbox = RoundMailbox(comm)
    time = CommonTime(comm, mailbox)
    web = VirtualWeb(RecordedSites(recording), answers, time, plan.latencies[comm.rank])
    with _progress(comm, _SHARE_SHOWN) as watchers:
        return run(comm, plan.crawl, web, partial(timed_rank, plan.settings, recording, time, mailbox), watchers)


@contextmanager
def _progress(comm: "MPI.Intracomm", share: float) -> Iterator[list[Watcher]]:
    """What is shown on rank 0, as `ProgressDisplay` has it."""
    if comm.rank != 0:
        yield []
        return
    with closing(ProgressDisplay(share)) as progress:
        yield [progress]


def _untimed_rank(settings: ReplaySettings, recording: Recording, ground: Ground) -> Rank:
    frame, discovery = _prepared(settings, recording, ground, _ALL)
    intake = intake_for(frame, discovery)
    visits = PlainVisits(ground.web, intake, frame.credits, discovery.settle, pages=settings.pages_per_superstep)
    pacing = PagedPacing(ground.web, visits)
    return rank_of(frame, discovery=discovery, intake=intake, visits=visits, pacing=pacing)


def timed_rank(
    settings: ReplaySettings,
    recording: Recording,
    time: SharedTime,
    mailbox: RoundMailbox,
    ground: Ground,
    make_discovery: Callable[..., Discovery] = Discovery,
) -> Rank:
    """A rank that replays in a time that all ranks share."""
    frame, discovery = _prepared(settings, recording, ground, LINKS_PER_BATCH, make_discovery)
    intake = intake_for(frame, discovery)
    visits = polite_visits_for(frame, intake, mailbox)
    pacing = WindowPacing(time, ground.plan.options.superstep)
    return rank_of(frame, discovery=discovery, intake=intake, visits=visits, pacing=pacing)


def _prepared(
    settings: ReplaySettings,
    recording: Recording,
    ground: Ground,
    links_per_batch: int,
    make_discovery: Callable[..., Discovery] = Discovery,
) -> tuple[Frame, Discovery]:
    """A rank's frame and discovery, with the seeds in it."""
    options, memory = ground.plan.options, queued_in_memory(ground.plan)
    asked = settings_from(options, OrderSettings)
    ordering = ordering_named(options.order, ground.scratch, memory, asked)
    later = None
    if settings.mode == CROSS_OVER:
        later = ordering_named(options.order, ground.scratch / "later", memory, asked)
        ordering = OwnFirst(ordering, later)
    frame = frame_for(ground, ordering)
    admission = RecordedAdmission(recording)
    discovery = discovery_for(
        frame, admission, links_per_batch=links_per_batch, mode=settings.mode, later=later, make=make_discovery
    )
    discovery.seed(recording.texts(recording.seeds), frame.seeding)
    if settings.replicated:
        discovery.replicate(recording.texts(most_linked(recording, settings.replicated)), frame.seeding)
    if settings.max_pages is not None:
        # A crawl waits for its first exchange, and fetches nothing before it.
        queued = ground.comm.allgather(len(ordering))
        frame.credits.replace(shares(settings.max_pages, queued)[ground.comm.rank])
    return frame, discovery
