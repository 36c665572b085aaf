"""URL-seen: everything this rank has ever accepted as its own, with the shortest way there that it knows."""

import numpy as np

from crawler.keytable import KeyTable, Slots
from crawler.urlbatch import Depths, Hops, Mask, UrlBatch
from sessions.url import Hashes


class Seen:
    """The rank's own URLs by hash, each with its least depth and its least number of redirect hops so far."""

    def __init__(self) -> None:
        self._table = KeyTable({"depth": np.uint16, "hops": np.uint8})

    def __len__(self) -> int:
        return len(self._table)

    def find(self, hashes: Hashes) -> Slots:
        """Where each URL stands in the table, -1 if it was never seen; good until the next `add`."""
        return self._table.find(hashes)

    def add(self, batch: UrlBatch) -> None:
        """Note URLs, distinct and never seen before."""
        self._table.insert(batch.hashes, {"depth": batch.depths, "hops": batch.hops})

    def shorten(self, slots: Slots, depths: Depths, hops: Hops) -> tuple[tuple[Depths, Hops], tuple[Depths, Hops]]:
        """Take note that the URLs at ``slots`` were found again; their depths and hops before and after."""
        table = self._table.values
        before = table["depth"][slots], table["hops"][slots]
        np.minimum.at(table["depth"], slots, depths)
        np.minimum.at(table["hops"], slots, hops)
        return before, (table["depth"][slots], table["hops"][slots])

    def way_to(self, url_hash: int) -> tuple[int, int]:
        """Depth and hops of a URL that was seen."""
        slot = self._table.slot_of(url_hash)
        return self._table.values["depth"].item(slot), self._table.values["hops"].item(slot)

    def ways_to(self, hashes: Hashes) -> tuple[Depths, Hops]:
        """Depths and hops of URLs that were all seen."""
        slots = self._table.find(hashes)
        return self._table.values["depth"][slots], self._table.values["hops"][slots]

    def beyond(self, max_depth: int, max_hops: int) -> tuple[Hashes, Mask]:
        """The URLs that lie deeper or more redirects away than allowed, and which of them lie too deep."""
        slots = self._table.occupied()
        depths, hops = self._table.values["depth"][slots], self._table.values["hops"][slots]
        beyond = (depths > max_depth) | (hops > max_hops)
        return self._table.keys(slots[beyond]), depths[beyond] > max_depth
