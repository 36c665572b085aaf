"""Which sites are forgotten, and which URLs are theirs."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sessions.hash_arrays import are_among
from sessions.session import Session
from sessions.url import Hashes, host_of, site_of

Mask = npt.NDArray[np.bool_]


class Gone:
    """Some sites, and the sites of some domains.

    ``hashes`` are those of the session's URLs that are theirs, in ascending order: 8 bytes for each.  ``unknown`` are
    names of which the session has no URL.
    """

    def __init__(self, session: Session, sites: Iterable[str] = (), domains: Iterable[str] = ()) -> None:
        self.sites = tuple(sites)
        self.domains = tuple(domains)
        self._known: set[str] = set()
        self.has_site = lru_cache(maxsize=1 << 16)(self._has_site)
        parts = [
            batch["hash"].to_numpy()[self.urls(batch["url"].to_pylist())]
            for batch in session.batches("urls", ["hash", "url"])
        ]
        self.hashes: Hashes = np.sort(np.concatenate(parts)) if parts else np.empty(0, np.uint64)
        self.unknown = [name for name in (*self.sites, *self.domains) if name not in self._known]

    def url(self, url: str) -> bool:
        """Is a canonical URL theirs?"""
        return self.has_site(site_of(url))

    def urls(self, urls: Sequence[str]) -> Mask:
        """Which canonical URLs are theirs: bool[n]."""
        return np.fromiter(map(self.url, urls), np.bool_, len(urls))

    def among(self, hashes: Hashes) -> Mask:
        """Which hashes are those of their URLs: bool[n]."""
        return are_among(hashes, self.hashes)

    def _has_site(self, site: str) -> bool:
        host = f".{host_of(site)}"
        names = [name for name in self.sites if name == site]
        names += [domain for domain in self.domains if host.endswith(f".{domain}")]
        self._known.update(names)
        return bool(names)
