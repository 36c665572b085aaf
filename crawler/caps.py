"""How many pages of a site, and of a site below one URL prefix, the cluster may still fetch.

A site's gatekeeper keeps the account: all ranks ask it, so the sums hold over all of them, whatever the order in
which they ask.  Which pages come within the cap is a matter of who asked first.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from crawler.keytable import KeyTable
from sessions.url import site_of, url_hash

SITE_CAP, PREFIX_CAP = "site-cap", "prefix-cap"

_UNLIMITED = 1 << 62


class Grant(NamedTuple):
    """How many ``pages`` may be fetched, and which cap is ``reached`` if those are fewer than were asked for."""

    pages: int
    reached: str


class Caps:
    """The account of one gatekeeper.  ``per_site`` and ``per_prefix`` are numbers of pages, None for no such cap.

    A prefix is a site and the first ``segments`` directories of the path, or all if there are fewer.  The account has
    an entry for every site and every prefix that was ever asked for, as long as there is a cap on them: 12 bytes at
    full load, 24 to 48 in practice.
    """

    def __init__(self, per_site: int | None, per_prefix: int | None, segments: int = 1) -> None:
        self._segments = segments
        self._of_sites = _Account(per_site)
        self._of_prefixes = _Account(per_prefix)
        self.is_everything = per_site is None and per_prefix is None

    @property
    def prefix(self) -> Callable[[str], str] | None:
        """What a canonical URL's page is counted under beside its site; None if nothing is capped."""
        if self.is_everything:
            return None
        return partial(prefix_of, segments=self._segments) if self._of_prefixes.is_kept else site_of

    def grant(self, site: str, prefix: str, pages: int) -> Grant:
        """Answer a request for pages of a site, below a prefix of it.  If both caps are reached, the site's counts."""
        of_site, of_prefix = self._of_sites.left(site), self._of_prefixes.left(prefix)
        granted = min(pages, of_site, of_prefix)
        self._of_sites.take(site, granted)
        self._of_prefixes.take(prefix, granted)
        if granted == pages:
            return Grant(granted, "")
        return Grant(granted, SITE_CAP if of_site <= of_prefix else PREFIX_CAP)

    def count(self, site: str, prefix: str, pages: int) -> None:
        """Take note of pages that were fetched by an earlier run, whatever the caps were then."""
        self._of_sites.take(site, pages)
        self._of_prefixes.take(prefix, pages)

    def give_back(self, site: str, prefix: str, pages: int) -> None:
        """Take pages back that were granted and not fetched: no response came, or robots.txt forbids them.

        Raises ValueError if more come back than were granted.
        """
        self._of_sites.take(site, -pages)
        self._of_prefixes.take(prefix, -pages)


def prefix_of(url: str, segments: int) -> str:
    """The site of a canonical URL and the first ``segments`` directories of its path, with a slash at the end."""
    path = url.partition("?")[0].split("/", 3)[3]
    directories = path.split("/")[:-1][:segments]
    return "/".join([site_of(url), *directories, ""])


class _Account:
    """What was taken under each key, of ``most`` that there is; no account is kept if that is None."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._table = KeyTable({"taken": np.uint32})

    @property
    def is_kept(self) -> bool:
        return self._most is not None

    def left(self, key: str) -> int:
        if self._most is None:
            return _UNLIMITED
        slot = self._table.slot_of(url_hash(key))
        taken = self._table.values["taken"].item(slot) if slot >= 0 else 0
        return max(0, self._most - taken)

    def take(self, key: str, count: int) -> None:
        if self._most is None:
            return
        hashed = url_hash(key)
        if self._table.slot_of(hashed) < 0:
            self._table.insert(np.array([hashed], np.uint64))
        slot = self._table.slot_of(hashed)
        taken = self._table.values["taken"].item(slot) + count
        if taken < 0:
            raise ValueError("more pages come back than were granted")
        self._table.values["taken"][slot] = taken
