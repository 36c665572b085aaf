"""One trial: an assignment computed, timed, and measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, TypeVar

from partition.assignment.assignment import Owners, assignment_named
from partition.choices import ASSIGNMENTS
from partition.cut.metis import MetisError
from partition.graphs.link_graph import GraphError, LinkGraph
from partition.map.partition_map import PartitionMap
from partition.measures.cut_portrait import CutPortrait, cut_portrait
from partition.measures.imbalance import empty_parts
from partition.measures.measures import measures
from partition.measures.moves import moves
from partition.models.partition_pages import partition_pages
from partition.models.previous_owners import previous_owners
from partition.quality.figures import imbalances_told
from partition.quality.map_costs import Lookup, lookup_by_hash, lookup_in_map, lookups_per_second
from partition.quality.request import QualityRequest, Trial
from partition.report.results import Value
from sessions.peak_memory import forget_peak, peak_memory
from sessions.progress import say_nothing

Result = TypeVar("Result")


@dataclass(frozen=True)
class Outcome:
    """What came of a trial.

    ``figures`` are by the names in `partition.quality.figures`, without those that the graph does not allow;
    ``settings`` say which of the model's settings won.  ``reason`` says in one line why there is no assignment, if
    there is none.  ``portrait`` is what a picture of it shows; only the first seed's trials have one, so that a report
    of many seeds need not hold them all.
    """

    trial: Trial
    figures: dict[str, Value] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None
    portrait: CutPortrait | None = None


def run_trial(graph: LinkGraph, trial: Trial, request: QualityRequest, folder: Path) -> Outcome:
    """Compute and measure one assignment; its map is written into ``folder`` and removed again.

    Raises MapError if that is not possible.  An assignment that cannot be, or leaves a part empty, is no error but an
    outcome with a reason.
    """
    forget_peak()
    try:
        if trial.model in ASSIGNMENTS:
            return _of_hash(graph, trial, request)
        return _of_model(graph, trial, request, folder)
    except (GraphError, MetisError) as error:
        return Outcome(trial, reason=str(error))
    except MemoryError:
        return Outcome(trial, reason="there is not enough memory")


def _of_hash(graph: LinkGraph, trial: Trial, request: QualityRequest) -> Outcome:
    urls = graph.urls.to_pylist()
    assignment = assignment_named(trial.model, trial.k)
    parts, cost = _timed(lambda: assignment.owners(graph.hashes, urls))
    lookup = lookup_by_hash(graph, urls, assignment) if graph.has_urls else None
    figures = _figures(graph, trial, request, parts, lookup, urls) | cost
    return Outcome(trial, figures, portrait=_portrait(graph, trial, request, parts))


def _of_model(graph: LinkGraph, trial: Trial, request: QualityRequest, folder: Path) -> Outcome:
    threads = max(1, request.settings.threads // request.jobs)
    settings = replace(request.settings, seed=trial.seed, threads=threads, migration_cost=trial.migration_cost or 0.0)
    previous = None
    if trial.migration_cost is not None and request.previous:
        previous = previous_owners(PartitionMap.open(request.previous), graph)
    partition, cost = _timed(lambda: partition_pages(graph, trial.model, trial.k, settings, say_nothing, previous))
    if previous:
        moved = moves(previous.owners, partition.parts, graph.bytes)
        cost |= {"moved_pages": moved.share_of_pages, "moved_bytes": moved.share_of_bytes}
    if empty := empty_parts(partition.parts, trial.k):
        return Outcome(trial, reason=f"{empty:,} of its parts would be empty")
    portrait = _portrait(graph, trial, request, partition.parts)
    if not graph.has_urls:
        figures = _figures(graph, trial, request, partition.parts, None, [])
        return Outcome(trial, figures | cost, partition.settings, portrait=portrait)
    urls = graph.urls.to_pylist()
    with TemporaryDirectory(dir=folder) as scratch:
        lookup = lookup_in_map(graph, urls, partition, request.unknown, Path(scratch) / "map")
        figures = _figures(graph, trial, request, partition.parts, lookup, urls)
    return Outcome(trial, figures | cost, partition.settings, portrait=portrait)


def _portrait(graph: LinkGraph, trial: Trial, request: QualityRequest, parts: Owners) -> CutPortrait | None:
    if trial.migration_cost is not None or trial.seed != request.seeds[0]:
        return None
    return cut_portrait(graph, parts, trial.k, request.settings.objective)


def _timed(compute: Callable[[], Result]) -> tuple[Result, dict[str, Value]]:
    """What was computed, and the seconds and the memory that it took."""
    began = perf_counter()
    result = compute()
    return result, {"seconds": perf_counter() - began, "peak_bytes": peak_memory()}


def _figures(
    graph: LinkGraph, trial: Trial, request: QualityRequest, parts: Owners, lookup: Lookup | None, urls: Sequence[str]
) -> dict[str, Value]:
    known_owners, numbers = (lookup.known_owners, lookup.numbers) if lookup else (None, None)
    shares = request.settings.shares
    found = measures(graph, parts, trial.k, known_owners, numbers=numbers, shares=shares)
    figures: dict[str, Value] = {
        **imbalances_told(found),
        "volume_links": found.pages.cut_links,
        "edge_cut": found.pages.cut_links / max(1, found.pages.links),
        "sent_links": found.pages.sent_links,
        "messages": found.pages.messages,
        "most_sent_links": found.pages.most_sent_links,
        "most_received_links": found.pages.most_received_links,
        "empty_parts": found.empty_parts,
    }
    if lookup is None or found.numbered_bytes is None:
        return figures
    return figures | {
        "volume_bytes": found.pages.cut_bytes,
        "live_volume_bytes": found.live.cut_bytes,
        "live_volume_links": found.live.cut_links,
        "sent_bytes": found.pages.sent_bytes,
        "live_sent_bytes": found.live.sent_bytes,
        "live_sent_links": found.live.sent_links,
        "numbered_bytes": found.numbered_bytes,
        "overlap": found.overlap,
        "live_messages": found.live.messages,
        "most_sent_bytes": found.pages.most_sent_bytes,
        "most_received_bytes": found.pages.most_received_bytes,
        "ranks_per_site": found.sites.mean,
        "most_ranks_per_site": found.sites.most,
        "whole_sites": found.sites.whole,
        "map_bytes_per_url": lookup.map_bytes / len(graph),
        "lookups_per_second": lookups_per_second(lookup.assignment, graph.hashes, urls, trial.seed),
    }
