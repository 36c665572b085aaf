"""Serving the network while something merges: a merge may take minutes, in which connections must not starve."""

from collections.abc import Callable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


class KeepAlive:
    """Serves whatever must not wait for a merge, by calls that must not use the DRUM that merges.

    A rank has one of these, and hands it to all that merges.
    """

    def __init__(self, *calls: Callable[[], object]) -> None:
        self._calls = calls

    def serve(self) -> None:
        """Serve once: to be called often, at least once for each block of a file."""
        for call in self._calls:
            call()

    def during(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield the items, and serve before each."""
        for item in items:
            self.serve()
            yield item


NOTHING_TO_SERVE = KeepAlive()
"""For what has no network beside it."""
