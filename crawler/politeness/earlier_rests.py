"""How an earlier run of the session has left sites: until when they have to rest, how often in a row they have failed.

A gatekeeper that goes on tells the ranks of it as it tells them where a site is.  What is known stays in arrays, 19
bytes a site; there are only sites that have failed.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sessions.hash_arrays import place_of
from sessions.url import url_hashes

MOST_SITES = 1 << 22
"""Sites of which this is kept; of more, those that rest longest."""
_LONG_AGO = float("-inf")


class Standings(NamedTuple):
    """Sites by hash (uint64[n]), the times until which they rest (float64[n]) and their failures (uint16[n])."""

    sites: npt.NDArray[np.uint64]
    until: npt.NDArray[np.float64]
    failures: npt.NDArray[np.uint16]


class EarlierRests:
    """Standings of sites, each of which comes once; times are those of the web's clock."""

    def __init__(self, standings: Standings, *, most_sites: int = MOST_SITES) -> None:
        sites, until, failures = standings
        kept = np.argsort(-until, kind="stable")[:most_sites]
        kept = kept[np.argsort(sites[kept])]
        self._sites, self._until, self._failures = sites[kept], until[kept], failures[kept]
        self._is_told = np.zeros(len(kept), bool)

    def __len__(self) -> int:
        return len(self._sites)

    def until(self, site: str) -> float:
        """Until when a site rests; minus infinity if nothing is known of it."""
        place = self._place(site)
        return _LONG_AGO if place is None else float(self._until[place])

    def failures(self, site: str, now: float) -> int:
        """How often in a row a site had failed.

        While it rests all are told, for nobody can have visited it since; after that one, if none was told before.
        """
        place = self._place(site)
        if place is None or (self._is_told[place] and now >= self._until[place]):
            return 0
        self._is_told[place] = True
        return int(self._failures[place])

    def _place(self, site: str) -> int | None:
        if not len(self._sites):
            return None
        (key,) = hashes_of_sites([site]).tolist()
        return place_of(key, self._sites)


def hashes_of_sites(sites: Sequence[str]) -> npt.NDArray[np.uint64]:
    """The hashes under which sites are known here."""
    return url_hashes(sites)


NO_EARLIER_RESTS = EarlierRests(Standings(np.empty(0, np.uint64), np.empty(0, np.float64), np.empty(0, np.uint16)))
"""What a session that begins knows."""
