"""URL-seen: the URLs that a rank has dealt with before, each with the shortest way there, on a DRUM.

A rank has two: one of the URLs that it owns, which are queued once, and one of those that it has sent to their owners,
which are sent once.  As long as all fit in the budget of memory a URL is dealt with at once; later when the DRUM
merges, and then the URLs that were met last are remembered beside it, since most links lead to URLs met not long ago.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.discovery.depth_limits import Limits
from crawler.drum.drum import Drum
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import CHECK_UPDATE, UPDATE, Answers, Kind, Rule, Values
from crawler.urls.batch import Depths, Hops, Mask, UrlBatch
from crawler.urls.generational_table import GenerationalTable
from sessions.url import Hashes

KIND = Kind(
    {"depth": (np.uint16, Rule.MINIMUM), "hops": (np.uint8, Rule.MINIMUM)},
    np.dtype([("flags", np.uint8), ("owner", np.uint16)]),
)
"""Of each URL its least depth and least number of redirect hops; with it travel its link's flags and its owner."""
_SHARE_NEARER, _SHARE_MET = 8, 4
_WAY = {"depth": np.uint16, "hops": np.uint8}


def drum_budget(budget: int) -> int:
    """How many of a budget's bytes are the DRUM's; the rest is for what is remembered beside it."""
    return budget - budget // _SHARE_NEARER - budget // _SHARE_MET


class Met(NamedTuple):
    """URLs that are to be dealt with: met for the first time, or (not ``is_new``) within the limits only now.

    ``owners`` uint16[n] as they were given, ``is_new`` bool[n].
    """

    batch: UrlBatch
    owners: npt.NDArray[np.uint16]
    is_new: Mask

    def where(self, mask: Mask) -> "Met":
        """Those for which ``mask`` holds, in order."""
        if mask.all():
            return self
        return Met(self.batch.where(mask), self.owners[mask], self.is_new[mask])


