"""URL-seen: the URLs that a rank has dealt with before, each with the shortest way there, on a DRUM.

A rank has two: one of the URLs that it owns, which are queued once, and one of those that it has sent to their owners,
which are sent once.  As long as all fit in the budget of memory a URL is admitted at once; later when the DRUM merges,
and then the URLs that came last are remembered beside it, since most links lead to URLs that came not long ago.

Whatever adds URLs, or merges, gives the URLs that are admitted by it, batch by batch as a merge goes on: there may be
more of them than fit in memory.  They must be taken to their end before URL-seen is used again.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.discovery.depth_limits import Limits
from crawler.discovery.known_ways import KnownWays, Ways
from crawler.drum import drum
from crawler.drum.drum import Drum
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import CHECK_UPDATE, UPDATE, Answers, Kind, UpdateRule, Values
from crawler.urls.batch import Depths, Hops, Mask, UrlBatch
from sessions.url import Hashes

KIND = Kind(
    {"depth": (np.uint16, UpdateRule.MINIMUM), "hops": (np.uint8, UpdateRule.MINIMUM)},
    np.dtype([("flags", np.uint8), ("owner", np.uint16)]),
)
"""Of each URL its least depth and least number of redirect hops; with it travel its link's flags and its owner."""
_SHARE_NEARER, _SHARE_RECENT = 8, 4
_MUCH = 1 << 17
_HURRY = 1 / 8
"""A merge that hurries ends before so many URLs have come, of as many as it merges: they wait for the next one."""
_KEYS_A_RECORD = 64
"""To rewrite so many keys costs about as much as to deal with one URL that was merged."""


def drum_budget(budget: int) -> int:
    """How many of a budget's bytes are the DRUM's; the rest is for what is remembered beside it."""
    return budget - budget // _SHARE_NEARER - budget // _SHARE_RECENT


def stays_in_memory(urls: int, budget: int) -> bool:
    """Would URL-seen have all of so many URLs in memory in a budget of bytes, and so never need to merge?"""
    return drum.stays_in_memory(urls, KIND, drum_budget(budget))


class Admitted(NamedTuple):
    """URLs that are to be dealt with: found for the first time, or (not ``is_new``) within the limits only now.

    ``owners`` uint16[n] as they were given, ``is_new`` bool[n].  ``nearer`` are the URLs that were known and have been
    found on a shorter way, within the limits or not; None if there are none.
    """

    batch: UrlBatch
    owners: npt.NDArray[np.uint16]
    is_new: Mask
    nearer: Ways | None = None

    def where(self, mask: Mask) -> "Admitted":
        """Those for which ``mask`` holds, in order."""
        if np.count_nonzero(mask) == len(mask):
            return self
        return Admitted(self.batch.where(mask), self.owners[mask], self.is_new[mask], self.nearer)


