"""The in-degrees of domains as this rank was told last, and its part of the URLs that wait for them on all ranks."""

import numpy as np
import numpy.typing as npt

from crawler.frontier.budgets.ranking import Degrees
from crawler.urls.generational_table import GenerationalTable
from crawler.urls.hash_table import HashTable
from sessions.hash_arrays import distinct
from sessions.url import Hashes

Waiting = npt.NDArray[np.int64]
Forgotten = tuple[Hashes, Waiting]
"""Domains, and how many waiting URLs of each this rank has told of: uint64[n], int64[n]."""

_DEGREE, _TOLD, _ALL = "degree", "told", "all"
_COLUMNS = {_DEGREE: np.uint32, _TOLD: np.int32, _ALL: np.int32}
_MOST_MISSING = 1 << 16


class KnownDegrees:
    """In-degrees by domain, in at most ``budget`` bytes: 40 to 80 for each domain.

    When that is used up, those are forgotten that were first asked for the longest ago; they are then as 0.  What was
    looked for in vain, because it was forgotten or a crawl goes on from disk, is noted to be asked for.
    """

    def __init__(self, budget: int) -> None:
        self._told = GenerationalTable(budget, _COLUMNS)
        self._forgotten: list[Forgotten] = []
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

    def told(self, domains: Hashes) -> Waiting:
        """How many waiting URLs of each domain this rank has told of, 0 where none: int64[n] for uint64[n]."""
        return self._column(_TOLD, domains)

    def parts(self, domains: Hashes) -> npt.NDArray[np.float64]:
        """This rank's part of the URLs that wait of each domain, by what ranks told: float64[n] for uint64[n].

        1 where it has told of none: what nobody knows of is divided with nobody.
        """
        told = self.told(domains)
        return np.where(told > 0, told / np.maximum(self._column(_ALL, domains), np.maximum(told, 1)), 1.0)

    def renew(self, domains: Hashes, degrees: Degrees, told: Waiting, of_all: Waiting) -> None:
        """Note what was told anew of domains that are known: their in-degrees and waiting URLs, by this rank and all.

        uint64[n], uint32[n], int64[n] and int64[n].
        """
        for table in (self._told.young, self._told.old):
            slots = table.find(domains)
            is_here = slots >= 0
            slots = slots[is_here]
            for name, column in ((_DEGREE, degrees), (_TOLD, told), (_ALL, of_all)):
                table.values[name][slots] = column[is_here]

    def note(self, domains: Hashes, degrees: Degrees, told: Waiting, of_all: Waiting) -> None:
        """Note what was told of distinct domains that this rank needs now, as in `renew`."""
        self.renew(domains, degrees, told, of_all)
        new = ~self._told.young.contains(domains)
        columns = {_DEGREE: degrees[new], _TOLD: told[new].astype(np.int32), _ALL: of_all[new].astype(np.int32)}
        forgotten = self._told.insert(domains[new], columns)
        if forgotten is not None:
            self._forget(forgotten)

    def take_forgotten(self) -> Forgotten:
        """What was forgotten since the last call of which this rank had told: nobody here will tell of a change."""
        forgotten, self._forgotten = self._forgotten, []
        domains = [domains for domains, _ in forgotten]
        told = [told for _, told in forgotten]
        return np.concatenate([np.empty(0, np.uint64), *domains]), np.concatenate([np.empty(0, np.int64), *told])

    def _forget(self, table: HashTable) -> None:
        slots = table.occupied()
        slots = slots[table.values[_TOLD][slots] != 0]
        domains = table.keys(slots)
        is_gone = ~self._told.contains(domains)
        self._forgotten.append((domains[is_gone], table.values[_TOLD][slots[is_gone]].astype(np.int64)))

    def _column(self, name: str, domains: Hashes) -> Waiting:
        values = np.zeros(len(domains), np.int64)
        for table in (self._told.old, self._told.young):
            slots = table.find(domains)
            is_here = slots >= 0
            values[is_here] = table.values[name][slots[is_here]]
        return values

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
