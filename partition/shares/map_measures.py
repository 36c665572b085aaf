"""How good a map is for a session, measured by ranks that each have a share of the pages and links."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partition.assignment.assignment import Owners
from partition.choices import UNKNOWN_RULES
from partition.communication.ranks import Ranks
from partition.cut.balance import balance_of
from partition.graphs.link_graph import GraphError, Numbers
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from partition.measures.summed_measures import SummedMeasures
from partition.shares.link_share import LinkShare, read_link_share
from partition.shares.share_measures import share_measures
from sessions.session import Session

_URLS_PER_BATCH = 1 << 16


@dataclass(frozen=True)
class MapMeasures:
    """Figures of a map of ``parts`` parts.

    Attributes:
        pages: pages of the session.
        unknown: how many of them the map does not hold.
        rule: the map's rule, by which these have owners all the same.
        has_urls: False if the pages were imported as bare numbers, so that each URL counts 1 byte.
        found: the figures.
    """

    parts: int
    pages: int
    unknown: int
    rule: str
    has_urls: bool
    found: SummedMeasures


def map_measures(ranks: Ranks, session: Path, folder: Path) -> MapMeasures:
    """Measure the map in ``folder`` by a session, of which each rank reads a share, and of the map what it asks for.

    Raises on all ranks SessionError or MapError for what cannot be read, GraphError if there are no pages, or if some
    have no owner: the map does not hold them, and by its rule they belong to whoever finds them.
    """
    opened = ranks.each(lambda: Session.open(session))
    ranks.first(lambda: _check(folder))
    table = ranks.each(lambda: PartitionMap.open(folder, verify=False))
    links = read_link_share(ranks, opened)
    owners, unknown = ranks.each(lambda: _owners(links, table))
    missing, rule = ranks.total(unknown), table.manifest.unknown
    if missing and UNKNOWN_RULES.load(rule).depends_on_finder:
        held = f"{folder}: does not hold {missing:,} of the {links.pages:,} pages of {session}"
        raise GraphError(f"{held}, and by its rule {rule} they belong to whoever finds them")
    weights: Numbers = ranks.summed(links.weights.sum(axis=0))
    balance = balance_of(weights[None, :], table.parts, shares=table.manifest.origin.settings.get("shares"))
    found = share_measures(links, owners, balance)
    return MapMeasures(table.parts, links.pages, missing, rule, links.has_urls, found)


def _check(folder: Path) -> None:
    """Read all of the map, as one rank has to, to see whether it is whole."""
    PartitionMap.open(folder)


def _owners(links: LinkShare, table: PartitionMap) -> tuple[Owners, int]:
    """The owners of this rank's pages, int32[n], and how many of the pages the map does not hold."""
    assignment = PartitionAssignment(table, 0)
    owners, unknown = np.empty(len(links), np.int32), 0
    for first in range(0, len(links), _URLS_PER_BATCH):
        batch = slice(first, first + _URLS_PER_BATCH)
        urls = links.urls[batch].to_pylist()
        unknown += int((table.parts_of(links.hashes[batch], urls) < 0).sum())
        owners[batch] = assignment.owners(links.hashes[batch], urls)
    return owners, unknown
