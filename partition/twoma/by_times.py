"""A session's pages in parts by what they take: learnt, or cut with times as a cost or a weight."""

from dataclasses import replace
from typing import Any, NamedTuple

from partition.graphs.link_graph import LinkGraph
from partition.models.partition_pages import Partition, partition_pages
from partition.models.previous_owners import Previous
from partition.models.settings import Settings
from partition.twoma.learner import LearnerSettings
from partition.twoma.learnt_partition import learnt_partition, learnt_states
from partition.twoma.rank_seconds import RankSeconds, rank_seconds, rank_seconds_of
from partition.twoma.site_states import SiteStates
from partition.twoma.site_times import SiteTimes
from sessions.progress import Say


class ByTimes(NamedTuple):
    """A partition of pages, the graph with what they take as a weight, and what is known of their sites after it."""

    graph: LinkGraph
    partition: Partition
    states: SiteStates


def learnt_by_times(
    graph: LinkGraph, times: SiteTimes, before: SiteStates, learning: LearnerSettings, seed: int
) -> ByTimes:
    """Return what a learner makes of a session's ``times``; ``before`` are the states before it."""
    after = learnt_states(times, before, learning, seed)
    partition = learnt_partition(graph, times, before, after, learning)
    timed = rank_seconds_of(graph, times, after)
    return ByTimes(timed.weighed(graph), _told(partition, timed, graph, {}), after)


def cut_by_times(
    graph: LinkGraph,
    times: SiteTimes,
    before: SiteStates,
    model: str,
    settings: Settings,
    learning: LearnerSettings | None,
    progress: Say,
    previous: Previous | None,
) -> ByTimes:
    """Cut with what pages are expected to take as a cost (`Settings.time_cost`), or a weight, or both.

    A graph that knows what its pages take keeps that as the weight.  ``learning`` None is a learner that never wants to
    look elsewhere.  Raises what `partition.models.partition_pages.partition_pages` raises.
    """
    timed = rank_seconds(graph, times, before, learning, settings.seed)
    weighed = timed.weighed(graph) if graph.microseconds is None else graph
    k = times.fetched.shape[1]
    partition = partition_pages(weighed, model, k, settings, progress, previous, timed.site_microseconds)
    told: dict[str, Any] = {"time_cost": settings.time_cost}
    told |= {} if learning is None else {"learn": learning.learner}
    return ByTimes(weighed, _told(partition, timed, graph, told), timed.states_by(graph, partition.parts))


def _told(partition: Partition, timed: RankSeconds, graph: LinkGraph, further: dict[str, Any]) -> Partition:
    """The partition with what its manifest says of the times."""
    return replace(partition, settings=partition.settings | timed.told(graph, partition.parts) | further)
