"""By priority: of the URLs discovered so far the one that a worklist gives most, unlisted ones last, first found first.

With the PageRank of the last session as priority that is the ordering of J. Cho, H. Garcia-Molina, L. Page, "Efficient
Crawling Through URL Ordering", WWW 1998, section 2.3, with an importance that is known beforehand.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.frontier.best_first import LAST_KEY, BestFirst
from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings
from crawler.frontier.priorities import Priorities, read_priorities
from crawler.frontier.slot_heap import Keys
from crawler.urls.batch import UrlBatch
from sessions.hash_arrays import places
from sessions.url import Hashes


def priority_keys(hashes: Hashes, priorities: Priorities) -> Keys:
    """Return the key of each URL: the more priority, the less; `LAST_KEY` for one that is not listed.  uint64[n]."""
    listed = places(hashes, priorities.hashes)
    keys = np.full(len(hashes), LAST_KEY, np.uint64)
    is_listed = listed >= 0
    keys[is_listed] = np.uint64(LAST_KEY - 1) - _ascending(priorities.priorities[listed[is_listed]])
    return keys


class PriorityOrder:
    """The listed URLs by descending priority, equal ones as they were found, then the others as they were found.

    Beside ``memory`` every rank holds the whole list, 16 bytes for each row.
    """

    def __init__(self, folder: Path, memory: int, settings: OrderSettings = DEFAULT_SETTINGS) -> None:
        priorities = read_priorities(settings.priorities)
        self._urls = BestFirst(folder, memory, lambda hashes: priority_keys(hashes, priorities))

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


def _ascending(numbers: npt.NDArray[np.float64]) -> Keys:
    """Whole numbers in the order of floating-point ones, with room above and below: uint64[n] for float64[n].

    The bits of IEEE 754 numbers are in their order if one reads them as signed magnitudes; the last bit is dropped.
    """
    bits = (numbers + 0.0).view(np.uint64)  # + 0.0 makes -0.0 0.0
    sign = np.uint64(1 << 63)
    is_negative = (bits & sign) != 0
    return np.where(is_negative, ~bits, bits | sign)
