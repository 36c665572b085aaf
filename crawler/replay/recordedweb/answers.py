"""The seam between a replayed web and its recording: what comes back for a request."""

from collections.abc import Sequence
from typing import Protocol

from crawler.network.web import Request, Response


class Answers(Protocol):
    """Knows the answers to requests for the pages of a recording."""

    def respond(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests, in this order, with the times that were recorded."""
        ...
