"""An exact page limit over all ranks: a rank starts a page only against a credit.

All credits that are neither used up nor in flight are shared out anew in every exchange, so none lies unused on one
rank while another could use it, and the ranks need no messages of their own about them.  Always

    pages recorded + pages in flight + free credits, over all ranks, = the limit.
"""

from collections.abc import Sequence


class Credits:
    """The credits that this rank may still use; without a limit there is always one."""

    def __init__(self, is_limited: bool) -> None:
        self._free: int | None = 0 if is_limited else None

    @property
    def available(self) -> bool:
        """May a page be requested?"""
        return self._free is None or self._free > 0

    def at_most(self, wanted: int) -> int:
        """How many pages may be requested, up to ``wanted``."""
        return wanted if self._free is None else min(wanted, max(0, self._free))

    def take(self) -> None:
        """Use a credit for a page that is about to be requested."""
        if self._free is not None:
            self._free -= 1

    def give_back(self) -> None:
        """A request left no page."""
        if self._free is not None:
            self._free += 1

    def replace(self, free: int | None) -> None:
        """Take this rank's share of the free credits instead of what it had; None if there is no limit."""
        self._free = free


def shares(pool: int, demands: Sequence[int]) -> list[int]:
    """Share ``pool`` credits out to ranks that could use ``demands``: as evenly as the demands allow.

    What nobody can use yet is spread evenly, because a rank may find URLs before the next exchange.  The shares add
    up to the pool, and every rank computes the same ones.
    """
    given = [0] * len(demands)
    open_ranks = sorted(range(len(demands)), key=lambda rank: (demands[rank], rank))
    while open_ranks:
        rank = open_ranks.pop(0)
        given[rank] = min(demands[rank], pool // (len(open_ranks) + 1))
        pool -= given[rank]
    even, odd = divmod(pool, len(given))
    return [share + even + (rank < odd) for rank, share in enumerate(given)]
