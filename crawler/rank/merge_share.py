"""How much of a rank's time a merge of URL-seen takes while the rank goes on fetching.

A merge of many millions of URLs takes minutes.  It is done in pieces, between turns of the loop: a piece, then pages
for several times as long as that took; but if there is nothing to be read, the next piece at once.
"""

from collections.abc import Callable
from typing import Protocol

SHARE = 0.2
"""Of its time a busy rank spends at most so much on pieces of a merge."""
_NEVER = float("inf")


class Merging(Protocol):
    """What merges: `crawler.discovery.discovery.Discovery`."""

    @property
    def is_merging(self) -> bool:
        """Is there a merge to go on with?"""
        ...

    def merge_on(self) -> None:
        """Do a piece of it."""
        ...


class MergeShare:
    """Has what merges go on in its turn; ``now`` reads the web's clock."""

    def __init__(self, merging: Merging, now: Callable[[], float]) -> None:
        self._merging = merging
        self._now = now
        self._may_go_on = now()

    def go_on(self, *, is_busy: bool) -> float:
        """Do a piece if one is due, at once unless the rank ``is_busy``; return when the next one is due."""
        if not self._merging.is_merging:
            return _NEVER
        began = self._now()
        if is_busy and began < self._may_go_on:
            return self._may_go_on
        self._merging.merge_on()
        ended = self._now()
        self._may_go_on = ended + (ended - began) * (1 / SHARE - 1)
        return ended
