"""By back-links of sites: first all that waits of the site that most pages link to, breadth-first within it.

After JoMaGic (University of Michigan, 2005): queues of hosts in descending order of back-links, ranked anew at
intervals, of which the first x are crawled until then.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crawler.frontier.back_link_counts import BackLinkCounts, Counts
from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings
from crawler.frontier.site_queues import SiteQueues
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.hash_table import HashTable
from sessions.url import Hashes, url_hashes

_COUNTS_SHARE = 4
"""What this rank counts for all has one part in so many of the memory."""


def site_hashes(urls: list[str]) -> Hashes:
    """Return the hash of the site of each canonical URL: uint64[n]."""
    return url_hashes([url.split("/", 3)[2] for url in urls])


class BackLinkSites:
    """A rank's sites by the back-links of all their URLs over all ranks, equal ones by hash; within one, first found.

    Every ``settings.rerank`` supersteps the sites are ranked anew.  Until then the first ``settings.ranked_sites`` are
    taken from; only if nothing is left of them the others are ranked by what was known last.
    """

    is_counted_by_owner = False

    def __init__(self, folder: Path, memory: int, settings: OrderSettings = DEFAULT_SETTINGS) -> None:
        self._settings = settings
        self._counts = BackLinkCounts(folder, "site-back-links", memory // _COUNTS_SHARE)
        self._queues = SiteQueues(folder, memory - memory // _COUNTS_SHARE)
        self._known = HashTable({"links": np.uint32})
        self._ranked: list[int] = []
        self._places = HashTable({"place": np.uint32})
        self._next = 0
        self._current = 0
        self._supersteps = 0

    def __len__(self) -> int:
        return len(self._queues)

    @property
    def ready(self) -> int:
        return len(self._queues)

    @property
    def current(self) -> int:
        """URLs of the sites that are ranked first."""
        return self._current

    def move_on(self) -> None:
        """Nothing is left of the sites that were first: rank those that have URLs by the counts that were told last."""
        if self._current or not len(self._queues):
            return
        sites = self._queues.sites()
        found = self._known.find(sites)
        self._rank(sites, np.where(found >= 0, self._known.values["links"][found], 0).astype(np.uint32))

    def add(self, batch: UrlBatch) -> None:
        sites = site_hashes(batch.urls)
        self._queues.add(batch, sites)
        found = self._places.find(sites)
        its = found[found >= 0]
        if len(its):
            self._current += len(its)
            self._next = min(self._next, int(self._places.values["place"][its].min()))

    def take(self, count: int) -> UrlBatch:
        taken: list[UrlBatch] = []
        missing = min(count, self._current)
        while missing:
            batch = self._queues.take(self._ranked[self._next], missing)
            if len(batch) < missing:
                self._next += 1
            missing -= len(batch)
            self._current -= len(batch)
            taken.append(batch)
        return joined(taken)

    def drain(self) -> Iterator[UrlBatch]:
        self._current = 0
        yield from self._queues.drain()

    @property
    def budgeted(self) -> None:
        return None

    @property
    def back_links(self) -> "BackLinkSites":
        """Its own sites' are wanted."""
        return self

    def units(self, batch: UrlBatch) -> Hashes:
        """Their sites."""
        return site_hashes(batch.urls)

    def count(self, units: Hashes, more: Counts) -> None:
        """Count new back-links of sites that this rank counts."""
        self._counts.add(units, more)

    def counted(self, units: Hashes) -> Counts:
        """How many back-links were counted of each, those that waited for a merge as well."""
        self._counts.flush()
        return self._counts.of(units)

    def end_superstep(self) -> bool:
        """Is it time to rank the sites anew?"""
        self._supersteps += 1
        return self._supersteps % self._settings.rerank == 0

    def wanted(self) -> Hashes:
        """The sites that have URLs here."""
        return self._queues.sites()

    def rank(self, units: Hashes, counts: Counts) -> None:
        """Rank the sites by these counts."""
        self._known = HashTable({"links": np.uint32})
        self._known.insert(units, {"links": counts})
        self._rank(units, counts)

    def _rank(self, sites: Hashes, counts: Counts) -> None:
        first_sites = first_by_count(sites, counts, self._settings.ranked_sites)
        self._ranked = first_sites.tolist()
        self._places = HashTable({"place": np.uint32})
        self._places.insert(first_sites, {"place": np.arange(len(first_sites), dtype=np.uint32)})
        self._next = 0
        self._current = int(self._queues.waiting(first_sites).sum())


def first_by_count(sites: Hashes, counts: Counts, most: int) -> Hashes:
    """Return up to ``most`` of distinct sites, those with most back-links first, equal ones by hash: uint64[m]."""
    if len(sites) > most:
        least = np.partition(counts, len(counts) - most)[len(counts) - most]
        is_more, is_least = counts > least, counts == least
        room = most - int(np.count_nonzero(is_more))
        last = np.partition(sites[is_least], room - 1)[room - 1]
        is_first = is_more | (is_least & (sites <= last))
        sites, counts = sites[is_first], counts[is_first]
    return sites[np.lexsort((sites, -counts.astype(np.int64)))]
