"""How much of a rank's time a merge of URL-seen takes while the rank goes on fetching.

A merge of many millions of URLs takes minutes.  It is done in pieces, between turns of the loop: a piece, then pages
for several times as long as that took; but if there is nothing to be read, the next piece at once.  A merge that falls
behind the URLs that gather meanwhile takes what it needs: it would have to be finished in one go when theirs is due.
"""

from collections.abc import Callable
from typing import Protocol

SHARE = 0.2
"""Of its time a busy rank spends at most so much on pieces of a merge that does not lag."""
_NEVER = float("inf")


class Merging(Protocol):
    """What merges: `crawler.discovery.discovery.Discovery`."""

    @property
    def is_merging(self) -> bool:
        """Is there a merge to go on with?"""
        ...

    @property
    def merge_lag(self) -> float:
        """How far is it behind what came since it was begun?  Above 0, the next merge would have to wait for it."""
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
        is_due = not is_busy or began >= self._may_go_on
        if not is_due and self._merging.merge_lag <= 0:
            return self._may_go_on
        self._merging.merge_on()
        while self._merging.merge_lag > 0:
            self._merging.merge_on()
        ended = self._now()
        self._may_go_on = ended + (ended - began) * (1 / SHARE - 1)
        return ended
