"""How many URLs the workbench of a crawl takes at once whose order matters.

What is on the workbench is visited as its sites allow, in no order among sites.  So a crawl that has to keep to an
order takes few at a time; and more only while all sites of these must rest, or else the connections would idle.
"""

_BATCH = 1024
"""So many are taken at once where the order does not matter."""
_LEAST = 4
_WIDER = 2


class LookAhead:
    """Lets up to ``most`` URLs be on the workbench, or as many as it has room for if that is None."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most if most is None else max(most, _LEAST)

    def room(self, room: int, waiting: int) -> int:
        """How many URLs to take next, where there is ``room`` for so many and ``waiting`` are there."""
        if self._most is None:
            return _BATCH if room >= _BATCH else 0
        return min(room, max(0, self._most - waiting))

    def widen(self, waiting: int) -> bool:
        """All sites of what is there must rest: take more, if that is what is lacking; whether it is."""
        if self._most is None or waiting < self._most:
            return False
        self._most *= _WIDER
        return True
