"""URL-seen of all ranks of a simulation: the shortest way on which each URL of the recording came to its owner.

One for all ranks will do where every URL has one owner and all of them fit in the ranks' memory: who asks for a URL is
its owner.  It does what `crawler.discovery.url_seen.Seen` does in memory, by URL number, in an array in place of a
DRUM.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.discovery.depth_limits import DEEPEST, MOST_HOPS, Limits
from crawler.discovery.url_seen import Admitted
from crawler.replay.recording import Numbers, Recording
from crawler.urls.batch import Depths, Hops, Mask, UrlBatch
from sessions.url import Hashes


class JointSeen:
    """Depth uint16[U] and hops uint8[U] of each URL; `DEEPEST` and `MOST_HOPS` of those that have not come.

    No URL lies beyond ``limits``, which are those of a replay: none of depth, and more redirects than any page has.
    """

    pending = merges = 0
    merge_lag = 0.0
    is_merging = has_much_waiting = hurries = False

    def __init__(self, recording: Recording, limits: Limits) -> None:
        self.limits = limits
        self._recording = recording
        self._depths = np.full(len(recording), DEEPEST, np.uint16)
        self._hops = np.full(len(recording), MOST_HOPS, np.uint8)

    def are_news(self, urls: Numbers, depths: Depths | int, hops: Hops | int) -> Mask:
        """Which URLs have not come yet, or not on so short a way, each its own or one for all: bool[n]."""
        mask: Mask = (depths < self._depths[urls]) | (hops < self._hops[urls])
        return mask

    def check_and_add(self, batch: UrlBatch, owners: npt.NDArray[np.integer[Any]] | int) -> Iterator[Admitted]:
        """Add distinct URLs on their ways; gives those that come for the first time."""
        urls = self._recording.numbers_of(batch.hashes)
        is_new = self._hops[urls] == MOST_HOPS
        self._depths[urls], self._hops[urls] = self._shortest(urls, batch.depths, batch.hops)
        new = batch.where(is_new)
        owners_of_new = owners if isinstance(owners, int) else owners[is_new]
        yield Admitted(new, np.full(len(new), owners_of_new, np.uint16), np.ones(len(new), bool))

    def settle(self, hashes: Hashes) -> Iterator[Admitted]:
        """Take these URLs as dealt with: from now on none is new, nor comes on a shorter way."""
        urls = self._recording.numbers_of(hashes)
        self._depths[urls] = self._hops[urls] = 0
        return iter(())

    def shortest(self, hashes: Hashes, depths: Depths, hops: Hops) -> tuple[Depths, Hops]:
        """The shortest ways to URLs that were queued with these depths and hops."""
        return self._shortest(self._recording.numbers_of(hashes), depths, hops)

    def shortest_way(self, url_hash: int, depth: int, hops: int) -> tuple[int, int]:
        """`shortest` for a single URL."""
        url = self._recording.number_of(url_hash)
        return min(depth, self._depths.item(url)), min(hops, self._hops.item(url))

    def merge(self) -> Iterator[Admitted]:
        """Nothing waits for a merge."""
        return iter(())

    def beyond(self) -> Iterator[tuple[Hashes, Mask]]:
        """No URL lies beyond the limits."""
        return iter(())

    def _shortest(self, urls: Numbers, depths: Depths, hops: Hops) -> tuple[Depths, Hops]:
        return np.minimum(self._depths[urls], depths), np.minimum(self._hops[urls], hops)
