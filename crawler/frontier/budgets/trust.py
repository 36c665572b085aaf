"""How much trust reaches a domain from the seeds: what this rank keeps of it for some domains.

Each seed's domain has the same amount to begin with, and a domain passes on 85% of what it has, in equal parts to the
domains that it links to.  A domain's trust is what comes to it.  However many domains somebody has, and however they
link to each other, they pass on less than they got: all of them together have at most 1 / 0.15 times what comes in by
links from others.  (Z. Gyongyi, H. Garcia-Molina, J. Pedersen, "Combating Web Spam with TrustRank", VLDB 2004, of
pages.)

What trust is measured by is that of the domain in which a random unit of it lies: the sum of squares over the sum.  A
farm cannot move that by having more domains, as it could a mean or a median.

A domain's links are kept by the rank that counts the domain, each with the amount that it told last; a superstep looks
at 131,072 links, all of them in turn, and tells of changes by more than a thirty-second.  Amounts are whole numbers, so
that any order of telling comes to the same sum.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from crawler.frontier.budgets.referrals import Referrals, pair_keys
from crawler.urls.hash_table import HashTable
from sessions.hash_arrays import distinct, firsts
from sessions.url import Hashes

Amounts = npt.NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)

TOTAL = 1 << 40
"""What all seeds have together."""
UNLIMITED = 1 << 62
PASSED_PERCENT = 85
_TOLD_AGAIN = 32
_LINKS_AT_ONCE = 1 << 17
_BYTES_A_LINK = 2 * (8 + 8 + 4) + 32
"""The columns of a link, which double when they are full, and its key."""
_BYTES_A_DOMAIN = 2 * (8 + 4) + 48
_DOMAINS_SHARE = 4


class Trust:
    """The trust of the domains that this rank counts, in ``memory`` bytes; ``seeds`` are the domains of all seeds.

    When memory is used up, no further links are kept, and no further domains: what is not kept has no trust.
    """

    def __init__(self, memory: int, seeds: Hashes) -> None:
        self._seeds = distinct(seeds)
        self._most_links = (memory - memory // _DOMAINS_SHARE) // _BYTES_A_LINK
        self._most_domains = memory // _DOMAINS_SHARE // _BYTES_A_DOMAIN
        self._places = HashTable({"place": np.uint32})
        self._came: Amounts = np.zeros(64, np.int64)
        self._passes: Amounts = np.zeros(64, np.int64)
        self._keys = HashTable()
        self._sources: npt.NDArray[np.uint32] = np.zeros(64, np.uint32)
        self._targets: Hashes = np.zeros(64, np.uint64)
        self._told: Amounts = np.zeros(64, np.int64)
        self._turn = 0

    @property
    def links(self) -> int:
        """Links that are kept."""
        return len(self._keys)

    def add(self, pairs: Referrals) -> None:
        """Note that domains that this rank counts link to others; a pair that is known changes nothing."""
        keys = pair_keys(pairs)
        new = np.flatnonzero(~self._keys.contains(keys))
        new = new[firsts(keys[new])]
        places = self._places_of(pairs.sources[new], makes_room=True)
        new, places = new[places >= 0], places[places >= 0]
        np.add.at(self._passes, places, 1)  # by links that are not kept trust is lost, not given to the others
        room = max(0, self._most_links - self.links)
        new, places = new[:room], places[:room]
        start, stop = self.links, self.links + len(new)
        self._sources = _with_room(self._sources, stop)
        self._targets = _with_room(self._targets, stop)
        self._told = _with_room(self._told, stop)
        self._sources[start:stop], self._targets[start:stop] = places, pairs.domains[new]
        self._keys.insert(keys[new])

    def changes(self) -> tuple[Hashes, Amounts]:
        """What links pass on more than they told, or less, by target: distinct uint64[n], int64[n].  Now it is told."""
        links = np.arange(self._turn, min(self._turn + _LINKS_AT_ONCE, self.links))
        self._turn = 0 if not len(links) or links[-1] + 1 == self.links else int(links[-1]) + 1
        sources = self._sources[links]
        has = self._came + self._given()
        passed = has * PASSED_PERCENT // 100 // np.maximum(self._passes, 1)
        more = passed[sources] - self._told[links]
        is_news = np.abs(more) * _TOLD_AGAIN > self._told[links]
        links, more = links[is_news], more[is_news]
        self._told[links] += more
        targets, which = np.unique(self._targets[links], return_inverse=True)
        amounts = np.zeros(len(targets), np.int64)
        np.add.at(amounts, which, more)
        return targets, amounts

    def receive(self, domains: Hashes, amounts: Amounts) -> None:
        """So much more, or less, comes to domains that this rank counts: uint64[n], int64[n]."""
        places = self._places_of(domains, makes_room=True)
        np.add.at(self._came, places[places >= 0], amounts[places >= 0])

    def of(self, domains: Hashes) -> Amounts:
        """What comes to each domain, `UNLIMITED` to a seed's: int64[n] for uint64[n]."""
        places = self._places_of(domains, makes_room=False)
        came = np.where(places >= 0, self._came[places], 0)
        came[np.isin(domains, self._seeds)] = UNLIMITED
        return came

    def sums(self) -> tuple[float, float]:
        """What came to all domains, and the sum of its squares."""
        came = self._came.astype(np.float64)
        return float(came.sum()), float((came**2).sum())

    def _given(self) -> Amounts:
        """What each domain has to begin with: int64 by place."""
        given = np.zeros(len(self._came), np.int64)
        places = self._places_of(self._seeds, makes_room=False)
        given[places[places >= 0]] = TOTAL * (100 - PASSED_PERCENT) // 100 // max(1, len(self._seeds))
        return given

    def _places_of(self, domains: Hashes, *, makes_room: bool) -> Amounts:
        """Where each domain's amounts stand, -1 if nothing is kept of it; made for those for which there is room."""
        if makes_room:
            new = distinct(domains[~self._places.contains(domains)])
            start = len(self._places)
            new = new[: max(0, self._most_domains - start)]
            self._places.insert(new, {"place": np.arange(start, start + len(new), dtype=np.uint32)})
            self._came = _with_room(self._came, start + len(new))
            self._passes = _with_room(self._passes, start + len(new))
        slots = self._places.find(domains)
        return np.where(slots >= 0, self._places.values["place"][slots].astype(np.int64), -1)


def _with_room(column: npt.NDArray[Number], length: int) -> npt.NDArray[Number]:
    """The column, or a longer one that begins with it if it has not that length."""
    if length <= len(column):
        return column
    longer = np.zeros(max(length, 2 * len(column)), column.dtype)
    longer[: len(column)] = column
    return longer
