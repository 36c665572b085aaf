"""A partition map as an assignment: the part of a known URL, and a rule for the others."""

from collections.abc import Sequence

import numpy as np

from partition.assignment.assignment import Assignment, Owners
from partition.choices import UNKNOWN_RULES
from partition.map.partition_map import PartitionMap
from partition.map.unknown_rules import UnknownRule
from sessions.url import Hashes

_AGREED = "prefix"
"""The rule for seeds where the rule itself asks who finds a URL."""


class PartitionAssignment:
    """Owner = part, for K parts on K ranks.  A URL that the map does not hold is owned by ``rule`` (`UNKNOWN_RULES`).

    ``rule`` None takes the map's own; ``rank`` is the rank that asks.  Raises ValueError for a rule that there is not.
    """

    def __init__(self, table: PartitionMap, rank: int, rule: str | None = None) -> None:
        self._table = table
        self._name = rule or table.manifest.unknown
        self._rule: UnknownRule = UNKNOWN_RULES.load(self._name)
        self._owners_of_unknown = self._rule.owners(table, rank)
        self._rank = rank
        self.name = assignment_name(table.manifest.origin.model, self._name)
        self.ranks = table.parts

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        owners = self._table.parts_of(hashes, urls)
        unknown = np.flatnonzero(owners < 0)
        if unknown.size:
            owners[unknown] = self._owners_of_unknown(hashes[unknown], [urls[place] for place in unknown.tolist()])
        return owners

    def for_seeds(self) -> Assignment:
        """An assignment that gives each seed to one rank: this one, or by prefix where ranks would not agree."""
        return PartitionAssignment(self._table, self._rank, _AGREED) if self._rule.depends_on_finder else self

    def asked_by(self, rank: int) -> Assignment:
        """The same assignment as another rank asks it; of a rank that there is not, what is unknown goes by hash."""
        if not self._rule.depends_on_finder:
            return self
        return PartitionAssignment(self._table, rank, self._name if rank < self.ranks else "hash")


def assignment_name(model: str, rule: str) -> str:
    """What a session calls this assignment: the model, and the rule for unknown URLs if it is not by prefix."""
    return f"{model}-partition" if rule == "prefix" else f"{model}-partition/{rule}"