class Seen:
    """URLs by hash, in about ``budget`` bytes of memory and files ``name``.* in ``folder``.

    ``limits`` say how far a URL may lie to be dealt with; ``keep_alive`` serves again and again during a merge.  With
    ``in_pieces`` a merge that is due goes on by `merge_on`, and URLs are added meanwhile.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        budget: int,
        limits: Limits,
        keep_alive: KeepAlive = NOTHING_TO_SERVE,
        *,
        in_pieces: bool = False,
    ) -> None:
        self.limits = limits
        self.hurries = False
        """Is its merge to end before many URLs have come, and not just before the next one is due?"""
        self._in_pieces = in_pieces
        self._nearer = KnownWays(budget // _SHARE_NEARER)
        self._recent = KnownWays(budget // _SHARE_RECENT)
        self._drum = Drum(
            folder,
            name,
            KIND,
            budget=drum_budget(budget),
            choose=_new_or_nearer,
            keep_alive=keep_alive,
            in_pieces=in_pieces,
        )

    def __len__(self) -> int:
        """How many distinct URLs it knows, those that wait for a merge not included."""
        return len(self._drum)

    @property
    def pending(self) -> int:
        """URLs that came and wait for a merge."""
        return self._drum.pending

    def is_stale(self, hashes: Hashes, depths: Depths, hops: Hops) -> Mask:
        """Which URLs are known at once to be no news, neither new nor nearer: bool[n].  Of others it is not known."""
        if self._drum.is_in_memory:
            if not len(self._drum):
                return np.zeros(len(hashes), bool)
            is_known, ways = self._drum.known(hashes)
            return is_known & (ways["depth"] <= depths) & (ways["hops"] <= hops)
        return self._recent.are_covered(Ways(hashes, depths, hops))

    def check_and_add(self, batch: UrlBatch, owners: npt.NDArray[np.integer[Any]] | int) -> Iterator[Admitted]:
        """Add distinct URLs on their ways; ``owners`` travel with them.  Gives what is admitted by now."""
        if not len(batch):
            return iter(())
        notes = np.empty(len(batch), KIND.note)
        notes["flags"], notes["owner"] = batch.flags, owners
        answers = self._drum.put(batch.hashes, CHECK_UPDATE, _ways(batch.depths, batch.hops), notes, batch.urls)
        return self._admitted(answers, Ways(batch.hashes, batch.depths, batch.hops))

    def knows(self, hashes: Hashes) -> Mask:
        """Which URLs are known at once to have been added: bool[n].  Of others that is not known."""
        return self._drum.known(hashes)[0]

    def note(self, hashes: Hashes, depths: Depths, hops: Hops) -> Iterator[Admitted]:
        """Add URLs on their ways, none of which is to be dealt with; gives what is admitted of others."""
        return self._admitted(self._drum.put(hashes, UPDATE, _ways(depths, hops)))

    def settle(self, hashes: Hashes) -> Iterator[Admitted]:
        """Take these URLs as dealt with: from now on none is new, nor comes within the limits; gives as `note`."""
        return self._admitted(self._drum.put(hashes, UPDATE, np.zeros(len(hashes), KIND.value)))

    def merge(self) -> Iterator[Admitted]:
        """Merge what waits now, and give what is admitted by it."""
        return self._admitted(self._drum.flush())

    @property
    def merges(self) -> int:
        """How many merges it has made."""
        return self._drum.traffic.merges

    @property
    def has_much_waiting(self) -> bool:
        """Is a merge in pieces worth it: does what waits, or merges, take as long as a merge of none?"""
        return self._in_pieces and self.pending > max(_MUCH, len(self) // _KEYS_A_RECORD)

    def begin_merge(self) -> Iterator[Admitted]:
        """Begin to merge what waits, though it is not due, for `merge_on`; gives what is admitted by the one before."""
        return self._admitted(self._drum.begin_merge())

    @property
    def is_merging(self) -> bool:
        """Is there a merge to go on with?"""
        return self._drum.is_merging

    @property
    def merge_lag(self) -> float:
        """How far the merge is behind what came since, as `crawler.drum.drum.Drum` has it."""
        return self._drum.lag_within(_HURRY) if self.hurries else self._drum.merge_lag

    def merge_on(self) -> Iterator[Admitted]:
        """Do a piece of the merge that was begun, and give what is admitted by it."""
        return self._admitted(self._drum.merge_on())

    def shortest(self, hashes: Hashes, depths: Depths, hops: Hops) -> tuple[Depths, Hops]:
        """The shortest ways to URLs that were queued with these depths and hops, and may have been found nearer."""
        _, depths, hops = self._nearer.shortest(Ways(hashes, depths, hops))
        return depths, hops

    def shortest_way(self, url_hash: int, depth: int, hops: int) -> tuple[int, int]:
        """`shortest` for a single URL."""
        return self._nearer.shortest_way(url_hash, depth, hops)

    def all(self) -> Iterator[tuple[Hashes, Values]]:
        """All URLs by ascending hash, with `KIND`'s values, block by block.  Nothing may wait."""
        return self._drum.blocks()

    def beyond(self) -> Iterator[tuple[Hashes, Mask]]:
        """The URLs that lie beyond the limits, and which of them lie too deep, block by block.  Nothing may wait."""
        for hashes, ways in self.all():
            is_beyond = ~self.limits.allow(ways["depth"], ways["hops"])
            if is_beyond.any():
                yield hashes[is_beyond], ways["depth"][is_beyond] > self.limits.depth

    def _admitted(self, answers: Iterator[Answers], recent: Ways | None = None) -> Iterator[Admitted]:
        """Yield what is to be dealt with; ``recent`` URLs are remembered if the DRUM cannot look them up at once."""
        for some in answers:
            yield self._admit(some)
        if recent is not None and not self._drum.is_in_memory:
            self._recent.note(recent)

    def _admit(self, answers: Answers) -> Admitted:
        before, after, found = answers.before, answers.after, answers.found
        depths, hops = np.ascontiguousarray(after["depth"]), np.ascontiguousarray(after["hops"])
        batch = UrlBatch(answers.aux, answers.keys, depths, hops, np.ascontiguousarray(answers.notes["flags"]))
        admitted = Admitted(batch, np.ascontiguousarray(answers.notes["owner"]), ~found)
        if not np.count_nonzero(found):
            return admitted
        nearer = Ways(answers.keys[found], depths[found], hops[found])
        self._nearer.note(nearer)
        was_near = self.limits.allow(before["depth"], before["hops"])
        is_near_now = ~was_near & self.limits.allow(depths, hops)
        return admitted._replace(nearer=nearer).where(~found | is_near_now)


def _new_or_nearer(answers: Answers) -> Mask:
    if not np.count_nonzero(answers.found):
        return ~answers.found
    after, before = answers.after, answers.before
    is_nearer = (after["depth"] < before["depth"]) | (after["hops"] < before["hops"])
    return ~answers.found | is_nearer


def _ways(depths: Depths, hops: Hops) -> Values:
    ways = np.empty(len(depths), KIND.value)
    ways["depth"], ways["hops"] = depths, hops
    return ways
