"""Making a partition: from a finished session to the map that the next session's ranks own pages by."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from partition.assignment.assignment import Owners
from partition.assignment.hashing import PageHash
from partition.choices import DEFAULT_RULE, LEARNT_MODELS, WEIGHTS
from partition.communication.ranks import Ranks
from partition.cut.balance import Balance, balance_of
from partition.cut.effort import EFFORTS
from partition.cut.metis import MetisError
from partition.cut.multilevel import Progress
from partition.graphs.link_graph import GraphError, LinkGraph, link_graph
from partition.graphs.site_seconds import with_seconds
from partition.map.manifest import Manifest, MapError, Origin
from partition.map.partition_map import PartitionMap
from partition.map.spilled_rows import Rows
from partition.map.write_map import build_map, write_map
from partition.measures.cut_portrait import CutPortrait, cut_portrait
from partition.measures.measures import Measures, SiteSpread, measures
from partition.measures.moves import Moves, moves
from partition.measures.next_crawl import NextCrawl, next_crawl
from partition.measures.summed_measures import SummedMeasures
from partition.measures.traffic import Traffic, finds_of_pages, traffic
from partition.models.partition_pages import LINKS, Partition, Settings, partition_pages
from partition.models.previous_owners import previous_owners
from partition.shares.cut_groups import GROUPINGS, cut_groups
from partition.shares.cut_shares import ONE_RANK_LIMIT, Cutting, cut_shares
from partition.shares.earlier_names import under_earlier_names
from partition.shares.link_share import LinkShare, read_link_share
from partition.shares.share_measures import share_measures
from partition.streaming.batches import BATCH_PAGES, Batches, in_batches
from partition.streaming.streamed_cut import Streaming, streamed_cut
from partition.twoma.by_times import cut_by_times, learnt_by_times
from partition.twoma.learner import LearnerSettings
from partition.twoma.rank_seconds import states_of_map
from partition.twoma.site_states import STATES, SiteStates, states_beside
from partition.twoma.site_times import site_times, whole_site_times
from sessions.analysis.completeness import Incomplete, incomplete
from sessions.session import Session, check_claimable
from sessions.storage.temporary_folder import scratch_folder


@dataclass(frozen=True)
class Look:
    """A cut as one looks at it, what the same pages would send each other by page hash, and how sites are spread."""

    portrait: CutPortrait
    by_page_hash: Traffic
    sites: SiteSpread


@dataclass(frozen=True)
class Made:
    """A map that was written, the partition in it, the settings that it was asked for with, and how good it is.

    Without URLs volumes are counted in links only.  ``moves`` are from the previous map, if there was one.  ``seconds``
    are what reading, cutting, measuring and writing took together.  ``incomplete`` says how the session ended early.
    ``next_crawl`` is what is expected where a fifth of the pages is new, None if nothing can be said.  ``look`` is what
    a page shows besides, if it was asked for.
    """

    manifest: Manifest
    partition: Partition
    settings: Settings
    measures: Measures | SummedMeasures
    moves: Moves | None
    next_crawl: NextCrawl | None
    pages: int
    has_urls: bool
    seconds: float
    incomplete: Incomplete | None
    look: Look | None = None


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
    progress: Progress,
) -> Made:
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
    is_learnt = model in LEARNT_MODELS
    if is_learnt:
        settings = replace(settings, balance={})
    needs_times = is_learnt or _needs_times(settings, site_seconds)
    states = _earlier_states(previous if needs_times else None, k, is_learnt=is_learnt)
    table = PartitionMap.open(previous) if previous else None
    progress("reading the session")
    opened = Session.open(session)
    times = (whole_site_times if is_learnt else site_times)(opened, k) if needs_times else None
    graph = link_graph(opened)
    if site_seconds is not None:
        graph = with_seconds(graph, site_seconds)
    memory = previous_owners(table, graph) if table else None
    after = None
    try:
        if times is None:
            partition = partition_pages(graph, model, k, settings, progress, memory)
        elif is_learnt:
            graph, partition, after = learnt_by_times(
                graph, times, states, learning or LearnerSettings(), settings.seed
            )
        else:
            graph, partition, after = cut_by_times(graph, times, states, model, settings, learning, progress, memory)
    except (GraphError, MetisError) as error:
        raise GraphError(f"{session}: {error}") from error
    progress("writing the map")
    found = measures(graph, partition.parts, k, None, shares=settings.shares)
    moved = moves(memory.owners, partition.parts, graph.bytes) if memory else None
    further = _memory(table, moved, settings) if table and moved else {}
    further |= {} if site_seconds is None else {"site_seconds": str(site_seconds.resolve())}
    manifest = write_map(
        out,
        _origin(opened, partition, found, graph.has_urls, settings, perf_counter() - began, further),
        k=k,
        urls=graph.urls.to_pylist(),
        hashes=graph.hashes,
        parts=partition.parts,
        prefixes=partition.prefixes,
        prefix_parts=partition.prefix_parts,
        unknown=unknown,
        beside={} if after is None else {STATES: after.write},
    )
    expected = _expected(graph, partition, unknown, settings.shares, out.parent)
    seconds = perf_counter() - began
    return Made(
        manifest,
        partition,
        settings,
        found,
        moved,
        expected,
        len(graph),
        graph.has_urls,
        seconds,
        incomplete(opened),
        _look(graph, partition, settings.objective, found.sites) if with_look else None,
    )


def make_partition_by_ranks(
    ranks: Ranks,
    session: Path,
    model: str,
    k: int,
    out: Path,
    settings: Settings,
    *,
    unknown: str = DEFAULT_RULE,
    previous: Path | None = None,
    one_rank_limit: int = ONE_RANK_LIMIT,
    progress: Progress,
) -> Made:
    """Have all ranks do what `make_partition` does by the models `page`, `site` and `prefix`.

    Each rank reads a share of ``session`` and writes one of the map, and has the parts of its own pages in what is
    returned; when ``one_rank_limit`` vertices are left, one rank can cut them (`partition.shares`).  Bytes and requests
    can be balanced.  The ``previous`` map gives parts their names and no more.  Raises on all ranks what
    `make_partition` raises.
    """
    began = perf_counter()
    ranks.first(lambda: check_claimable(out))
    table = ranks.each(lambda: PartitionMap.open(previous)) if previous else None
    progress(f"reading the session on {ranks.size} ranks")
    opened = ranks.each(lambda: Session.open(session))
    links = read_link_share(ranks, opened, whole_sites=model in GROUPINGS)
    links = replace(links, balanced=tuple(settings.tolerances))
    of_links = settings.objective == LINKS
    try:
        balance = _balance_by_ranks(links, k, settings)
        asked = Cutting(
            balance, EFFORTS[settings.effort], settings.seed, settings.threads, one_rank_limit, settings.kahypar
        )
        if model in GROUPINGS:
            best, prefixes, vertices = cut_groups(links, model, asked, progress, of_links=of_links)
        else:
            best, prefixes, vertices = cut_shares(links, asked, progress, of_links=of_links), None, links.pages
    except (GraphError, MetisError) as error:
        raise GraphError(f"{session}: {error}") from error
    moved = None
    if table:
        parts, prefixes, moved = under_earlier_names(table, links, best.parts, prefixes, balance)
        best = best._replace(parts=parts)
    progress("writing the map")
    found = share_measures(links, best.parts, balance)
    told = _asked(settings, vertices, best.setting) | {"ranks": ranks.size, "one_rank_limit": one_rank_limit}
    partition = Partition(model, k, best.parts, [], best.parts[:0], told, best.excess == 0, found.excesses)
    further = _memory(table, moved, settings) if table and moved else {}
    manifest = build_map(
        out,
        _origin(opened, partition, found, links.has_urls, settings, perf_counter() - began, further),
        k=k,
        rows=[Rows(links.urls, links.hashes, best.parts.astype(np.uint16))],
        prefixes=prefixes,
        unknown=unknown,
        ranks=ranks,
    )
    seconds = perf_counter() - began
    return Made(
        manifest, partition, settings, found, moved, None, links.pages, links.has_urls, seconds, incomplete(opened)
    )


def make_partition_by_streaming(
    session: Path,
    k: int,
    out: Path,
    settings: Settings,
    *,
    unknown: str = DEFAULT_RULE,
    batch_pages: int = BATCH_PAGES,
    progress: Progress,
) -> Made:
    """Do what `make_partition` does by the model `page`, with no list of links in memory (`partition.streaming`).

    What is sent is kept small, and bytes and requests can be balanced.  ``batch_pages`` are refined at once.  Pages and
    links lie in a folder beside ``out`` meanwhile.  Raises what `make_partition` raises.
    """
    began = perf_counter()
    check_claimable(out)
    opened = Session.open(session)
    balanced = settings.tolerances
    with _scratch_beside(out) as folder:
        progress("sorting pages and links into batches")
        with in_batches(opened, folder, batch_pages) as batches:
            asked = Streaming(
                tuple(balanced),
                tuple(balanced.values()),
                settings.shares,
                settings.effort,
                settings.seed,
                settings.threads,
                settings.kahypar,
            )
            try:
                best = streamed_cut(batches, k, asked, progress)
            except (GraphError, MetisError) as error:
                raise GraphError(f"{session}: {error}") from error
            progress("writing the map")
            found, pages, has_urls = best.measures, len(batches.pages), batches.pages.has_urls
            told = _asked(settings, pages, best.setting) | {"streaming": True, "batches": len(batches)}
            partition = Partition("page", k, best.parts, [], best.parts[:0], told, found.excess == 0, found.excesses)
            manifest = build_map(
                out,
                _origin(opened, partition, found, has_urls, settings, perf_counter() - began, {}),
                k=k,
                rows=_rows_of(batches, best.parts),
                prefixes=None,
                unknown=unknown,
            )
    seconds = perf_counter() - began
    return Made(manifest, partition, settings, found, None, None, pages, has_urls, seconds, incomplete(opened))


def _earlier_states(previous: Path | None, k: int, *, is_learnt: bool) -> SiteStates:
    """What has been learnt of sites before, by an earlier map's own learner or from its parts."""
    if previous is None:
        return SiteStates.none(k)
    return states_beside(previous, k) if is_learnt else states_of_map(previous, k)


