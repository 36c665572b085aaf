"""The load that the IRLbot paper puts on its URL-seen: of all links, one in nine leads to a URL not seen before.

Keys are a fixed one-to-one scrambling of 0, 1, 2, ..., in the order in which they first come, so that no list of what
was seen is needed: a repeated key is that of a number drawn evenly from those before it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
LINKS_PER_KEY = 9
SEED = 1


@dataclass(frozen=True)
class Batch:
    """Operations that follow each other."""

    keys: Keys
    """uint64[n]"""
    numbers: npt.NDArray[np.int64]
    """Which of the distinct keys each is, in the order of their first coming."""
    new: npt.NDArray[np.bool_]
    """Which come for the first time."""


def batches(keys: int, size: int, seed: int = SEED) -> Iterator[Batch]:
    """``LINKS_PER_KEY * keys`` operations on that many distinct keys, ``size`` at a time.

    Every batch has its share of new keys, at random places.  The memory taken is that of one batch.
    """
    rng = np.random.default_rng(seed)
    seen, total = 0, LINKS_PER_KEY * keys
    for begin in range(0, total, size):
        end = min(begin + size, total)
        new = np.zeros(end - begin, bool)
        new[: -(-end * keys // total) - seen] = True
        if begin:
            rng.shuffle(new)  # in the first batch new keys come first: there is nothing yet to be repeated
        before = seen + np.cumsum(new)
        numbers = np.where(new, before - 1, rng.integers(0, before))
        seen = int(before[-1])
        yield Batch(scrambled(numbers, seed), numbers, new)


def scrambled(numbers: npt.NDArray[np.int64], seed: int = SEED) -> Keys:
    """Numbers as keys, evenly spread over 64 bits and distinct if they are.

    Source: the output function of SplitMix64; G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number
    Generators", OOPSLA 2014.
    """
    z = (numbers.astype(np.uint64) + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
