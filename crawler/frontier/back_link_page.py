"""By back-links of pages: of all URLs that wait the one that most pages link to, as far as is known.

J. Cho, H. Garcia-Molina, L. Page, "Efficient Crawling Through URL Ordering", WWW 1998, section 2.3, "backlink count".
"""

from pathlib import Path

import numpy as np

from crawler.frontier.back_link_counts import Counts, RecentCounts
from crawler.frontier.best_first import LAST_KEY, BestFirst
from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings
from crawler.frontier.single_queue import SingleQueue
from crawler.frontier.slot_heap import Keys
from crawler.urls.batch import UrlBatch
from sessions.url import Hashes

_COUNTS_SHARE = 4
"""Counts have one part in so many of the memory."""


class BackLinkPage(SingleQueue):
    """The URL with most back-links known so far, of equal ones the one that was found first.

    Counts are those of all ranks at the end of the last superstep.  URLs on disk stand where their count was when they
    were written, and are looked at again now and then (`crawler.frontier.best_first`).  Their counts are remembered in
    a quarter of ``memory``, those of URLs that were linked to longest ago being forgotten; then a URL counts as the
    one with fewest of those that it stands among.
    """

    is_counted_by_owner = True

    def __init__(self, folder: Path, memory: int, _settings: OrderSettings = DEFAULT_SETTINGS) -> None:
        self._elsewhere = RecentCounts(memory // _COUNTS_SHARE)
        self._urls = BestFirst(folder, memory - memory // _COUNTS_SHARE, self._keys, self._spilled)
        super().__init__(self._urls)

    @property
    def back_links(self) -> "BackLinkPage":
        """Its own URLs' are counted."""
        return self

    def units(self, batch: UrlBatch) -> Hashes:
        """The URLs themselves."""
        return batch.hashes

    def count(self, units: Hashes, more: Counts) -> None:
        """Count new back-links, and have the URLs that wait where they belong now."""
        is_here = self._urls.lift(units, more.astype(np.uint64))
        self._elsewhere.add(units[~is_here], more[~is_here])

    def counted(self, units: Hashes) -> Counts:
        """Nobody asks: the owner counts."""
        return np.zeros(len(units), np.uint32)

    def end_superstep(self) -> bool:
        """Nothing is asked for."""
        self._urls.look_again_if_due()
        return False

    def wanted(self) -> Hashes:
        """None."""
        return np.empty(0, np.uint64)

    def rank(self, units: Hashes, counts: Counts) -> None:
        """Nothing: `count` does it."""

    def _keys(self, hashes: Hashes) -> Keys:
        return np.uint64(LAST_KEY) - self._elsewhere.of(hashes).astype(np.uint64)

    def _spilled(self, hashes: Hashes, keys: Keys) -> None:
        self._elsewhere.put(hashes, (np.uint64(LAST_KEY) - keys).astype(np.uint32))
