"""The pay-level domain that a URL lies in, as a hash.

What a domain may have is counted over all its hosts: a spammer makes hosts for nothing, but pays for domains
(H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 5.1).
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from xxhash import xxh3_64_intdigest

from crawler.urls.generational_table import GenerationalTable
from sessions.url import Hashes, domain_of, site_of, url_hashes

MEMORY = 16 << 20
"""For the domains of sites that were asked for of late, in bytes: some 260,000 sites."""
_DOMAIN = {"domain": np.uint64}

_known = GenerationalTable(MEMORY, _DOMAIN)


def domain_hashes(urls: Sequence[str]) -> Hashes:
    """The 64-bit xxh3 of the pay-level domain of each canonical URL: uint64[len(urls)].

    An IP address, and a name without a public suffix below it, is its own domain, as in `sessions.url.domain_of`.
    """
    sites = [url.split("/", 3)[2] for url in urls]
    keys = url_hashes(sites)
    domains = np.zeros(len(sites), np.uint64)
    is_known = np.zeros(len(sites), bool)
    for table in (_known.young, _known.old):
        slots = table.find(keys)
        found = slots >= 0
        domains[found] = table.values["domain"][slots[found]]
        is_known |= found
    if not is_known.all():
        unknown = np.flatnonzero(~is_known)
        new, first, places = np.unique(keys[unknown], return_index=True, return_inverse=True)
        of_new = np.array([domain_hash_of_site(sites[place]) for place in unknown[first].tolist()], np.uint64)
        _known.insert(new, {"domain": of_new})
        domains[unknown] = of_new[places]
    return domains


@lru_cache(1 << 12)
def domain_hash_of_site(site: str) -> int:
    """`domain_hashes` for one site, that is a host with the port if that is not the scheme's own."""
    return xxh3_64_intdigest(domain_of(site_of(f"//{site}")).encode())
