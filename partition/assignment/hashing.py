"""The two assignments that need no previous session, and that every computed one is compared with.

Both are the baselines of Cambazoglu, Turk and Aykanat, "Data-Parallel Web Crawling Models" (ISCIS 2004, section 5):
page hash spreads pages evenly and cuts nearly every link, site hash keeps a site whole and is as uneven as the sites.
"""

from collections.abc import Sequence

import numpy as np
from xxhash import xxh3_64_intdigest

from partition.assignment.assignment import Assignment, Owners
from sessions.url import Hashes, site_of

_SITES_REMEMBERED = 1 << 17


class PageHash:
    """Owner = URL hash modulo K."""

    name = "page-hash"

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return (hashes % np.uint64(self.ranks)).astype(np.int32)

    def asked_by(self, _rank: int) -> "PageHash":
        return self


class SiteHash:
    """Owner = hash of the URL's site modulo K."""

    name = "site-hash"

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self._known: dict[str, int] = {}

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return np.fromiter((self._owner(site_of(url)) for url in urls), dtype=np.int32, count=len(urls))

    def asked_by(self, _rank: int) -> "SiteHash":
        return self

    def _owner(self, site: str) -> int:
        owner = self._known.get(site)
        if owner is None:
            if len(self._known) >= _SITES_REMEMBERED:
                self._known.clear()
            owner = self._known[site] = xxh3_64_intdigest(site.encode()) % self.ranks
        return owner


ASSIGNMENTS: dict[str, type[PageHash] | type[SiteHash]] = {kind.name: kind for kind in (PageHash, SiteHash)}


def assignment_named(name: str, ranks: int) -> Assignment:
    """The hash assignment of that name for K = ``ranks``.  Raises KeyError for a name not in `ASSIGNMENTS`."""
    return ASSIGNMENTS[name](ranks)
