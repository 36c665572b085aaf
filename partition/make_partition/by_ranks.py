"""Making a partition by several ranks, none of which holds all links."""

from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from partition.choices import DEFAULT_RULE
from partition.communication.ranks import Ranks
from partition.cut.balance import Balance, balance_of
from partition.cut.effort import EFFORTS
from partition.graphs.link_graph import too_many_parts_error
from partition.make_partition.made_partition import MadePartition, naming_session
from partition.make_partition.map_origin import cut_settings, map_origin, previous_settings
from partition.map.partition_map import PartitionMap
from partition.map.spilled_rows import Rows
from partition.map.write_map import build_map
from partition.models.partition_pages import Partition
from partition.models.settings import LINKS, Settings
from partition.shares.cut_groups import GROUPINGS, GroupsCut, cut_groups
from partition.shares.cut_shares import ONE_RANK_LIMIT, Cutting, cut_shares
from partition.shares.earlier_names import under_earlier_names
from partition.shares.link_share import LinkShare, read_link_share
from partition.shares.share_measures import share_measures
from sessions.analysis.completeness import incomplete
from sessions.progress import Say
from sessions.session import Session, check_claimable


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
    progress: Say,
) -> MadePartition:
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
    with naming_session(session):
        balance = _balance(links, k, settings)
        best, prefixes, vertices = _cut(links, model, balance, settings, one_rank_limit, progress)
    moved, further = None, {}
    if table:
        parts, prefixes, moved = under_earlier_names(table, links, best.parts, prefixes, balance)
        best = best._replace(parts=parts)
        further = previous_settings(table, moved, settings)
    progress("writing the map")
    found = share_measures(links, best.parts, balance)
    told = cut_settings(settings, vertices, best.setting) | {"ranks": ranks.size, "one_rank_limit": one_rank_limit}
    partition = Partition(model, k, best.parts, [], best.parts[:0], told, best.excess == 0, found.excesses)
    seconds = perf_counter() - began
    manifest = build_map(
        out,
        map_origin(opened, partition, found, settings, has_urls=links.has_urls, seconds=seconds, further=further),
        k=k,
        rows=[Rows(links.urls, links.hashes, best.parts.astype(np.uint16))],
        prefixes=prefixes,
        unknown=unknown,
        ranks=ranks,
    )
    return MadePartition(
        manifest=manifest,
        partition=partition,
        settings=settings,
        measures=found,
        moves=moved,
        pages=links.pages,
        has_urls=links.has_urls,
        seconds=perf_counter() - began,
        incomplete=incomplete(opened),
    )


def _balance(links: LinkShare, k: int, settings: Settings) -> Balance:
    """How heavy each of ``k`` parts of all ranks' pages may be."""
    if k > links.pages:
        raise too_many_parts_error(k, links.pages, "pages")
    whole = links.ranks.summed(links.weights.sum(axis=0))
    return balance_of(whole[None, :], k, list(settings.tolerances.values()), settings.shares)


def _cut(
    links: LinkShare, model: str, balance: Balance, settings: Settings, one_rank_limit: int, progress: Say
) -> GroupsCut:
    """The best cut; without groups the pages are the vertices, and prefixes follow from their parts."""
    asked = Cutting(
        balance, EFFORTS[settings.effort], settings.seed, settings.threads, one_rank_limit, settings.kahypar
    )
    of_links = settings.objective == LINKS
    if model in GROUPINGS:
        return cut_groups(links, model, asked, progress, of_links=of_links)
    return GroupsCut(cut_shares(links, asked, progress, of_links=of_links), None, links.pages)
