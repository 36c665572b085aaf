"""At random, and yet the same for any number of ranks: URLs by a hash of seed and URL, a baseline for other orders.

J. Cho, H. Garcia-Molina, L. Page, "Efficient Crawling Through URL Ordering", WWW 1998, section 6, compare with it.
"""

from pathlib import Path

import numpy as np

from crawler.frontier.best_first import LAST_KEY
from crawler.frontier.keyed_order import KeyedOrder
from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings
from crawler.frontier.slot_heap import Keys
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


class RandomOrder(KeyedOrder):
    """Of the URLs discovered so far the one with the least key."""

    def __init__(self, folder: Path, memory: int, settings: OrderSettings = DEFAULT_SETTINGS) -> None:
        super().__init__(folder, memory, lambda hashes: random_keys(hashes, settings.order_seed))
