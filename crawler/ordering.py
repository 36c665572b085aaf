"""The seam that decides in what order a rank's URLs are fetched, and the orderings behind it."""

from pathlib import Path
from typing import Protocol

from crawler.urlbatch import UrlBatch
from crawler.urlqueue import UrlQueue


class Ordering(Protocol):
    """The frontier: URLs that this rank owns and has not fetched.  It knows no clock.

    The rank adds what it has just accepted, and takes some whenever the workbench has room; when a URL is then
    visited is the workbench's business.
    """

    def __len__(self) -> int:
        """How many URLs wait here."""
        ...

    def add(self, batch: UrlBatch) -> None:
        """Accept newly discovered URLs."""
        ...

    def take(self, count: int) -> UrlBatch:
        """Remove and return the next URLs, up to ``count``."""
        ...


class BreadthFirst:
    """First found, first fetched."""

    def __init__(self, folder: Path, memory: int) -> None:
        self._queue = UrlQueue(folder, "breadth-first", memory)

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, batch: UrlBatch) -> None:
        self._queue.add(batch)

    def take(self, count: int) -> UrlBatch:
        return self._queue.take(count)


class OwnFirst:
    """Two orderings as one: from ``later`` URLs are taken only when there are no others."""

    def __init__(self, own: Ordering, later: Ordering) -> None:
        self._own = own
        self._later = later

    def __len__(self) -> int:
        return len(self._own) + len(self._later)

    def add(self, batch: UrlBatch) -> None:
        self._own.add(batch)

    def take(self, count: int) -> UrlBatch:
        """Up to ``count`` URLs, all from the same of the two orderings."""
        return (self._own if len(self._own) else self._later).take(count)


ORDERINGS = {"bfs": BreadthFirst}


def ordering_named(name: str, folder: Path, memory: int) -> Ordering:
    """The ordering of that name, which keeps at most ``memory`` URLs in memory and the rest in ``folder``."""
    return ORDERINGS[name](folder, memory)
