"""A partition map as an assignment: the part of a known URL, and a rule for the others."""

from collections.abc import Callable, Sequence

import numpy as np

from partition.assignment.assignment import Assignment, Owners
from partition.assignment.hashing import PageHash, SiteHash
from partition.assignment.url_prefixes import url_key
from partition.map.partition_map import PartitionMap
from sessions.session import DISCOVERER
from sessions.url import Hashes


class PartitionAssignment:
    """Owner = part, for K parts on K ranks.  A URL that the map does not hold is owned by ``rule``:

    - ``prefix``: by the longest prefix in the map that it begins with, which is its site's if no other; else by the
      hash of its site;
    - ``site``: by the part that holds most of its site's pages; if the map knows none, by the hash of its site;
    - ``hash``: by the hash of its site;
    - ``page-hash``: by its own hash, which spreads what is new evenly, wherever it comes;
    - ``discoverer``: by the rank that asks (Cambazoglu, Turk and Aykanat 2004).  Two ranks may fetch one page then.

    ``rule`` None takes the map's own; ``rank`` is the rank that asks.
    """

    def __init__(self, table: PartitionMap, rank: int, rule: str | None = None) -> None:
        self._table = table
        self._rank = rank
        self._rule = rule or table.manifest.unknown
        self._by_site_hash = SiteHash(table.parts)
        self._owners_of_unknown: Callable[[Hashes, Sequence[str]], Owners] = {
            "prefix": self._by_prefix,
            "site": self._by_site,
            "hash": self._by_site_hash.owners,
            "page-hash": PageHash(table.parts).owners,
            DISCOVERER: self._by_discovery,
        }[self._rule]
        self.name = assignment_name(table.manifest.origin.model, self._rule)
        self.ranks = table.parts

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        owners = self._table.parts_of(hashes)
        unknown = np.flatnonzero(owners < 0)
        if unknown.size:
            owners[unknown] = self._owners_of_unknown(hashes[unknown], [urls[place] for place in unknown.tolist()])
        return owners

    def for_seeds(self) -> Assignment:
        """An assignment that gives each seed to one rank: this one, or by prefix where ranks would not agree."""
        return PartitionAssignment(self._table, self._rank, "prefix") if self._rule == DISCOVERER else self

    def asked_by(self, rank: int) -> Assignment:
        """The same assignment as another rank asks it; of a rank that there is not, what is unknown goes by hash."""
        if self._rule != DISCOVERER:
            return self
        return PartitionAssignment(self._table, rank, DISCOVERER if rank < self.ranks else "hash")

    def _by_prefix(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        match = self._table.prefixes.longest_match
        return self._or_by_hash([match(url_key(url)) for url in urls], hashes, urls)

    def _by_site(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return self._or_by_hash(list(map(self._table.part_of_site, urls)), hashes, urls)

    def _by_discovery(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return np.full(len(urls), self._rank, np.int32)

    def _or_by_hash(self, parts: list[int], hashes: Hashes, urls: Sequence[str]) -> Owners:
        owners = np.array(parts, np.int32)
        strange = np.flatnonzero(owners < 0)
        if strange.size:
            owners[strange] = self._by_site_hash.owners(hashes[strange], [urls[place] for place in strange.tolist()])
        return owners


def assignment_name(model: str, rule: str) -> str:
    """What a session calls this assignment: the model, and the rule for unknown URLs if it is not by prefix."""
    return f"{model}-partition" if rule == "prefix" else f"{model}-partition/{rule}"
