"""Making a partition in one process, with all links in memory: by any model, cut or learnt."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from partition.assignment.hashing import PageHash
from partition.choices import DEFAULT_RULE, LEARNT_MODELS
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.graphs.site_seconds import with_seconds
from partition.make_partition.made_partition import Look, MadePartition, naming_session
from partition.make_partition.map_origin import map_origin, previous_settings
from partition.map.manifest import Manifest, MapError, Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from partition.measures.cut_portrait import cut_portrait
from partition.measures.measures import SiteSpread, measures
from partition.measures.moves import Moves, moves
from partition.measures.next_crawl import NextCrawl, next_crawl
from partition.measures.traffic import finds_of_pages, traffic
from partition.models.partition_pages import Partition, partition_pages
from partition.models.previous_owners import Previous, previous_owners
from partition.models.settings import Settings
from partition.twoma.by_times import cut_by_times, learnt_by_times
from partition.twoma.learner import LearnerSettings
from partition.twoma.rank_seconds import states_of_map
from partition.twoma.site_states import STATES, SiteStates, states_beside
from partition.twoma.site_times import SiteTimes, site_times, whole_site_times
from sessions.analysis.completeness import incomplete
from sessions.progress import Say
from sessions.session import Session, check_claimable


def make_partition(
    session: Path,
    model: str,
    k: int,
    out: Path,
    settings: Settings,
    *,
    unknown: str = DEFAULT_RULE,
    previous: Path | None = None,
    site_seconds: Path | None = None,
    learning: LearnerSettings | None = None,
    with_look: bool = False,
    progress: Say,
) -> MadePartition:
    """Cut ``session`` into ``k`` parts by a model and write the map into the folder ``out``, absent or empty.

    A learnt model (`partition.choices.LEARNT_MODELS`) cuts nothing: where its sites go is learnt as ``learning`` says,
    and goes on from the states beside ``previous``.  A model that is cut learns in the same way what pages take, if
    that costs something (`Settings.time_cost`) or is to be balanced without ``site_seconds``; ``learning`` None is then
    a learner that never wants to look elsewhere.

    ``unknown`` is the rule for URLs that the map does not hold (`partition.map.partition_assignment`).  ``previous`` is
    the folder of an earlier map, from whose owners no more pages are taken than is worth it
    (`Settings.migration_cost`).  ``site_seconds`` is a table of the seconds that a page of each site takes
    (`partition.graphs.site_seconds`).  ``with_look`` asks for a `Look`.  Raises SessionError for a session that is none
    or a folder that is taken, GraphError if it cannot be cut so, TimesError if nothing can be learnt from it, MapError
    if the previous map is none or the map cannot be written; nothing is left behind then.
    """
    began = perf_counter()
    check_claimable(out)
    if model in LEARNT_MODELS:
        settings = replace(settings, balance={})
    known = _read(session, model, k, settings, previous, site_seconds, progress)
    with naming_session(session):
        cut = _cut(known, model, k, settings, learning, progress)
    progress("writing the map")
    graph, partition = cut.graph, cut.partition
    found = measures(graph, partition.parts, k, None, shares=settings.shares)
    moved = None if known.earlier is None else moves(known.earlier.previous.owners, partition.parts, graph.bytes)
    origin = map_origin(
        known.session,
        partition,
        found,
        settings,
        has_urls=graph.has_urls,
        seconds=perf_counter() - began,
        further=_further(known, moved, settings, site_seconds),
    )
    manifest = _write(out, cut, origin, unknown)
    expected = _expected(graph, partition, unknown, settings, out.parent)
    return MadePartition(
        manifest=manifest,
        partition=partition,
        settings=settings,
        measures=found,
        moves=moved,
        next_crawl=expected,
        pages=len(graph),
        has_urls=graph.has_urls,
        seconds=perf_counter() - began,
        incomplete=incomplete(known.session),
        look=_look(graph, partition, settings.objective, found.sites) if with_look else None,
    )


class _EarlierMap(NamedTuple):
    """A map that was made before, and whose the session's pages are by it."""

    table: PartitionMap
    previous: Previous


