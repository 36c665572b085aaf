"""The web as a session recorded it, without a clock of its own: every request is answered when it is waited for.

Reads the clock: a replay in real time is as fast as the machine.
"""

from collections.abc import Sequence
from time import monotonic
from typing import Protocol

from crawler.network.web import Found, Lookup, Request, Response


class RecordedAnswers(Protocol):
    """Knows the answers to requests for the pages of a recording."""

    def respond(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests, in this order, with the times that were recorded."""
        ...


class RecordedWeb:
    """A `crawler.network.web.Web` of recorded pages, in the order in which they are asked for.

    Its time is that of this machine, for progress and epochs; nothing that a replay finds out depends on it.
    """

    def __init__(self, answers: RecordedAnswers) -> None:
        self._answers = answers
        self._started: list[Request] = []

    @property
    def bandwidth(self) -> None:
        return None

    @property
    def in_flight(self) -> int:
        return len(self._started)

    def now(self) -> float:
        return monotonic()

    def look_up(self, lookup: Lookup) -> None:
        """Nothing needs an address here."""
        raise NotImplementedError(f"{lookup.origin}: a replay without a clock connects to nothing")

    def start(self, request: Request) -> None:
        self._started.append(request)

    def wait(self, until: float) -> list[Response | Found]:
        requests, self._started = self._started, []
        return [*self._answers.respond(requests)]

    def advance(self) -> None:
        """Everything is answered at once."""

    def stand_still(self, seconds: float) -> None:
        """Nobody pauses here."""

    def cancel(self) -> list[Request]:
        requests, self._started = self._started, []
        return requests

    def close(self) -> None:
        self._started.clear()
