"""How much of a rank's time merges take while the rank goes on fetching.

A merge of many millions of URLs, documents or pairs of domains takes minutes.  It is done in pieces, between turns of
the loop: a piece, then pages for several times as long as that took; but if there is nothing to be read, the next piece
at once.  A merge that falls behind what gathers meanwhile takes what it needs: it would have to be finished in one go
when the next is due.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

SHARE = 0.2
"""Of its time a busy rank spends at most so much on pieces of a merge that does not lag."""
_NEVER = float("inf")


class Merging(Protocol):
    """What merges: discovery, intake, and what budgets domains."""

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
    """Has what merges go on in its turn, what lags most before all others; ``now`` reads the web's clock."""

    def __init__(self, merging: Sequence[Merging], now: Callable[[], float]) -> None:
        self._merging = merging
        self._now = now
        self._may_go_on = now()

    def go_on(self, *, is_busy: bool) -> float:
        """Do a piece if one is due, at once unless the rank ``is_busy``; return when the next one is due."""
        if not any(merging.is_merging for merging in self._merging):
            return _NEVER
        began = self._now()
        is_due = not is_busy or began >= self._may_go_on
        if not is_due and self._lagging_most.merge_lag <= 0:
            return self._may_go_on
        self._lagging_most.merge_on()
        while (lagging := self._lagging_most).merge_lag > 0:
            lagging.merge_on()
        ended = self._now()
        self._may_go_on = ended + (ended - began) * (1 / SHARE - 1)
        return ended

    @property
    def _lagging_most(self) -> Merging:
        return max(self._merging, key=lambda merging: merging.merge_lag)
