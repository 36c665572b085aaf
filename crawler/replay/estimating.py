"""Estimates of one session's replay under several assignments, side by side."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from crawler.replay.estimation.estimate import estimate
from crawler.replay.foresight.cuts import Cuts
from crawler.replay.foresight.foreseeing import Progress
from crawler.replay.foresight.request import Candidate, Request, candidates_of
from crawler.replay.measuring.importance import Importance, importance_of
from crawler.replay.measuring.measures import measures_of
from crawler.replay.measuring.timeline import timeline_of
from crawler.replay.ownership import Ownership, ownership_by_map
from crawler.replay.recording import Recording
from crawler.replay.reporting.entry import Entry
from partition.graphs.link_graph import link_graph
from partition.map.table import PartitionMap
from partition.quality.memory import forget_peak, peak_bytes
from partition.quality.request import LeftOut


@dataclass(frozen=True)
class Estimates:
    """What came of each assignment, and which the session does not allow."""

    entries: list[Entry]
    left_out: list[LeftOut]


def estimates_by_models(recording: Recording, request: Request, scratch: Path, progress: Progress) -> Estimates:
    """Cut the recorded session by each model for each K, and estimate its replay under each partition.

    Maps are kept in ``scratch`` meanwhile.  Raises GraphError for a session that has no links to cut.
    """
    entries, left_out = [], {}
    importance = importance_of(recording)
    with TemporaryDirectory(prefix=".maps-", dir=scratch) as folder:
        cuts = Cuts(link_graph(recording.session), request.cutting, Path(folder), progress)
        for candidate in candidates_of(request.models, request.parts, request.rules):
            problem = cuts.problem(candidate)
            if problem is not None:
                left_out[candidate.model, candidate.k] = LeftOut(candidate.model, candidate.k, problem)
                continue
            progress(f"estimating {candidate}")
            label = _label(candidate, request)
            entries.append(_entry(label, cuts.ownership(recording, candidate), recording, request, importance))
    return Estimates(entries, list(left_out.values()))


def estimate_by_map(recording: Recording, folder: Path, rules: tuple[str | None, ...], request: Request) -> Estimates:
    """Estimate the replay under a partition map, with each of the rules (None: its own).  Raises MapError."""
    table = PartitionMap.open(folder)
    importance = importance_of(recording)
    return Estimates(list(_by_rules(table, recording, rules, request, importance)), [])


def _by_rules(
    table: PartitionMap, recording: Recording, rules: tuple[str | None, ...], request: Request, importance: Importance
) -> Iterator[Entry]:
    for rule in rules:
        ownership = ownership_by_map(recording, table, rule)
        yield _entry(ownership.name, ownership, recording, request, importance)


def _label(candidate: Candidate, request: Request) -> str:
    """The model alone if it has one rule only."""
    return candidate.model if len(request.rules) == 1 else candidate.way


def _entry(label: str, ownership: Ownership, recording: Recording, request: Request, importance: Importance) -> Entry:
    settings = request.settings.with_end(recording.page_count)
    forget_peak()
    began = perf_counter()
    course = estimate(recording, ownership, settings)
    seconds = perf_counter() - began
    return Entry(
        label,
        ownership.ranks,
        ownership.name,
        measures_of(recording, ownership, course, settings, importance),
        timeline_of(recording, course, importance),
        course,
        seconds,
        peak_bytes(),
    )
