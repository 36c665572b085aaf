"""Who owns a URL that a map does not hold: the rules, each the same on all ranks but for that of the paper."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from partition.assignment.assignment import Owners
from partition.assignment.hashing import PageHash, SiteHash
from partition.map.partition_map import PartitionMap
from sessions.url import Hashes

OwnersOf = Callable[[Hashes, Sequence[str]], Owners]
"""The owners of n unknown URLs: uint64[n] and their texts -> int32[n]."""


@dataclass(frozen=True)
class UnknownRule:
    """``owners`` of a map and the rank that asks; ``depends_on_finder`` if two ranks may get different answers."""

    owners: Callable[[PartitionMap, int], OwnersOf]
    depends_on_finder: bool = False


def _by_prefix(table: PartitionMap, _rank: int) -> OwnersOf:
    return _or_by_site_hash(table, table.part_by_prefix)


def _by_site(table: PartitionMap, _rank: int) -> OwnersOf:
    return _or_by_site_hash(table, table.part_of_site)


def _by_finder(_table: PartitionMap, rank: int) -> OwnersOf:
    return lambda hashes, _urls: np.full(len(hashes), rank, np.int32)


def _or_by_site_hash(table: PartitionMap, part_of: Callable[[str], int]) -> OwnersOf:
    """The part of each URL, and by the hash of its site where that is -1."""
    by_site_hash = SiteHash(table.parts)

    def owners_of(hashes: Hashes, urls: Sequence[str]) -> Owners:
        owners = np.array(list(map(part_of, urls)), np.int32)
        strange = np.flatnonzero(owners < 0)
        if strange.size:
            owners[strange] = by_site_hash.owners(hashes[strange], [urls[place] for place in strange.tolist()])
        return owners

    return owners_of


BY_PREFIX = UnknownRule(_by_prefix)
"""The longest prefix in the map that the URL begins with, which is its site's if no other; else the site's hash."""
BY_SITE = UnknownRule(_by_site)
"""The part that holds most of the site's pages; if the map knows none, the site's hash."""
BY_SITE_HASH = UnknownRule(lambda table, _rank: SiteHash(table.parts).owners)
"""The hash of the site."""
BY_PAGE_HASH = UnknownRule(lambda table, _rank: PageHash(table.parts).owners)
"""The URL's own hash, which spreads what is new evenly, wherever it comes."""
BY_FINDER = UnknownRule(_by_finder, depends_on_finder=True)
"""The rank that asks (Cambazoglu, Turk and Aykanat 2004).  Two ranks may fetch one page then."""
