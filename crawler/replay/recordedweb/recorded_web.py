"""The web as a session recorded it, without a clock of its own: every request is answered when it is waited for.

Reads the clock: a replay in real time is as fast as the machine.
"""

from collections.abc import Sequence
from time import monotonic
from typing import Protocol

from crawler.network.prompt_web import PromptWeb
from crawler.network.web import Found, Lookup, Request, Response


class RecordedAnswers(Protocol):
    """Knows the answers to requests for the pages of a recording."""

    def respond(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests, in this order, with the times that were recorded."""
        ...


class RecordedWeb(PromptWeb):
    """A `crawler.network.web.Web` of recorded pages, in the order in which they are asked for.

    Its time is that of this machine, for progress and epochs; nothing that a replay finds out depends on it.
    """

    def __init__(self, answers: RecordedAnswers) -> None:
        super().__init__()
        self._answers = answers

    def now(self) -> float:
        """What time it is on this machine."""
        return monotonic()

    def look_up(self, lookup: Lookup) -> None:
        """Nothing needs an address here."""
        raise NotImplementedError(f"{lookup.origin}: a replay without a clock connects to nothing")

    def wait(self, until: float) -> list[Response | Found]:
        """The answers to all requests."""
        return [*self._answers.respond(self.cancel())]
