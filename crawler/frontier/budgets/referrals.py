"""Which domain links to which, as this rank finds out: pairs on their way to the ranks that count them.

A referring domain counts once however many of its pages link, so a pair needs to travel once.  What has travelled is
remembered within a budget of memory; a pair that was forgotten travels again and changes nothing there.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from crawler.urls.generational_table import GenerationalTable
from sessions.hash_arrays import SPREADING, firsts
from sessions.url import Hashes

OWNER_BITS = 16
_OWNER_MASK = np.uint64((1 << OWNER_BITS) - 1)
_LINKS_AT_ONCE = 1 << 14


class Referrals(NamedTuple):
    """Of n pairs, the referring domains and those that they refer to: uint64[n] each."""

    sources: Hashes
    domains: Hashes


NO_REFERRALS = Referrals(np.empty(0, np.uint64), np.empty(0, np.uint64))


Arrived = Callable[[Hashes, Hashes], None]
"""What wants to know of pairs that come to be counted: n referring domains, n that they refer to."""


def ignored(_sources: Hashes, _domains: Hashes) -> None:
    """Nobody wants to know."""


def pair_keys(pairs: Referrals) -> Hashes:
    """The 64-bit key of each pair: uint64[n].

    It ends with the last 16 bits of the domain's hash, which say who counts the domain: pairs that are kept by key
    alone can be dealt out to another number of ranks.  The rest is a multiplicative hash of both, which are hashes.
    """
    mixed = pairs.sources * SPREADING + pairs.domains
    return (mixed & ~_OWNER_MASK) | (pairs.domains & _OWNER_MASK)


def owners(domains: Hashes, ranks: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """The rank that counts the in-degree of each domain: the last 16 bits of its hash, modulo K.  int64[n].

    Not the leading bits, by which a DRUM chooses the bucket of a key: every rank would fill some of its buckets only.
    """
    return (domains & _OWNER_MASK).astype(np.int64) % ranks


class NewReferrals:
    """The pairs behind this rank's links that have not been sent yet; what was sent takes at most ``budget`` bytes."""

    def __init__(self, budget: int) -> None:
        self._known = GenerationalTable(budget)
        self._new: list[Referrals] = []
        self._unsifted: list[Referrals] = []
        self._unsifted_links = 0

    def add(self, sources: Hashes, domains: Hashes) -> None:
        """Note links between domains: uint64[n] each.  Those of a domain to itself do not count."""
        between = sources != domains
        self._unsifted.append(Referrals(sources[between], domains[between]))
        self._unsifted_links += len(self._unsifted[-1].domains)
        if self._unsifted_links >= _LINKS_AT_ONCE:
            self._sift()

    def take(self) -> Referrals:
        """Remove and return the pairs, each once."""
        self._sift()
        pairs, self._new = joined(self._new), []
        return pairs

    def _sift(self) -> None:
        """Keep of the links what makes new pairs."""
        pairs = joined(self._unsifted)
        self._unsifted, self._unsifted_links = [], 0
        keys = pair_keys(pairs)
        unknown = np.flatnonzero(~self._known.contains(keys))
        new = unknown[firsts(keys[unknown])]
        if len(new):
            self._known.insert(keys[new])
            self._new.append(Referrals(pairs.sources[new], pairs.domains[new]))


def joined(pairs: list[Referrals]) -> Referrals:
    """Several lots of pairs as one, in order."""
    if not pairs:
        return NO_REFERRALS
    return Referrals(*(np.concatenate(columns) for columns in zip(*pairs, strict=True)))
