"""Ranks with a limit of bandwidth in made-up time: servers that answer late, kernels that keep what nobody reads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from random import Random

from crawler.exchange.bandwidth_share import BandwidthShare
from crawler.exchange.verdict import Status
from crawler.network.bandwidth import Bandwidth
from crawler.network.timetable import Timetable
from crawler.network.web import ERROR_KINDS

STEP = 0.005
_NO_STATUS = dict.fromkeys(Status._fields, 0) | {"errors": (0,) * len(ERROR_KINDS)}
_READ_AT_ONCE = 16 << 10


@dataclass
class Servers:
    """What a rank's servers do: sizes of answers, how late they come, and how fast each is sent, in bytes a second.

    At most ``sites`` answer at once, each so many seconds after its last answer (``rest``).  ``stall`` is how often,
    and for how long, the rank is busy with something else.
    """

    sizes: Sequence[int]
    latencies: Sequence[float] = (0.001,)
    speed: float = 1e9
    sites: int = 64
    rest: float = 0.0
    stall: tuple[float, float] = (inf, 0.0)


@dataclass(eq=False)
class _Answer:
    comes: float
    size: int
    to_come: int
    unread: int = 0


@dataclass(eq=False)
class LimitedRank:
    """One rank: reads, and asks for more, as far as its ``bandwidth`` lets it."""

    servers: Servers
    random: Random
    bandwidth: Bandwidth = field(default_factory=Bandwidth)
    at_interface: int = 0
    under_way: list[_Answer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._free_from = [0.0] * self.servers.sites

    def step(self, now: float) -> None:
        """What happens in `STEP` seconds."""
        self._receive(now)
        every, seconds = self.servers.stall
        if now % every >= seconds:
            self._read(now)
            self._start(now)

    def _receive(self, now: float) -> None:
        for answer in self.under_way:
            if now >= answer.comes:
                kept = 2 * self.bandwidth.most_unread  # as Linux does
                count = int(min(answer.to_come, kept - answer.unread, self.servers.speed * STEP))
                answer.to_come -= count
                answer.unread += count
                self.at_interface += count

    def _read(self, now: float) -> None:
        while readable := [answer for answer in self.under_way if answer.unread]:
            until = self.bandwidth.reading_from(now)
            if until > now:
                self.bandwidth.hold(now, until)
                return
            answer = self.random.choice(readable)
            count = min(answer.unread, _READ_AT_ONCE)
            answer.unread -= count
            self.bandwidth.arrive(count)
            self.bandwidth.read(answer, count)
            if not (answer.unread or answer.to_come):
                self.under_way.remove(answer)
                self.bandwidth.end(answer, answer.size)
                self._free_from.append(now + self.servers.rest)

    def _start(self, now: float) -> None:
        while self._free_from and (first := min(self._free_from)) <= now:
            until = self.bandwidth.starting_from(now)
            if until > now:
                self.bandwidth.hold(now, until)
                return
            self._free_from.remove(first)
            size = self.random.choice(self.servers.sizes)
            answer = _Answer(now + self.random.choice(self.servers.latencies), size, size)
            self.under_way.append(answer)
            self.bandwidth.begin(answer)


def arrivals(
    ranks: Sequence[LimitedRank], limit: int | Callable[[float], int], seconds: float, *, per_host: bool = False
) -> list[int]:
    """Return what came to all ranks in each `STEP`, where they share a limit in bits per second in each superstep.

    With ``per_host`` the limit is that of the machine they are all on.
    """
    at = limit if callable(limit) else lambda _: limit
    timetable = _MadeUpTimetable()
    timetable.limit = None if per_host else at(0.0)
    shares = [
        BandwidthShare(rank.bandwidth, timetable, at(0.0) if per_host else None, len(ranks), 0.0) for rank in ranks
    ]
    counts, before = [], 0
    for number in range(round(seconds / STEP)):
        now = number * STEP
        if number and number % round(1 / STEP) == 0:
            timetable.limit = None if per_host else at(now)
            states = [Status(**_NO_STATUS | share.state(now)._asdict()) for share in shares]  # type: ignore[arg-type]
            for place, share in enumerate(shares):
                share.take(states, place, now)
        for rank in ranks:
            rank.step(now)
        received = sum(rank.at_interface for rank in ranks)
        counts.append(received - before)
        before = received
    return counts


class _MadeUpTimetable(Timetable):
    limit: int | None

    def now(self) -> int | None:
        return self.limit
