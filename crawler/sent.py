"""What this rank has already handed to the owners of other parts, within a budget of memory."""

import numpy as np

from crawler.keytable import KeyTable
from crawler.urlbatch import Mask
from sessions.url import Hashes

_SHARE_OF_FILTER = 8
_FILTER_PROBES = 4
_BITS_PER_WORD = 64


class Sent:
    """Hashes of the URLs that this rank has sent, in at most ``budget`` bytes.

    It never claims what was not sent.  When the budget is used up the older half is forgotten; a forgotten URL is
    sent once more when it is found again.  A Bloom filter that forgets nothing tells how often that happened: what
    it has met and the keys have not is counted in ``resent`` (too high by the filter's false positives, never low).
    """

    def __init__(self, budget: int) -> None:
        self.resent = 0
        self._filter: _BloomFilter | None = None
        self._filter_bytes = budget // _SHARE_OF_FILTER
        self._generation_bytes = (budget - self._filter_bytes) // 2
        self._young = KeyTable()
        self._old = KeyTable()

    def contains(self, hashes: Hashes) -> Mask:
        """Which URLs are known to have been sent: bool[n] for uint64[n]."""
        return self._young.contains(hashes) | self._old.contains(hashes)

    def add(self, hashes: Hashes) -> None:
        """Note URLs that are about to be sent: distinct, and none that `contains` knows."""
        if self._filter is not None:
            self.resent += int(np.count_nonzero(self._filter.contains(hashes)))
        # A table doubles when it is half full: forget before the young generation would outgrow its share.
        if 2 * (len(self._young) + len(hashes)) * 16 > self._generation_bytes:
            self._forget()
        self._young.insert(hashes)

    def _forget(self) -> None:
        if self._filter is None:
            self._filter = _BloomFilter(self._filter_bytes)
        self._filter.add(self._young.keys(self._young.occupied()))
        self._old, self._young = self._young, KeyTable()


class _BloomFilter:
    """Bloom's filter over hashes, without counters, in ``size`` bytes: answers "surely new" or "probably met"."""

    def __init__(self, size: int) -> None:
        self._words = np.zeros(max(1, size // (_BITS_PER_WORD // 8)), np.uint64)

    def add(self, hashes: Hashes) -> None:
        for words, bits in self._places(hashes):
            np.bitwise_or.at(self._words, words, bits)

    def contains(self, hashes: Hashes) -> Mask:
        met = np.ones(len(hashes), bool)
        for words, bits in self._places(hashes):
            met &= (self._words[words] & bits) != 0
        return met

    def _places(self, hashes: Hashes) -> "list[tuple[Hashes, Hashes]]":
        """For each probe, the word and the bit: double hashing (Kirsch and Mitzenmacher 2006) with the two halves."""
        first, second = hashes >> np.uint64(32), hashes | np.uint64(1)
        places = []
        for probe in range(_FILTER_PROBES):
            mixed = (first + np.uint64(probe) * second) * np.uint64(0x9E3779B97F4A7C15)
            words = (mixed >> np.uint64(6)) % np.uint64(len(self._words))
            places.append((words, np.uint64(1) << (mixed & np.uint64(_BITS_PER_WORD - 1))))
        return places
