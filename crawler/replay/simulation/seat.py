"""What a rank of a simulation has in place of MPI: its share of the time, and its place in meetings."""

from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Self

from crawler.exchange.verdict import Status
from crawler.monitoring.counters import Counters
from crawler.replay.simulation.coroutine import Coroutine
from crawler.urls.batch import UrlBatch
from crawler.urls.outgoing import Outgoing

if TYPE_CHECKING:
    from crawler.replay.simulation.joint_time import JointTime
    from crawler.replay.simulation.meetings import Meetings


class Occasion(Enum):
    """What ranks meet for: a swap of URLs, their states, or anything else, for which all have to come."""

    SWAP = auto()
    STATES = auto()
    ANYTHING = auto()


class Seat:
    """One rank's seat in a simulation of ``size`` ranks; it is a communicator as far as a replay needs one, and a
    `crawler.replay.virtualtime.windows.SharedTime`.

    A rank that ``is_awake`` has done something since the last meeting: its ``state`` may be another one.  One that
    ``is_late`` was away from a meeting of this superstep, and hears what came of it.  It is not told of URLs that are
    no news to it.
    """

    def __init__(self, rank: int, size: int, time: "JointTime", meetings: "Meetings") -> None:
        self.rank = rank
        self.size = size
        self.counters = Counters()
        self.coroutine: Coroutine | None = None
        self.state: Callable[[], Status] | None = None
        self.now = 0.0
        self.pauses = 0
        self.is_idle = False
        self.is_awake = True
        self.is_late = False
        self.occasion: Occasion | None = None
        self.told: Any = None
        self._time = time
        self._meetings = meetings

    # A share of the time.

    @property
    def is_over(self) -> bool:
        """Has the window ended?"""
        return self._time.is_over

    def open_window(self, end: float) -> None:
        """A window begins."""
        self._time.open_window(end)

    def say_idle(self, is_idle: bool) -> None:
        """Tell whether this rank has nothing left to do."""
        if is_idle != self.is_idle:
            self.is_idle = is_idle
            self._time.busy += -1 if is_idle else 1

    def advance(self, event: float) -> None:
        """Go to the time of this rank's next event; others go on until it has come."""
        if event <= self._time.horizon:
            self.now = max(self.now, event)
            self.is_awake = True
        else:
            self._time.wait_for(event, self)
            self.stand_by()

    # A place in meetings.

    def swap(self, outgoing: Outgoing) -> list[UrlBatch]:
        """Send URLs to other ranks; what there is for this one."""
        if self.is_late:
            assert not len(outgoing), "what a rank that is late had to say has been said"
            return []
        received: list[UrlBatch] = self._meet(Occasion.SWAP, outgoing)
        return received

    def states(self, mine: Status) -> list[Status]:
        """The states of all ranks, the same list for all."""
        if self.is_late:
            self.is_late = False
            return self._meetings.states
        states: list[Status] = self._meet(Occasion.STATES, mine)
        return states

    def tell(self, words: Any) -> list[Any]:
        """What all ranks say, by rank."""
        said: list[Any] = self._meet(Occasion.ANYTHING, words)
        return said

    def look(self) -> Status:
        """The state of a rank that is away."""
        assert self.state is not None
        self.now = max(self.now, self._time.now)
        return self.state()

    def _meet(self, occasion: Occasion, words: Any) -> Any:
        self.occasion, self.told = occasion, words
        self._meetings.come(self)
        self.stand_by()
        return self.told

    # A communicator.

    def allgather(self, words: Any) -> list[Any]:
        """What all ranks say, by rank."""
        return self.tell(words)

    def Dup(self) -> Self:  # noqa: N802 - as mpi4py has it
        """One is enough."""
        return self

    def Free(self) -> None:  # noqa: N802
        """There is nothing to let go of."""

    # A coroutine.

    def wake(self, now: float) -> None:
        """Let the rank go on at this time, in the superstep that the others are in, and take part in the meeting."""
        self.now = max(self.now, now)
        self.is_awake = True
        self.counters.superstep = self._meetings.count - self.is_late
        self.go_on()

    def begin(self, work: Callable[[], None]) -> None:
        """Do the rank's work until it first pauses."""
        self.coroutine = Coroutine(work)
        self.go_on()

    def go_on(self) -> None:
        """Let the rank go on until it pauses again."""
        assert self.coroutine is not None
        self.pauses += 1  # what it waited for is out of date
        self.coroutine.go_on()

    def stand_by(self) -> None:
        """Let others go on."""
        assert self.coroutine is not None
        self.coroutine.leave()
