"""What a rank's loop is doing, for threads beside it to look at.

A rank that hangs, or whose machine is gone, cannot say so: what is known of it is that it has not come to a meeting at
which others wait.  A meeting is wherever all ranks have to come before any goes on, a barrier or a collective; all
ranks come to the same ones in the same order, so their numbers can be compared.

Reads the clock: how long others are waited for is no time of the crawl.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic


class Attendance:
    """The ``meetings`` that this rank has come to, and since when it waits at the last one: None if it does not.

    If it ``is_blocked`` it does nothing else meanwhile.  ``moves`` grows while something long goes on (`move`).
    Written by the loop's thread alone, and read by others.
    """

    def __init__(self) -> None:
        self.meetings = 0
        self.moves = 0
        self.waits_since: float | None = None
        self.is_blocked = False
        self._loop: Callable[[], tuple[str, float]] = lambda: ("start", 0.0)

    def follow(self, loop: Callable[[], tuple[str, float]]) -> None:
        """Have ``loop`` say what stage the rank's loop is at, with a number that changes whenever it moves on."""
        self._loop = loop

    @property
    def stage(self) -> str:
        """What the rank's loop is busy with."""
        return self._loop()[0]

    @property
    def position(self) -> tuple[int, int, float]:
        """Changes whenever the loop moves on."""
        return self.meetings, self.moves, self._loop()[1]

    def move(self) -> None:
        """Something long goes on, and has come further."""
        self.moves += 1

    def arrive(self) -> None:
        """This rank has come to the next meeting, and goes on with what it does until all have."""
        self.meetings += 1
        self.waits_since = monotonic()

    def leave(self) -> None:
        """All have come."""
        self.waits_since = None

    @contextmanager
    def meeting(self) -> Iterator[None]:
        """A meeting that takes as long as the statement."""
        self.arrive()
        self.is_blocked = True
        yield
        self.is_blocked = False
        self.leave()
