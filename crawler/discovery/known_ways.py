"""URLs with the shortest ways on which they came lately, in bounded memory."""

from typing import NamedTuple

import numpy as np

from crawler.urls.batch import Depths, Hops, Mask
from crawler.urls.generational_table import GenerationalTable
from crawler.urls.shortest_ways import shortest_ways
from sessions.url import Hashes

_WAY = {"depth": np.uint16, "hops": np.uint8}


class Ways(NamedTuple):
    """Ways to n URLs: uint64[n], uint16[n], uint8[n]."""

    hashes: Hashes
    depths: Depths
    hops: Hops


class KnownWays:
    """The shortest ways to URLs, as far as they fit in ``budget`` bytes: those that came first are forgotten first."""

    def __init__(self, budget: int) -> None:
        self._table = GenerationalTable(budget, _WAY)

    def note(self, ways: Ways) -> None:
        """Note ways; of a URL that comes several times, the least depth and hops."""
        hashes, depths, hops = ways
        if (shortest := shortest_ways(*ways)) is not None:
            hashes, depths, hops = hashes[shortest.firsts], shortest.depths, shortest.hops
        young = self._table.young
        slots = young.find(hashes)
        is_there = slots >= 0
        if is_there.any():
            its, columns = slots[is_there], young.values
            columns["depth"][its] = np.minimum(columns["depth"][its], depths[is_there])
            columns["hops"][its] = np.minimum(columns["hops"][its], hops[is_there])
            hashes, depths, hops = hashes[~is_there], depths[~is_there], hops[~is_there]
        self._table.insert(hashes, {"depth": depths, "hops": hops})

    def are_covered(self, ways: Ways) -> Mask:
        """Which URLs are known on a way that is as short: bool[n].  Of others it is not known."""
        are_covered = np.zeros(len(ways.hashes), bool)
        for table in (self._table.young, self._table.old):
            slots = table.find(ways.hashes)
            is_near = (table.values["depth"][slots] <= ways.depths) & (table.values["hops"][slots] <= ways.hops)
            are_covered |= (slots >= 0) & is_near
        return are_covered

    def shortest(self, ways: Ways) -> Ways:
        """The same URLs on the shortest ways that are known, these among them."""
        hashes, depths, hops = ways.hashes, ways.depths.copy(), ways.hops.copy()
        for table in (self._table.old, self._table.young):
            slots = table.find(hashes)
            found = slots >= 0
            depths[found] = np.minimum(depths[found], table.values["depth"][slots[found]])
            hops[found] = np.minimum(hops[found], table.values["hops"][slots[found]])
        return Ways(hashes, depths, hops)

    def shortest_way(self, url_hash: int, depth: int, hops: int) -> tuple[int, int]:
        """`shortest` for a single URL."""
        for table in (self._table.old, self._table.young):
            slot = table.slot_of(url_hash)
            if slot >= 0:
                depth, hops = min(depth, table.values["depth"].item(slot)), min(hops, table.values["hops"].item(slot))
        return depth, hops
