"""The pay-level domain that a URL lies in, as a hash.

What a domain may have is counted over all its hosts: a spammer makes hosts for nothing, but pays for domains
(H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 5.1).
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from xxhash import xxh3_64_intdigest

from sessions.url import Hashes, domain_of, site_of


def domain_hashes(urls: Sequence[str]) -> Hashes:
    """The 64-bit xxh3 of the pay-level domain of each canonical URL: uint64[len(urls)].

    An IP address, and a name without a public suffix below it, is its own domain, as in `sessions.url.domain_of`.
    """
    from sessions.url_domain import domain_hashes_of  # not before: numba takes a quarter of a second

    hashes, is_known = domain_hashes_of(urls)
    for place in np.flatnonzero(~is_known).tolist():
        hashes[place] = domain_hash_of_site(site_of(urls[place]))
    return hashes


@lru_cache(1 << 12)
def domain_hash_of_site(site: str) -> int:
    """`domain_hashes` for one site, that is a host with the port if that is not the scheme's own."""
    return xxh3_64_intdigest(domain_of(site_of(f"//{site}")).encode())
