"""The pay-level domain that a URL lies in, as a hash.

What a domain may have is counted over all its hosts: a spammer makes hosts for nothing, but pays for domains
(H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 5.1).
"""

from collections.abc import Sequence

import numpy as np
from xxhash import xxh3_64_intdigest

from sessions.url import Hashes, domain_of, site_of

_SITES_REMEMBERED = 1 << 16
"""Some 10 MB."""


class _HashesBySite(dict[str, int]):
    """The domain's hash of every site that was asked for of late."""

    def __missing__(self, site: str) -> int:
        if len(self) >= _SITES_REMEMBERED:
            self.clear()
        domain = self[site] = xxh3_64_intdigest(domain_of(site_of(f"//{site}")).encode())
        return domain


_hashes_by_site = _HashesBySite()


def domain_hashes(urls: Sequence[str]) -> Hashes:
    """The 64-bit xxh3 of the pay-level domain of each canonical URL: uint64[len(urls)].

    An IP address, and a name without a public suffix below it, is its own domain, as in `sessions.url.domain_of`.
    """
    sites = [url.split("/", 3)[2] for url in urls]
    return np.fromiter(map(_hashes_by_site.__getitem__, sites), np.uint64, len(urls))


def domain_hash_of_site(site: str) -> int:
    """`domain_hashes` for one site, that is a host with the port if that is not the scheme's own."""
    return _hashes_by_site[site]
