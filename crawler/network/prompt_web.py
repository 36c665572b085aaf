"""A web that answers at once: what webs have in common in which no request takes any time."""

from crawler.network.web import Request


class PromptWeb:
    """The part of a `crawler.network.web.Web` whose requests are all answered when it is next waited for.

    What is left to say is what the answers are, where an origin is connected to, and what time it is.
    """

    def __init__(self) -> None:
        self._started: list[Request] = []

    @property
    def bandwidth(self) -> None:
        """There is no limit."""
        return None

    @property
    def in_flight(self) -> int:
        """Requests that wait for `wait`."""
        return len(self._started)

    def start(self, request: Request) -> None:
        """Ask for a page."""
        self._started.append(request)

    def advance(self) -> None:
        """Everything is answered at once."""

    def stand_still(self, seconds: float) -> None:
        """Nobody pauses here."""

    def cancel(self) -> list[Request]:
        """Give up all requests that were begun, and return them."""
        requests, self._started = self._started, []
        return requests

    def close(self) -> None:
        """Forget what was asked for."""
        self._started.clear()
