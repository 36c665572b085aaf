"""How many pages of a site, and of a site below one URL prefix, the cluster may still fetch.

A site's gatekeeper keeps the account: all ranks ask it, so the sums hold over all of them, whatever the order in
which they ask.  Which pages come within the cap is a matter of who asked first.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.keytable import KeyTable, Slots
from sessions.url import Hashes, site_of, url_hashes

Counts = npt.NDArray[np.int64]

SITE_CAP, PREFIX_CAP = "site-cap", "prefix-cap"
REASONS = ("", SITE_CAP, PREFIX_CAP)
"""Why a request for pages is not granted in full, by code."""

_SITE_CAP, _PREFIX_CAP = 1, 2
_UNLIMITED = 1 << 62


class Grants(NamedTuple):
    """Answers to n requests: ``pages`` that may be fetched, int64[n], and the place in `REASONS` of why not more.

    ``codes`` is uint8[n]; 0 where all that was wanted is granted.  Where both caps are reached, the site's counts.
    """

    pages: Counts
    codes: npt.NDArray[np.uint8]


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
    def nbytes(self) -> int:
        """Bytes of memory that the account takes."""
        return self._of_sites.nbytes + self._of_prefixes.nbytes

    @property
    def prefix(self) -> Callable[[str], str] | None:
        """What a canonical URL's page is counted under beside its site; None if nothing is capped."""
        if self.is_everything:
            return None
        return partial(prefix_of, segments=self._segments) if self._of_prefixes.is_kept else site_of

    def keys(self, urls: Sequence[str]) -> tuple[Hashes, Hashes]:
        """The sites and the prefixes of canonical URLs, as `grant` wants them: two times uint64[n]."""
        return url_hashes([site_of(url) for url in urls]), url_hashes([prefix_of(url, self._segments) for url in urls])

    def grant(self, sites: Hashes, prefixes: Hashes, wanted: Counts) -> Grants:
        """Answer requests for pages of a site, below a prefix of it, in order: one sees what those before it took."""
        pages, codes = np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.uint8)
        site_slots, prefix_slots = self._of_sites.slots(sites), self._of_prefixes.slots(prefixes)
        requests = zip(site_slots.tolist(), prefix_slots.tolist(), wanted.tolist(), strict=True)
        for number, (site, prefix, count) in enumerate(requests):
            of_site, of_prefix = self._of_sites.left(site), self._of_prefixes.left(prefix)
            granted = min(count, of_site, of_prefix)
            self._of_sites.take(site, granted)
            self._of_prefixes.take(prefix, granted)
            pages[number] = granted
            if granted < count:
                codes[number] = _SITE_CAP if of_site <= of_prefix else _PREFIX_CAP
        return Grants(pages, codes)

    def give_back(self, sites: Hashes, prefixes: Hashes, counts: Counts) -> None:
        """Take pages back that were granted and not fetched: no response came, or robots.txt forbids them.

        Raises ValueError, having changed nothing, if more would come back than was granted.
        """
        self._of_sites.check(sites, counts)
        self._of_prefixes.check(prefixes, counts)
        self._of_sites.put_back(sites, counts)
        self._of_prefixes.put_back(prefixes, counts)


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

    @property
    def nbytes(self) -> int:
        return self._table.nbytes

    def slots(self, keys: Hashes) -> Slots:
        """The places of the keys; those that are new get one."""
        if self._most is None:
            return np.zeros(len(keys), np.int64)
        new = np.unique(keys[self._table.find(keys) < 0])
        if len(new):
            self._table.insert(new)
        return self._table.find(keys)

    def left(self, slot: int) -> int:
        return _UNLIMITED if self._most is None else max(0, self._most - self._table.values["taken"].item(slot))

    def take(self, slot: int, count: int) -> None:
        if self._most is not None:
            self._table.values["taken"][slot] += count

    def check(self, keys: Hashes, counts: Counts) -> None:
        if self._most is None:
            return
        distinct, places = np.unique(keys, return_inverse=True)
        given = np.zeros(len(distinct), np.int64)
        np.add.at(given, places, counts)
        slots = self._table.find(distinct)
        if (slots < 0).any() or (given > self._table.values["taken"][slots]).any():
            raise ValueError("more pages come back than were granted")

    def put_back(self, keys: Hashes, counts: Counts) -> None:
        if self._most is not None:
            np.subtract.at(self._table.values["taken"], self._table.find(keys), counts.astype(np.uint32))
