"""The in-degrees of domains as this rank was told last."""

import numpy as np

from crawler.budgets.ranking import Degrees
from crawler.generations import Generations
from sessions.hashsets import distinct
from sessions.url import Hashes

_DEGREE = "degree"
_MOST_MISSING = 1 << 16


class KnownDegrees:
    """In-degrees by domain, in at most ``budget`` bytes: 24 to 48 for each domain.

    When that is used up, those are forgotten that were first asked for the longest ago; they are then as 0.  What was
    looked for in vain, because it was forgotten or a crawl goes on from disk, is noted to be asked for.
    """

    def __init__(self, budget: int) -> None:
        self._told = Generations(budget, {_DEGREE: np.uint32})
        self._missing: set[int] = set()
        self._turn = 0

    def __len__(self) -> int:
        return len(self._told.young) + len(self._told.old)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        return self._told.nbytes

    def of(self, domains: Hashes) -> Degrees:
        """The in-degree of each domain, 0 where none was told: uint32[n] for uint64[n]."""
        degrees, is_missing = np.zeros(len(domains), np.uint32), np.ones(len(domains), bool)
        for table in (self._told.old, self._told.young):
            slots = table.find(domains)
            is_here = slots >= 0
            degrees[is_here] = table.values[_DEGREE][slots[is_here]]
            is_missing[is_here] = False
        room = _MOST_MISSING - len(self._missing)
        self._missing.update(domains[is_missing][:room].tolist())
        return degrees

    def of_one(self, domain: int) -> int:
        """`of` for a single domain."""
        for table in (self._told.young, self._told.old):
            if (slot := table.slot_of(domain)) >= 0:
                return int(table.values[_DEGREE][slot])
        if len(self._missing) < _MOST_MISSING:
            self._missing.add(domain)
        return 0

    def take_missing(self) -> Hashes:
        """The domains that were looked for in vain since the last call, 65,536 at most: distinct, uint64[n]."""
        missing = np.fromiter(self._missing, np.uint64, len(self._missing))
        self._missing.clear()
        return missing

    def renew(self, domains: Hashes, degrees: Degrees) -> None:
        """Note what was told anew of domains that are known."""
        for table in (self._told.young, self._told.old):
            slots = table.find(domains)
            is_here = slots >= 0
            table.values[_DEGREE][slots[is_here]] = degrees[is_here]

    def note(self, domains: Hashes, degrees: Degrees) -> None:
        """Note what was told of distinct domains that this rank needs now."""
        self.renew(domains, degrees)
        new = ~self._told.young.contains(domains)
        self._told.insert(domains[new], {_DEGREE: degrees[new]})

    def in_turn(self, count: int) -> Hashes:
        """The next so many of the known domains, all of them in turn: uint64[n], n <= ``count``.

        By ascending hash, so that those who count them find them together.
        """
        known = np.concatenate([table.keys(table.occupied()) for table in (self._told.young, self._told.old)])
        due = known[known >= np.uint64(self._turn)]
        if len(due) <= count:
            self._turn = 0
            return distinct(due)
        due = np.partition(due, count - 1)[:count]
        self._turn = int(due[-1]) + 1
        return distinct(due)