class Seen:
    """URLs by hash, in about ``budget`` bytes of memory and files ``name``.* in ``folder``.

    What is to be dealt with is handed to ``deal``, before `meet` returns or at a later merge.  It must not call this
    object.  ``keep_alive`` serves again and again during a merge; ``on_nearer`` is told of URLs that
    were known and have been found on a shorter way.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        budget: int,
        limits: Limits,
        deal: Callable[[Met], None],
        keep_alive: KeepAlive = NOTHING_TO_SERVE,
        on_nearer: Callable[[Hashes, Depths, Hops], None] = lambda hashes, depths, hops: None,
    ) -> None:
        self._limits = limits
        self._deal = deal
        self._on_nearer = on_nearer
        self._nearer = GenerationalTable(budget // _SHARE_NEARER, _WAY)
        self._met = GenerationalTable(budget // _SHARE_MET, _WAY)
        self._drum = Drum(
            folder,
            name,
            KIND,
            budget=drum_budget(budget),
            answer=self._take,
            choose=self._matters,
            keep_alive=keep_alive,
        )

    def __len__(self) -> int:
        """How many distinct URLs it knows, those that wait for a merge not included."""
        return len(self._drum)

    @property
    def pending(self) -> int:
        """URLs that were met and wait for a merge."""
        return self._drum.pending

    def is_stale(self, hashes: Hashes, depths: Depths, hops: Hops) -> Mask:
        """Which URLs are known at once to be no news, neither new nor nearer: bool[n].  Of others it is not known."""
        if self._drum.is_in_memory:
            if not len(self._drum):
                return np.zeros(len(hashes), bool)
            is_known, ways = self._drum.known(hashes)
            return is_known & (ways["depth"] <= depths) & (ways["hops"] <= hops)
        is_stale = np.zeros(len(hashes), bool)
        for table in (self._met.young, self._met.old):
            slots = table.find(hashes)
            is_near = (table.values["depth"][slots] <= depths) & (table.values["hops"][slots] <= hops)
            is_stale |= (slots >= 0) & is_near
        return is_stale

    def meet(self, batch: UrlBatch, owners: npt.NDArray[np.integer[Any]] | int) -> None:
        """Take note of distinct URLs on their ways; ``owners`` travel with them."""
        if not len(batch):
            return
        notes = np.empty(len(batch), KIND.note)
        notes["flags"], notes["owner"] = batch.flags, owners
        self._drum.put(batch.hashes, CHECK_UPDATE, _ways(batch.depths, batch.hops), notes, batch.urls)
        if not self._drum.is_in_memory:
            _remember(self._met, batch.hashes, batch.depths, batch.hops)

    def knows(self, hashes: Hashes) -> Mask:
        """Which URLs are known at once to have been met: bool[n].  Of others that is not known."""
        return self._drum.known(hashes)[0]

    def note(self, hashes: Hashes, depths: Depths, hops: Hops) -> None:
        """Take note of URLs on their ways, none of which is to be dealt with."""
        if len(hashes):
            self._drum.put(hashes, UPDATE, _ways(depths, hops))

    def settle(self, hashes: Hashes) -> None:
        """Take these URLs as dealt with: from now on none is new, nor comes within the limits."""
        if len(hashes):
            self._drum.put(hashes, UPDATE, np.zeros(len(hashes), KIND.value))

    def flush(self) -> None:
        """Merge what waits now."""
        self._drum.flush()

    def shortest(self, hashes: Hashes, depths: Depths, hops: Hops) -> tuple[Depths, Hops]:
        """The shortest ways to URLs that were queued with these depths and hops, and may have been found nearer."""
        depths, hops = depths.copy(), hops.copy()
        for table in (self._nearer.old, self._nearer.young):
            slots = table.find(hashes)
            found = slots >= 0
            depths[found] = np.minimum(depths[found], table.values["depth"][slots[found]])
            hops[found] = np.minimum(hops[found], table.values["hops"][slots[found]])
        return depths, hops

    def shortest_way(self, url_hash: int, depth: int, hops: int) -> tuple[int, int]:
        """`shortest` for a single URL."""
        for table in (self._nearer.old, self._nearer.young):
            slot = table.slot_of(url_hash)
            if slot >= 0:
                depth, hops = min(depth, table.values["depth"].item(slot)), min(hops, table.values["hops"].item(slot))
        return depth, hops

    def all(self) -> Iterator[tuple[Hashes, Values]]:
        """All URLs by ascending hash, with `KIND`'s values, block by block.  Nothing may wait."""
        return self._drum.blocks()

    def beyond(self) -> Iterator[tuple[Hashes, Mask]]:
        """The URLs that lie beyond the limits, and which of them lie too deep, block by block.  Nothing may wait."""
        for hashes, ways in self.all():
            is_beyond = ~self._limits.allow(ways["depth"], ways["hops"])
            if is_beyond.any():
                yield hashes[is_beyond], ways["depth"][is_beyond] > self._limits.depth

    def _matters(self, answers: Answers) -> Mask:
        if not answers.found.any():
            return ~answers.found
        after, before = answers.after, answers.before
        is_nearer = (after["depth"] < before["depth"]) | (after["hops"] < before["hops"])
        return ~answers.found | is_nearer

    def _take(self, answers: Answers) -> None:
        before, after = answers.before, answers.after
        depths, hops = np.ascontiguousarray(after["depth"]), np.ascontiguousarray(after["hops"])
        batch = UrlBatch(answers.aux, answers.keys, depths, hops, np.ascontiguousarray(answers.notes["flags"]))
        met = Met(batch, np.ascontiguousarray(answers.notes["owner"]), ~answers.found)
        if (found := answers.found).any():
            _remember(self._nearer, answers.keys[found], depths[found], hops[found])
            self._on_nearer(answers.keys[found], depths[found], hops[found])
            was_near = self._limits.allow(before["depth"], before["hops"])
            met = met.where(~found | (~was_near & self._limits.allow(depths, hops)))
        self._deal(met)


def _ways(depths: Depths, hops: Hops) -> Values:
    ways = np.empty(len(depths), KIND.value)
    ways["depth"], ways["hops"] = depths, hops
    return ways


def _remember(table: GenerationalTable, hashes: Hashes, depths: Depths, hops: Hops) -> None:
    """Note the last of each URL's ways, which is the shortest of those that came."""
    _, last = np.unique(hashes[::-1], return_index=True)
    places = len(hashes) - 1 - last
    hashes, depths, hops = hashes[places], depths[places], hops[places]
    slots = table.young.find(hashes)
    old = slots >= 0
    table.young.values["depth"][slots[old]] = np.minimum(table.young.values["depth"][slots[old]], depths[old])
    table.young.values["hops"][slots[old]] = np.minimum(table.young.values["hops"][slots[old]], hops[old])
    table.insert(hashes[~old], {"depth": depths[~old], "hops": hops[~old]})
