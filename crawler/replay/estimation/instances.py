"""What each rank of an estimate has seen and sent: one table for all ranks."""

import numpy as np

from crawler.replay.course import Ranks
from crawler.replay.estimation.url_rows import Findings
from crawler.replay.recording import Numbers
from crawler.urls.batch import Depths, Hops, Mask
from crawler.urls.hash_table import HashTable
from crawler.urls.probing import Slots
from sessions.hash_arrays import SPREADING
from sessions.url import Hashes


class Instances:
    """Pairs of a rank and a URL: the rank has seen it as its own, or has sent it to its owner, and forgets neither.

    ``urls`` is the number of URLs.  It takes 24 to 48 bytes a pair.
    """

    def __init__(self, urls: int) -> None:
        self._urls = np.uint64(urls)
        self._table = HashTable({"is_own": np.bool_, "depth": np.uint16, "hops": np.uint8})

    def find(self, ranks: Ranks, urls: Numbers) -> Slots:
        """Where each rank has each URL, -1 if it has not met it: int64[n]; good until the next `add`."""
        return self._table.find(self._keys(ranks, urls))

    def is_own(self, slots: Slots) -> Mask:
        """Which of these the rank has seen as its own: bool[n]; not those at -1."""
        return self._table.values["is_own"][slots] & (slots >= 0)

    def shorten(self, slots: Slots, depths: Depths, hops: Hops) -> None:
        """Take note that URLs were found again."""
        np.minimum.at(self._table.values["depth"], slots, depths)
        np.minimum.at(self._table.values["hops"], slots, hops)

    def ways_to(self, ranks: Ranks, urls: Numbers) -> tuple[Depths, Hops]:
        """The least depths and hops of URLs that the ranks have seen, as they know them."""
        slots = self.find(ranks, urls)
        return self._table.values["depth"][slots], self._table.values["hops"][slots]

    def add(self, findings: Findings, *, is_own: bool) -> None:
        """Note URLs, distinct and never met before, as the ranks' own, or as sent."""
        self._table.insert(
            self._keys(findings.ranks, findings.urls),
            {"is_own": np.full(len(findings), is_own), "depth": findings.depths, "hops": findings.hops},
        )

    def _keys(self, ranks: Ranks, urls: Numbers) -> Hashes:
        # From 1 on: the table has no key 0.
        keys: Hashes = (ranks.astype(np.uint64) * self._urls + urls.astype(np.uint64) + np.uint64(1)) * SPREADING
        return keys
