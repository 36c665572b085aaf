"""By priority: of the URLs discovered so far the one that a worklist gives most, unlisted ones last, first found first.

With the PageRank of the last session as priority that is the ordering of J. Cho, H. Garcia-Molina, L. Page, "Efficient
Crawling Through URL Ordering", WWW 1998, section 2.3, with an importance that is known beforehand.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.frontier.best_first import LAST_KEY
from crawler.frontier.keyed_order import KeyedOrder
from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings
from crawler.frontier.priorities import Priorities, read_priorities
from crawler.frontier.slot_heap import Keys
from sessions.hash_arrays import places
from sessions.url import Hashes


def priority_keys(hashes: Hashes, priorities: Priorities) -> Keys:
    """Return the key of each URL: the more priority, the less; `LAST_KEY` for one that is not listed.  uint64[n]."""
    listed = places(hashes, priorities.hashes)
    keys = np.full(len(hashes), LAST_KEY, np.uint64)
    is_listed = listed >= 0
    keys[is_listed] = np.uint64(LAST_KEY - 1) - _ascending(priorities.priorities[listed[is_listed]])
    return keys


class PriorityOrder(KeyedOrder):
    """The listed URLs by descending priority, equal ones as they were found, then the others as they were found.

    Beside ``memory`` every rank holds the whole list, 16 bytes for each row.
    """

    def __init__(self, folder: Path, memory: int, settings: OrderSettings = DEFAULT_SETTINGS) -> None:
        priorities = read_priorities(settings.priorities)
        super().__init__(folder, memory, lambda hashes: priority_keys(hashes, priorities))


def _ascending(numbers: npt.NDArray[np.float64]) -> Keys:
    """Whole numbers in the order of floating-point ones, with room above and below: uint64[n] for float64[n].

    The bits of IEEE 754 numbers are in their order if one reads them as signed magnitudes; the last bit is dropped.
    """
    bits = (numbers + 0.0).view(np.uint64)  # + 0.0 makes -0.0 0.0
    sign = np.uint64(1 << 63)
    is_negative = (bits & sign) != 0
    return np.where(is_negative, ~bits, bits | sign)
