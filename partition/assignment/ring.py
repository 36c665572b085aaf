"""Consistent hashing: ranks at many places of a ring of hashes, so that few URLs move when K changes.

A URL belongs to the first place at or after its hash.  Rank r stands at the same `PLACES` places whatever K is: with
one rank more only URLs before its places change owners, all of them to it, and with the last rank gone only its own do.
Modulo K, all but 1/(K + 1) of them change owners.  The price is balance: a rank's share of the ring differs from 1/K by
about 1/sqrt(`PLACES`) of that.

Source: D. Karger et al., "Consistent Hashing and Random Trees", STOC 1997, section 4; with sites on the ring it is the
assignment of UbiCrawler (P. Boldi, B. Codenotti, M. Santini, S. Vigna, Software: Practice and Experience 34, 2004,
section 4).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from partition.assignment.assignment import Owners
from partition.assignment.hashing import SiteOwners
from sessions.url import Hashes

PLACES = 1024
"""Places of a rank: 12 kB of memory each rank of K."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_RING = 2.0**64


class HashRing:
    """The places of K ranks, in order.  Memory: 12 x `PLACES` x K bytes."""

    def __init__(self, ranks: int) -> None:
        places = _scrambled(np.arange(ranks * PLACES, dtype=np.uint64))
        # Stable, so that of two ranks at the same place the lower one is first, and stays so whatever K is.
        order = np.argsort(places, kind="stable")
        self._places = places[order]
        self._ranks = (order // PLACES).astype(np.int32)

    def owners(self, hashes: Hashes) -> Owners:
        """The rank of the first place at or after each hash, beyond the last place the first: uint64[n] -> int32[n]."""
        after = np.searchsorted(self._places, hashes, side="left")
        owners: Owners = self._ranks[np.where(after < len(self._places), after, 0)]
        return owners

    def owner(self, one: int) -> int:
        """The owner of one hash."""
        return int(self.owners(np.array([one], np.uint64))[0])

    def shares(self) -> npt.NDArray[np.float64]:
        """The share of all hashes that each rank owns: float64[K], which add up to 1."""
        arcs = np.diff(self._places, prepend=self._places[-1:])  # modulo 2**64, as the ring is
        return np.bincount(self._ranks, arcs / _RING).astype(np.float64)


class PageRing:
    """Owner = the rank whose place on the ring follows the hash of the URL."""

    name = "page-ring"
    unit = "page"

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self._ring = HashRing(ranks)

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return self._ring.owners(hashes)

    def asked_by(self, _rank: int) -> "PageRing":
        return self


class SiteRing:
    """Owner = the rank whose place on the ring follows the hash of the URL's site."""

    name = "site-ring"
    unit = "site"

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        ring = HashRing(ranks)
        self._sites = SiteOwners(lambda site: ring.owner(xxh3_64_intdigest(site.encode())))

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        return self._sites.owners(urls)

    def asked_by(self, _rank: int) -> "SiteRing":
        return self


def _scrambled(numbers: Hashes) -> Hashes:
    """A 64-bit hash of each number, the same on every machine: splitmix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    mixed = (numbers + np.uint64(1)) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