def _expected(
    graph: LinkGraph, partition: Partition, unknown: str, shares: tuple[float, ...] | None, folder: Path
) -> NextCrawl | None:
    """What the next crawl is expected to be; nothing, where there is no room for a second map."""
    with suppress(MapError, OSError):
        return next_crawl(graph, partition, unknown, shares, folder)
    return None


def _needs_times(settings: Settings, site_seconds: Path | None) -> bool:
    """Does a cut need what the session's sites took?"""
    return bool(settings.time_cost) or ("seconds" in settings.balance and site_seconds is None)


@contextmanager
def _scratch_beside(out: Path) -> Iterator[Path]:
    """A folder beside one to be made; MapError if there is no room for what is put there."""
    try:
        with scratch_folder(".streaming-", out.absolute().parent) as folder:
            yield folder
    except OSError as error:
        raise MapError(f"{out}: {error.strerror or error}") from error


def _rows_of(batches: Batches, parts: Owners) -> Iterator[Rows]:
    """The pages of all batches as rows of a map."""
    for batch in range(len(batches)):
        first, size = batches.span(batch)
        pages = batches.rows(batch)
        yield Rows(pages["url"], pages["hash"].to_numpy(), parts[first : first + size].astype(np.uint16))


def _asked(settings: Settings, vertices: int, won: str) -> dict[str, Any]:
    """What was asked, and what found the best cut, for the manifest."""
    asked = {"objective": settings.objective, "tolerance": settings.tolerance, "balance": settings.tolerances}
    return asked | {"effort": settings.effort, "vertices": vertices, "won": won}