class _Known(NamedTuple):
    """All that is read before a cut.

    ``times`` are what the session's sites took, None if the cut does not ask; ``states`` what was learnt before.
    """

    session: Session
    graph: LinkGraph
    times: SiteTimes | None
    states: SiteStates
    earlier: _EarlierMap | None


class _Cut(NamedTuple):
    """A partition, the graph with all weights that it is measured by, and the states of its sites, if it has any."""

    graph: LinkGraph
    partition: Partition
    states: SiteStates | None


def _read(
    session: Path,
    model: str,
    k: int,
    settings: Settings,
    previous: Path | None,
    site_seconds: Path | None,
    progress: Say,
) -> _Known:
    """Read what is small first: damage there shows before the session's links are read."""
    is_learnt = model in LEARNT_MODELS
    needs_times = is_learnt or _needs_times(settings, site_seconds)
    states = _earlier_states(previous if needs_times else None, k, is_learnt=is_learnt)
    table = None if previous is None else PartitionMap.open(previous)
    progress("reading the session")
    opened = Session.open(session)
    times = (whole_site_times if is_learnt else site_times)(opened, k) if needs_times else None
    graph = link_graph(opened)
    if site_seconds is not None:
        graph = with_seconds(graph, site_seconds)
    earlier = None if table is None else _EarlierMap(table, previous_owners(table, graph))
    return _Known(opened, graph, times, states, earlier)


def _needs_times(settings: Settings, site_seconds: Path | None) -> bool:
    """Does a cut need what the session's sites took?"""
    return bool(settings.time_cost) or ("seconds" in settings.balance and site_seconds is None)


def _earlier_states(previous: Path | None, k: int, *, is_learnt: bool) -> SiteStates:
    """What has been learnt of sites before, by an earlier map's own learner or from its parts."""
    if previous is None:
        return SiteStates.none(k)
    return states_beside(previous, k) if is_learnt else states_of_map(previous, k)


def _cut(
    known: _Known, model: str, k: int, settings: Settings, learning: LearnerSettings | None, progress: Say
) -> _Cut:
    graph, times, states = known.graph, known.times, known.states
    previous = None if known.earlier is None else known.earlier.previous
    if times is None:
        return _Cut(graph, partition_pages(graph, model, k, settings, progress, previous), None)
    if model in LEARNT_MODELS:
        return _Cut(*learnt_by_times(graph, times, states, learning or LearnerSettings(), settings.seed))
    return _Cut(*cut_by_times(graph, times, states, model, settings, learning, progress, previous))


def _further(known: _Known, moved: Moves | None, settings: Settings, site_seconds: Path | None) -> dict[str, Any]:
    """What the map's origin says beside the cut's settings: of the earlier map, and of the table of seconds."""
    further = {}
    if known.earlier is not None and moved is not None:
        further = previous_settings(known.earlier.table, moved, settings)
    if site_seconds is not None:
        further["site_seconds"] = str(site_seconds.resolve())
    return further


def _write(out: Path, cut: _Cut, origin: Origin, unknown: str) -> Manifest:
    graph, partition = cut.graph, cut.partition
    return write_map(
        out,
        origin,
        k=partition.k,
        urls=graph.urls.to_pylist(),
        hashes=graph.hashes,
        parts=partition.parts,
        prefixes=partition.prefixes,
        prefix_parts=partition.prefix_parts,
        unknown=unknown,
        beside={} if cut.states is None else {STATES: cut.states.write},
    )


def _expected(
    graph: LinkGraph, partition: Partition, unknown: str, settings: Settings, folder: Path
) -> NextCrawl | None:
    """What the next crawl is expected to be; nothing, where there is no room for a second map."""
    with suppress(MapError, OSError):
        return next_crawl(graph, partition, unknown, settings.shares, folder)
    return None


def _look(graph: LinkGraph, partition: Partition, objective: str, sites: SiteSpread) -> Look:
    by_page_hash = PageHash(partition.k).owners(graph.hashes, [])
    return Look(
        cut_portrait(graph, partition.parts, partition.k, objective),
        traffic(finds_of_pages(graph, by_page_hash, partition.k)),
        sites,
    )
