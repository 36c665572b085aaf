"""The seam between a crawl and those who watch it."""

from collections.abc import Sequence
from typing import Protocol

from crawler.exchange.verdict import Status


class Watcher(Protocol):
    """Somebody who is told how the crawl stands; called by the rank's loop, between two supersteps."""

    def show(self, states: Sequence[Status], *, is_last: bool = False) -> None:
        """A superstep has ended with these states of all ranks; after the last one nothing more comes."""
        ...

    def close(self) -> None:
        """The crawl has ended, well or badly."""
        ...
