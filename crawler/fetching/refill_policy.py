"""When sites have been served so far that URLs of others had better be let in.

An ordering that holds URLs back (`crawler.frontier.budgets.beast`) would hold back nothing if the workbench took what
comes next as soon as it had room: sites that must rest would fill it, and those that have had their share would be
visited in the meantime.  So it goes on only when most of the sites have been served that had URLs at the most since it
last did. One slow site does not hold it up, nor do some dozens.
"""

from collections.abc import Callable

LEFT_OVER = 0.7
"""Found by simulation: at 0.5 visits follow budgets less closely, at 0.8 a spam farm has half as much again."""
_COUNTED_PER_VISIT = 16


def few_sites(connections: int, ranks: int) -> int:
    """With how many sites or fewer a rank always lets others in: its part of what one rank with ``connections`` would.

    If each rank had that many itself, K ranks together would hold back nothing where each has few sites.
    """
    return max(1, connections // ranks)


class RefillPolicy:
    """Watches how many sites have URLs; ``count`` counts them, and is called once for many visits.

    ``few``: with so many sites or less, others are always let in.
    """

    def __init__(self, count: Callable[[], int], few: int) -> None:
        self._count = count
        self._few = few
        self._sites = self._most = 0
        self._visits = 0
        self._is_counted = self._is_time = False

    def visited(self) -> None:
        """A URL was taken."""
        self._visits += 1

    def came(self) -> None:
        """URLs came; if it was time for that, what sites had before counts no more."""
        if self._is_time:
            self._most = 0
        self._is_counted = self._is_time = False

    @property
    def is_time(self) -> bool:
        """Had URLs of other sites better come?"""
        if not self._is_counted or _COUNTED_PER_VISIT * self._visits >= self._sites:
            self._sites = self._count()
            self._most = max(self._most, self._sites)
            self._visits = 0
            self._is_counted = True
        self._is_time = self._sites <= max(self._few, LEFT_OVER * self._most)
        return self._is_time
