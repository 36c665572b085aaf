"""What pages take at each rank, for models that cut links: `cutweb partition --time-cost` and `--balance seconds`.

A session's times are learnt as for the model `twoma`, but here a site's pages may lie on several ranks, and the cut
decides where they go.  A learner, if there is one, is heard where nobody has measured: it sends a site to a rank at
which neither the site nor a neighbour in its block of addresses has been, and there the site is taken to need no time
at all.  (Optimistic initial values: Sutton and Barto, *Reinforcement Learning*, 2nd ed. 2018, section 2.6.)
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from partition.assignment.assignment import Owners
from partition.graphs.link_graph import GraphError, LinkGraph
from partition.map.manifest import MapError, read_manifest
from partition.twoma.expected_seconds import expected_seconds, of_blocks
from partition.twoma.experience import Floats, Numbers
from partition.twoma.learner import LearnerSettings, Standing
from partition.twoma.learnt_partition import learnt_states, measured_states
from partition.twoma.site_states import RUNS, STATES, SiteStates, read_states
from partition.twoma.site_times import NO_BLOCK, SiteTimes, site_times
from sessions.session import Session

RANK_SECONDS = "rank_seconds"
"""The setting of a map's manifest that says what each rank's pages are expected to take there together."""
_MICROSECONDS = 1e6


@dataclass(frozen=True)
class RankSeconds:
    """What a page of each of a graph's s sites takes at each of k ranks.

    Attributes:
        states: what is known of all sites after the session.
        expected: float64[s, k], expected seconds a page.
        wanted: float64[s, k], the same, but 0 where a learner wants to look.
    """

    states: SiteStates
    expected: Floats
    wanted: Floats

    @property
    def site_microseconds(self) -> Numbers:
        """What the cut is told that a page takes at each rank, int64[s, k]."""
        return np.rint(self.wanted * _MICROSECONDS).astype(np.int64)

    def weighed(self, graph: LinkGraph) -> LinkGraph:
        """Return the graph with the microseconds that pages take, the mean over all ranks: a weight is one number."""
        microseconds = np.rint(self.expected.mean(axis=1) * _MICROSECONDS).astype(np.int64)
        return replace(graph, microseconds=microseconds[graph.sites])

    def states_by(self, graph: LinkGraph, parts: Owners) -> SiteStates:
        """Return the states with each site at the part of most of its pages, int32[n]; in state 0 if that is new."""
        standing, k = self.states.standing, self.expected.shape[1]
        cells = np.bincount(graph.sites * k + parts, minlength=len(graph.site_names) * k)
        row_of = {site: row for row, site in enumerate(self.states.sites)}
        main_parts = standing.parts.copy()
        main_parts[[row_of[site] for site in graph.site_names]] = cells.reshape(-1, k).argmax(axis=1)
        return replace(self.states, standing=Standing(main_parts, standing.states * (main_parts == standing.parts)))

    def at_ranks(self, graph: LinkGraph, parts: Owners) -> Floats:
        """Return what each rank's pages are expected to take there, float64[k]; ``parts``, int32[n], are the pages'."""
        k = self.expected.shape[1]
        return np.bincount(parts, self.expected[graph.sites, parts], k).astype(np.float64)

    def told(self, graph: LinkGraph, parts: Owners) -> dict[str, Any]:
        """Return what a manifest says of the seconds of a partition."""
        at_ranks = [round(seconds, 6) for seconds in self.at_ranks(graph, parts).tolist()]
        return {RUNS: self.states.runs, "sites": len(self.states.sites), RANK_SECONDS: at_ranks}


def rank_seconds(
    graph: LinkGraph, times: SiteTimes, before: SiteStates, learning: LearnerSettings | None, seed: int
) -> RankSeconds:
    """Return what is known after a session with these ``times``; ``before`` are the states before it.

    ``learning`` says who wants to look elsewhere, None that nobody does.  Raises GraphError without URLs.
    """
    if not graph.has_urls:
        raise GraphError("the seconds of sites need URLs, and this session was imported without any")
    after = measured_states(times, before) if learning is None else learnt_states(times, before, learning, seed)
    return rank_seconds_of(graph, times, after, with_wishes=learning is not None)


def rank_seconds_of(graph: LinkGraph, times: SiteTimes, after: SiteStates, *, with_wishes: bool = False) -> RankSeconds:
    """Return what sites take by the states after a session; ``with_wishes`` if a learner said where they stand."""
    row_of = {site: row for row, site in enumerate(after.sites)}
    blocks = np.full(len(after.sites), NO_BLOCK, np.int64)
    blocks[[row_of[site] for site in times.names]] = times.blocks
    means = after.experience.means
    expected = expected_seconds(means, blocks)
    wanted = expected.copy()
    if with_wishes:
        sites = np.arange(len(after.sites))
        is_unknown = np.isnan(means) & np.isnan(of_blocks(means, blocks))
        wanted[sites, after.standing.parts] *= ~is_unknown[sites, after.standing.parts]
    rows = np.array([row_of[site] for site in graph.site_names])
    return RankSeconds(after, expected[rows], wanted[rows])


def with_measured_seconds(graph: LinkGraph, session: Session) -> LinkGraph:
    """Return a session's graph with the microseconds that pages are expected to take, by this session alone.

    Raises GraphError without URLs, TimesError if no times of its ranks are on record.
    """
    k = session.runs[-1].ranks
    return rank_seconds(graph, site_times(session, k), SiteStates.none(k), None, seed=0).weighed(graph)


def states_of_map(folder: Path, k: int) -> SiteStates:
    """Return the states beside a map that was cut or learnt; those of no site, if it has none.

    Raises MapError if the folder is no map, has another number of parts than ``k``, or its states are damaged.
    """
    manifest = read_manifest(folder)
    if manifest.parts != k:
        raise MapError(f"{folder}: has {manifest.parts} parts, which says nothing of {k} ranks; name a map of {k}")
    return read_states(folder, manifest) if STATES in manifest.files else SiteStates.none(k)
