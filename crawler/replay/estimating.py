"""Estimates of one session's replay under several assignments, side by side, without a clock or in virtual time.

Reads the clock: it says how long an estimate took.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from crawler.process.progress_line import shares
from crawler.replay.estimation.estimate import estimate
from crawler.replay.foresight.partitions import Cuts
from crawler.replay.foresight.request import Candidate, ForesightRequest, candidates_of
from crawler.replay.measuring.importance import importance_of
from crawler.replay.measuring.measures import measures_of
from crawler.replay.measuring.timeline import timeline_of
from crawler.replay.ownership import Ownership, ownership_by_map
from crawler.replay.recording import Recording, with_times
from crawler.replay.reporting.entry import ReportEntry
from crawler.replay.warnings import map_warnings, session_warnings
from partition.graphs.link_graph import link_graph
from partition.map.partition_map import PartitionMap
from partition.report.results import LeftOut
from sessions.peak_memory import forget_peak, peak_memory
from sessions.progress import Say
from sessions.storage.temporary_folder import scratch_folder

if TYPE_CHECKING:
    from crawler.replay.simulation.timed_replays import TimedReplays


@dataclass(frozen=True)
class Estimates:
    """What came of each assignment, and which the session does not allow."""

    entries: list[ReportEntry]
    left_out: list[LeftOut]


def estimates_by_models(
    recording: Recording, request: ForesightRequest, scratch: Path, progress: Say, timed: "TimedReplays | None"
) -> Estimates:
    """Cut the recorded session by each model for each K, and estimate its replay under each partition.

    Maps are kept in ``scratch`` meanwhile; ``timed`` replays have a clock.  Raises GraphError for a session that has no
    links to cut.
    """
    entry_of = _Estimating(recording, request, progress, timed)
    with scratch_folder(".maps-", scratch) as folder:
        cuts = Cuts(link_graph(recording.session), request.cutting, folder, progress)
        candidates, left_out = cuts.allowed(candidates_of(request.models, request.parts, request.rules))
        entries = [
            entry_of(
                _label(candidate, request), cuts.ownership(recording, candidate), cuts.folder(candidate), candidate.rule
            )
            for candidate in candidates
        ]
    return Estimates(entries, left_out)


def estimate_by_map(
    recording: Recording,
    folder: Path,
    rules: tuple[str | None, ...],
    request: ForesightRequest,
    progress: Say,
    timed: "TimedReplays | None",
) -> Estimates:
    """Estimate the replay under a partition map, with each of the rules (None: its own).  Raises MapError."""
    table = PartitionMap.open(folder)
    entry_of = _Estimating(recording, request, progress, timed)
    entries = []
    for rule in rules:
        ownership = ownership_by_map(recording, table, rule)
        entry = entry_of(ownership.name, ownership, folder, rule)
        entries.append(replace(entry, warnings=entry.warnings + map_warnings(recording, ownership.unknown)))
    return Estimates(entries, [])


def _label(candidate: Candidate, request: ForesightRequest) -> str:
    """The model alone if it has one rule only."""
    return candidate.model if len(request.rules) == 1 else candidate.way


class _Estimating:
    """Estimates the replay of one recording under one assignment after the other."""

    def __init__(
        self, recording: Recording, request: ForesightRequest, progress: Say, timed: "TimedReplays | None"
    ) -> None:
        self._recording = recording
        self._settings = request.settings.with_end(recording.page_count)
        self._progress = progress
        self._timed = timed
        self._importance = importance_of(recording)

    def __call__(self, label: str, ownership: Ownership, folder: Path | None, rule: str | None) -> ReportEntry:
        what = f"estimating {label} for {ownership.ranks} ranks"
        told = shares(self._progress, what)
        forget_peak()
        began = perf_counter()
        if self._timed is None:
            as_read, virtual_seconds, asked = self._recording, 0.0, {}
            course = estimate(self._recording, ownership, self._settings, told)
        else:
            simulated = self._timed.replay(ownership, folder, rule, self._settings, told)
            as_read = with_times(self._recording, simulated.milliseconds)
            course, virtual_seconds, asked = simulated.course, simulated.seconds, self._timed.clock
        seconds = perf_counter() - began
        return ReportEntry(
            label,
            ownership.ranks,
            ownership.name,
            measures_of(self._recording, ownership, course, self._settings, self._importance, as_read),
            timeline_of(as_read, course, self._importance),
            course,
            seconds,
            peak_memory(),
            virtual_seconds=virtual_seconds,
            asked=asked,
            as_read=as_read,
            warnings=session_warnings(self._recording),
        )