def _balance_by_ranks(links: LinkShare, k: int, settings: Settings) -> Balance:
    if k > links.pages:
        raise GraphError(f"{k} parts of {links.pages:,} pages: some would be empty")
    whole = links.ranks.summed(links.weights.sum(axis=0))
    return balance_of(whole[None, :], k, list(settings.tolerances.values()), settings.shares)


def _look(graph: LinkGraph, partition: Partition, objective: str, sites: SiteSpread) -> Look:
    hashed = PageHash(partition.k).owners(graph.hashes, [])
    return Look(
        cut_portrait(graph, partition.parts, partition.k, objective),
        traffic(finds_of_pages(graph, hashed, partition.k)),
        sites,
    )


def _origin(
    session: Session,
    partition: Partition,
    found: Measures | SummedMeasures,
    has_urls: bool,
    settings: Settings,
    seconds: float,
    further: dict[str, Any],
) -> Origin:
    traffic = found.pages
    in_bytes = {"sent_bytes": traffic.sent_bytes, "cut_bytes": traffic.cut_bytes} if has_urls else {}
    return Origin(
        model=partition.model,
        session=str(session.path.resolve()),
        run=session.header.get("run"),
        objective=settings.objective,
        weights=tuple(WEIGHTS.load(name).unit for name in settings.balance),
        volumes={**in_bytes, "sent_links": traffic.sent_links, "cut_links": traffic.cut_links},
        imbalances={WEIGHTS.load(name).unit: imbalance for name, imbalance in found.imbalances.items()},
        settings=_settings(partition, settings, seconds) | further,
        seed=settings.seed,
    )


def _settings(partition: Partition, settings: Settings, seconds: float) -> dict[str, Any]:
    return {
        **partition.settings,
        "shares": None if settings.shares is None else list(settings.shares),
        "shares_are_measured": settings.shares_are_measured,
        "is_balanced": partition.is_balanced,
        "seconds": round(seconds, 3),
    }


def _memory(previous: PartitionMap, moved: Moves, settings: Settings) -> dict[str, Any]:
    """What the manifest's settings say of the earlier map, and of what its owners lose."""
    return {
        "previous": str(previous.folder.resolve()),
        "previous_parts": previous.parts,
        "migration_cost": settings.migration_cost,
        "previous_pages": moved.pages,
        "previous_bytes": moved.bytes,
        "moved_pages": moved.moved_pages,
        "moved_bytes": moved.moved_bytes,
    }
