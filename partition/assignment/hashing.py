"""Assignments by a hash modulo K, which need no previous session and which every computed one is compared with.

Page hash and site hash are the baselines of Cambazoglu, Turk and Aykanat, "Data-Parallel Web Crawling Models" (ISCIS
2004, section 5): page hash spreads pages evenly and cuts nearly every link, site hash keeps a site whole and is as
uneven as the sites.  Domain hash keeps the hosts of a pay-level domain together as well, which link to each other most.
"""

from collections.abc import Callable, Sequence

import numpy as np
from xxhash import xxh3_64_intdigest

from partition.assignment.assignment import Owners
from sessions.url import Hashes, domain_of, site_of

_SITES_REMEMBERED = 1 << 15


class SiteOwners:
    """The owners of URLs that go by their sites; the owners of up to `_SITES_REMEMBERED` sites are remembered."""

    def __init__(self, owner_of: Callable[[str], int]) -> None:
        self._owner_of = owner_of
        self._known: dict[str, int] = {}

    def owners(self, urls: Sequence[str]) -> Owners:
        """The owner of each canonical URL: int32[n]."""
        return np.fromiter((self._owner(site_of(url)) for url in urls), dtype=np.int32, count=len(urls))

    def _owner(self, site: str) -> int:
        owner = self._known.get(site)
        if owner is None:
            if len(self._known) >= _SITES_REMEMBERED:
                self._known.clear()
            owner = self._known[site] = self._owner_of(site)
        return owner


class PageHash:
    """Owner = URL hash modulo K."""

    name = "page-hash"
    unit = "page"

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return (hashes % np.uint64(self.ranks)).astype(np.int32)

    def asked_by(self, _rank: int) -> "PageHash":
        return self


class SiteHash:
    """Owner = hash of the URL's site modulo K."""

    name = "site-hash"
    unit = "site"

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self._sites = SiteOwners(lambda site: xxh3_64_intdigest(site.encode()) % ranks)

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return self._sites.owners(urls)

    def asked_by(self, _rank: int) -> "SiteHash":
        return self


class DomainHash:
    """Owner = hash of the pay-level domain of the URL's site (`sessions.url.domain_of`) modulo K."""

    name = "domain-hash"
    unit = "domain"

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self._sites = SiteOwners(lambda site: xxh3_64_intdigest(domain_of(site).encode()) % ranks)

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return self._sites.owners(urls)

    def asked_by(self, _rank: int) -> "DomainHash":
        return self
