"""How many back-links were counted: of all, on disk if need be, or of those that came last, in memory."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.drum.drum import Drum
from crawler.drum.kind import CHECK_UPDATE, Answers, Kind, UpdateRule
from crawler.urls.batch import Mask
from crawler.urls.generational_table import GenerationalTable
from sessions.url import Hashes

Counts = npt.NDArray[np.uint32]

_KIND = Kind({"links": (np.dtype("<u4"), UpdateRule.ADD)})


class BackLinkCounts:
    """Counts by hash, in a DRUM ``name`` of about ``memory`` bytes and files in ``folder``.

    Once they do not fit in memory, counts lag by what waits for a merge.
    """

    def __init__(self, folder: Path, name: str, memory: int) -> None:
        self._drum = Drum(folder, name, _KIND, budget=memory, choose=_all)

    def add(self, units: Hashes, more: Counts) -> Hashes:
        """Count more back-links, uint32[n], of distinct URLs or sites; return those whose count is another now."""
        values = np.zeros(len(units), _KIND.value)
        values["links"] = more
        changed = [answers.keys for answers in self._drum.put(units, CHECK_UPDATE, values)]
        return np.concatenate([np.empty(0, np.uint64), *changed])

    def of(self, units: Hashes) -> Counts:
        """The count of each, as far as it was merged: uint32[n] for uint64[n]."""
        return np.ascontiguousarray(self._drum.look_up(units)[1]["links"])

    def flush(self) -> None:
        """Count all that waits for a merge."""
        for _ in self._drum.flush():
            pass

    def close(self) -> None:
        """The crawl has ended."""
        self._drum.close()


class RecentCounts:
    """Counts by hash, in at most ``memory`` bytes: when that is used up, those not counted for long are forgotten."""

    def __init__(self, memory: int) -> None:
        self._counts = GenerationalTable(memory, {"links": np.uint32})

    def add(self, units: Hashes, more: Counts) -> None:
        """Count more back-links, uint32[n], of distinct URLs."""
        self.put(units, self.of(units) + more)

    def put(self, units: Hashes, counts: Counts) -> None:
        """Set the counts of distinct URLs."""
        young = self._counts.young
        slots = young.find(units)
        is_known = slots >= 0
        young.values["links"][slots[is_known]] = counts[is_known]
        self._counts.insert(units[~is_known], {"links": counts[~is_known]})

    def of(self, units: Hashes) -> Counts:
        """The count of each, 0 where none is known: uint32[n] for uint64[n]."""
        counts = np.zeros(len(units), np.uint32)
        for table in (self._counts.old, self._counts.young):
            slots = table.find(units)
            is_here = slots >= 0
            counts[is_here] = table.values["links"][slots[is_here]]
        return counts


def _all(answers: Answers) -> Mask:
    return np.ones(len(answers.keys), bool)


def added_up(units: Hashes, links: Counts) -> tuple[Hashes, Counts]:
    """Return each URL or site once, with the sum of its counts: uint64[m] ascending and uint32[m]."""
    if not len(units):
        return units, links
    order = np.argsort(units, kind="stable")
    in_order = units[order]
    starts = np.flatnonzero(np.append(True, in_order[1:] != in_order[:-1]))
    return in_order[starts], np.add.reduceat(links[order], starts).astype(np.uint32)
