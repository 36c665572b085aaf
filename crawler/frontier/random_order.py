"""At random, and yet the same for any number of ranks: URLs by a hash of seed and URL, a baseline for other orders.

J. Cho, H. Garcia-Molina, L. Page, "Efficient Crawling Through URL Ordering", WWW 1998, section 6, compare with it.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crawler.frontier.best_first import LAST_KEY, BestFirst
from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings
from crawler.frontier.slot_heap import Keys
from crawler.urls.batch import UrlBatch
from sessions.hash_arrays import SPREADING
from sessions.url import Hashes

_SHIFTS = (30, 27, 31)
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""Those of the finalizer of splitmix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators",
OOPSLA 2014): every bit of its result depends on every bit of what it is given."""


def random_keys(hashes: Hashes, seed: int) -> Keys:
    """Return a key for each URL, which depends on its hash and the seed alone: uint64[n] for uint64[n]."""
    keys = hashes + np.uint64((seed + 1) * int(SPREADING) & ((1 << 64) - 1))
    for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return np.minimum(keys ^ (keys >> np.uint64(_SHIFTS[-1])), np.uint64(LAST_KEY))


class RandomOrder:
    """Of the URLs discovered so far the one with the least key."""

    def __init__(self, folder: Path, memory: int, settings: OrderSettings = DEFAULT_SETTINGS) -> None:
        self._urls = BestFirst(folder, memory, lambda hashes: random_keys(hashes, settings.order_seed))

    def __len__(self) -> int:
        return len(self._urls)

    @property
    def ready(self) -> int:
        return len(self._urls)

    @property
    def current(self) -> int:
        return len(self._urls)

    def move_on(self) -> None:
        """Nothing is ever held back."""

    def add(self, batch: UrlBatch) -> None:
        self._urls.add(batch)

    def take(self, count: int) -> UrlBatch:
        return self._urls.take(count)

    def drain(self) -> Iterator[UrlBatch]:
        return self._urls.drain()

    @property
    def budgeted(self) -> None:
        return None

    @property
    def back_links(self) -> None:
        return None
