"""The seam that ends a superstep: after a time, or as a replay measures it."""

from typing import Protocol

from crawler.exchange.link_exchange import LinkExchange
from crawler.network.web import Web
from crawler.process.stop_signals import StopSignal

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


class TimedPacing:
    """A superstep of a live crawl: so many ``seconds``, shorter as long as the crawl is young.

    A rank that has come to the end, or runs out of work, says so to the others and goes on until all have.  No
    superstep goes beyond ``most_seconds`` after the start.
    """

    def __init__(
        self, web: Web, exchange: LinkExchange, stop: StopSignal, *, seconds: float, most_seconds: float | None
    ) -> None:
        self._web = web
        self._exchange = exchange
        self._stop = stop
        self._seconds = seconds
        self._began = web.now()
        self._end = self._began + most_seconds if most_seconds is not None else float("inf")
        self._deadline = self._began
        self._has_arrived = False
        self._poll = _SHORTEST_POLL_SECONDS

    def begin(self) -> None:
        now = self._web.now()
        self._deadline = min(now + young(self._seconds, now - self._began), self._end)
        self._has_arrived = False
        self._poll = _SHORTEST_POLL_SECONDS

    def is_over(self, is_out_of_work: bool) -> bool:
        if not self._has_arrived:
            if not (is_out_of_work or self._stop.is_set or self._web.now() >= self._deadline):
                return False
            self._exchange.arrive()
            self._has_arrived = True
        return self._exchange.all_have_arrived()

    def at_most(self, now: float, until: float) -> float:
        if not self._has_arrived:  # not longer than a signal may be kept waiting
            return max(now, min(until, self._deadline, now + _LONGEST_WAIT_SECONDS))
        poll, self._poll = self._poll, min(2 * self._poll, _LONGEST_POLL_SECONDS)
        return now + poll
