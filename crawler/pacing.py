"""The seam that ends a superstep: after a time, or as a replay measures it."""

from typing import Protocol

from crawler.exchange import LinkExchange
from crawler.stopping import StopSignal
from crawler.web import Web

_SHORTEST_POLL_SECONDS = 0.001
_LONGEST_POLL_SECONDS = 0.01
_LONGEST_WAIT_SECONDS = 0.25
_FIRST_SUPERSTEP_SECONDS = 0.05
_SHARE_OF_CRAWL = 0.1


class Pacing(Protocol):
    """How long a superstep lasts."""

    def begin(self) -> None:
        """A superstep begins."""
        ...

    def is_over(self, is_out_of_work: bool) -> bool:
        """Have all ranks come to its end?  Asked again and again; ``is_out_of_work``: nothing is left to visit here."""
        ...

    def at_most(self, now: float, until: float) -> float:
        """The time until which the web may be waited for, at most ``until``."""
        ...


def young(seconds: float, elapsed: float) -> float:
    """How long a superstep of so many ``seconds`` lasts in a crawl that began ``elapsed`` seconds ago.

    At most a tenth of the crawl before it, but for the first, so that every rank soon has something to do.
    """
    return min(seconds, max(_FIRST_SUPERSTEP_SECONDS, _SHARE_OF_CRAWL * elapsed))


class Arrival:
    """A rank's coming to the end of a superstep, and its wait for the others: ``shortest`` seconds, then twice as long
    each time, up to ``longest``."""

    def __init__(self, exchange: LinkExchange, shortest: float, longest: float) -> None:
        self._exchange = exchange
        self._shortest = shortest
        self._longest = longest
        self.begin()

    def begin(self) -> None:
        """A superstep begins."""
        self.is_here = False
        self._poll = self._shortest

    def are_all_here(self) -> bool:
        """Say that this rank has come, once, and ask whether all have."""
        if not self.is_here:
            self._exchange.arrive()
            self.is_here = True
        return self._exchange.all_have_arrived()

    def until(self, now: float) -> float:
        """When to ask again."""
        poll, self._poll = self._poll, min(2 * self._poll, self._longest)
        return now + poll


class TimedPacing:
    """A superstep of a live crawl: so many ``seconds``, shorter as long as the crawl is young.

    A rank that has come to the end, or runs out of work, says so to the others and goes on until all have.  No
    superstep goes beyond ``most_seconds`` after the start.
    """

    def __init__(
        self, web: Web, exchange: LinkExchange, stop: StopSignal, *, seconds: float, most_seconds: float | None
    ) -> None:
        self._web = web
        self._stop = stop
        self._seconds = seconds
        self._began = web.now()
        self._end = self._began + most_seconds if most_seconds is not None else float("inf")
        self._deadline = self._began
        self._arrival = Arrival(exchange, _SHORTEST_POLL_SECONDS, _LONGEST_POLL_SECONDS)

    def begin(self) -> None:
        now = self._web.now()
        self._deadline = min(now + young(self._seconds, now - self._began), self._end)
        self._arrival.begin()

    def is_over(self, is_out_of_work: bool) -> bool:
        has_come = self._arrival.is_here or is_out_of_work or self._stop.is_set or self._web.now() >= self._deadline
        return has_come and self._arrival.are_all_here()

    def at_most(self, now: float, until: float) -> float:
        if self._arrival.is_here:
            return self._arrival.until(now)
        # Not longer than a signal may be kept waiting.
        return max(now, min(until, self._deadline, now + _LONGEST_WAIT_SECONDS))
