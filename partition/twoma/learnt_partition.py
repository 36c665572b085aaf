"""`cutweb partition --model twoma`: a session is a run, after which each site has its rank of the next crawl."""

from dataclasses import replace
from typing import Any

import numpy as np

from partition.assignment.url_prefixes import site_prefix
from partition.graphs.link_graph import GraphError, LinkGraph
from partition.models.partition_pages import Partition
from partition.twoma.experience import Numbers
from partition.twoma.learner import LearnerSettings, Run, Standing, learner_of
from partition.twoma.site_states import RUNS, SiteStates
from partition.twoma.site_times import SiteTimes


def learnt_states(times: SiteTimes, before: SiteStates, settings: LearnerSettings, seed: int) -> SiteStates:
    """Return where all sites stand after a session, and what is known of them.

    ``times`` are of whole sites (`partition.twoma.site_times.whole_site_times`).  Sites without a measured page stay
    where they are, in their state.  Chance depends on ``seed`` and on how many sessions there were.
    """
    measured = measured_states(times, before)
    row_of = {site: row for row, site in enumerate(measured.sites)}
    rows = np.array([row_of[name] for name in times.names])
    seconds, pages = np.full(len(row_of), np.nan), np.zeros(len(row_of), np.int64)
    of_main = np.arange(len(rows)), times.main_ranks
    seconds[rows], pages[rows] = times.means[of_main], times.measured[of_main]
    chance = np.random.default_rng([seed, before.runs])
    learner = learner_of(settings)
    standing = learner.after(Run(seconds, pages), measured.standing, measured.experience, chance)
    return replace(measured, standing=standing)


def measured_states(times: SiteTimes, before: SiteStates) -> SiteStates:
    """Return what is known after a session of sites that nobody has moved yet.

    Each site and rank with a measured page has one visit more.  A site stands where the session fetched most of its
    pages; one that was elsewhere before has arrived there, in state 0.  Nothing is shared with ``before``.
    """
    sites, rows = _all_sites(before.sites, times.names)
    parts = _widened(before.standing.parts, len(sites))
    states = _widened(before.standing.states, len(sites))
    is_where_it_was = (rows < len(before.sites)) & (parts[rows] == times.main_ranks)
    states[rows] *= is_where_it_was
    parts[rows] = times.main_ranks
    experience = before.experience.with_more_sites(len(sites))
    measured, ranks = np.nonzero(times.measured)
    experience.add(rows[measured], ranks, times.means[measured, ranks])
    return SiteStates(sites, Standing(parts, states), experience, before.runs + 1)


def learnt_partition(
    graph: LinkGraph, times: SiteTimes, before: SiteStates, after: SiteStates, settings: LearnerSettings
) -> Partition:
    """Return the partition of a session's pages by what was learnt, with all sites that are known as prefixes.

    Nothing is balanced; it counts as balanced if no part is without pages.
    """
    if not graph.has_urls:
        raise GraphError("the twoma model needs URLs, and this session was imported without any")
    k = times.fetched.shape[1]
    part_of = dict(zip(after.sites, after.standing.parts.tolist(), strict=True))
    of_site = np.array([part_of[site] for site in graph.site_names], np.int32)
    parts = of_site[graph.sites]
    empty = int(np.count_nonzero(np.bincount(parts, minlength=k) == 0))
    told = _told(times, before, after, settings) | {"empty_parts": empty}
    prefixes = [site_prefix(site) for site in after.sites]
    return Partition("twoma", k, parts, prefixes, after.standing.parts.astype(np.int32), told, is_balanced=empty == 0)


def _told(times: SiteTimes, before: SiteStates, after: SiteStates, settings: LearnerSettings) -> dict[str, Any]:
    """What the manifest says of how it was learnt."""
    row_of = {site: row for row, site in enumerate(after.sites)}
    now = after.standing.parts[[row_of[site] for site in times.names]]
    return {
        "learn": settings.learner,
        "duration": settings.duration,
        "states": settings.innermost,
        RUNS: after.runs,
        "sites": len(after.sites),
        "new_sites": len(after.sites) - len(before.sites),
        "measured_sites": int(np.count_nonzero(times.measured.any(axis=1))),
        "moved_sites": int(np.count_nonzero(now != times.main_ranks)),
    }


def _all_sites(before: list[str], names: list[str]) -> tuple[list[str], Numbers]:
    """Sites known before, and after them the new ones; the place of each of ``names`` among them, int64[n]."""
    row_of = {site: row for row, site in enumerate(before)}
    rows = [row_of.setdefault(name, len(row_of)) for name in names]
    return list(row_of), np.array(rows, np.int64)


def _widened(values: Numbers, count: int) -> Numbers:
    return np.concatenate((values, np.zeros(count - len(values), np.int64)))
