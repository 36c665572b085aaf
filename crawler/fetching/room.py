"""Who gets the room on the workbench: URLs that come from the ordering, and parked ones that come back.

While half of it is free, both.  Beyond that neither gets more than the other, as long as the other has any: so a site
that is new waits for no more than as many URLs of others as may come back before it, however many are parked.
"""

AT_ONCE = 4096
"""URLs moved between two looks at the network."""
_LEAST_SHARE, _MOST_SHARE = 8, 256
_SHARES_TO_LEAVE_ROOM_FOR = 4
_TURN = 1024
_MOST_BACKLOGS = 1 << 15


class Room:
    """The room of a workbench of ``capacity`` URLs, of which so many are ``waiting``."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._came = self._came_back = 0
        self._put_by = 0
        self.waiting = 0

    def came(self, urls: int, put_by: int) -> None:
        """URLs have come from the ordering; so many of them were put by."""
        self._came += urls
        self._put_by += put_by

    def came_back(self, urls: int) -> None:
        """Parked URLs have come back."""
        self._came_back += urls

    def look_further(self) -> bool:
        """A connection is idle: take more from the ordering, even if all of it was put by so far; True if it was much.

        Otherwise no more than some thousands are put by, until that is the case.
        """
        was_much, self._put_by = self._put_by >= AT_ONCE, 0
        return was_much

    @property
    def is_half_full(self) -> bool:
        """Do new and parked URLs take turns?"""
        return 2 * self.waiting >= self._capacity

    def not_taken(self, left_for_new: int) -> None:
        """So much room is left now that the ordering was asked: if that is much, it has none to give."""
        if left_for_new >= _TURN:
            self._came = max(self._came, self._came_back)

    def share(self, servers: int) -> int:
        """How many URLs one of so many servers may have in the FIFOs of all its sites."""
        return max(_LEAST_SHARE, min(self._capacity // (_SHARES_TO_LEAVE_ROOM_FOR + servers), _MOST_SHARE))

    def for_new(self, servers: int, backlogs: int, *, others_wait: bool) -> int:
        """How many URLs may come from the ordering; some even when it is full, but of few servers: others may be ready.

        ``others_wait`` is whether there are sites whose URLs are all parked.
        """
        if self._put_by >= AT_ONCE or backlogs >= _MOST_BACKLOGS:
            return 0
        if others_wait and self.is_half_full and self._came > self._came_back + _TURN:
            return 0
        has_few = servers < self._capacity // _LEAST_SHARE and self._capacity >= _TURN
        return max(self._capacity - self.waiting, _TURN if has_few else 0)

    @property
    def is_for_parked(self) -> bool:
        """May parked URLs come back?"""
        if not self.is_half_full:
            self._came = self._came_back = 0
            return True
        return self.waiting < self._capacity and self._came_back <= self._came
