"""How long a site, and a server, rests between two requests."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

_LONGEST_REST_SECONDS = 3600.0
"""Of what slow answers and failures make of a rest."""
_MOST_DOUBLINGS = 5
_MARGIN_SECONDS = 0.004
_MARGIN_SHARE = 0.05


class Rests(Protocol):
    """Rests that differ from site to site; asked at the end of every request.  What is said may change at any time."""

    def site_rest(self, site: str) -> float:
        """How long a site should rest, in seconds."""
        ...

    def server_rest(self, server: str, sites: Collection[str]) -> float:
        """How long the server of this key should rest, in seconds; ``sites`` are those that this rank knows on it."""
        ...


class _Alike:
    """All rest alike."""

    def site_rest(self, _site: str) -> float:
        return 0.0

    def server_rest(self, _server: str, _sites: Collection[str]) -> float:
        return 0.0


ALIKE: Rests = _Alike()
"""No rests but those that hold for all."""


@dataclass(frozen=True, slots=True)
class Delays:
    """Times in seconds.  ``factor`` is for the response time of the last request; with ``delay`` 0 it is not used.

    ``retry_wait`` is the rest after a first failure, twice as long after each next one in a row.  ``rests`` may ask
    for longer ones than ``delay`` and ``server_delay``; where these are 0 it is not asked.
    """

    delay: float = 1.0
    server_delay: float = 0.5
    factor: float = 1.0
    retry_wait: float = 2.0
    rests: Rests = ALIKE

    def site_rest(
        self, site: str, crawl_delay: float, response_seconds: float, failures: int, *, is_page: bool = True
    ) -> float:
        """How long a site rests: the largest of the delays that apply, and a little more.

        Rests of its own are for pages: after its robots.txt nothing has been taken of its budget yet.
        """
        own = self.rests.site_rest(site) if self.delay and is_page else 0.0
        slow = self.factor * response_seconds if self.delay else 0.0
        failing = self.retry_wait * 2.0 ** min(failures - 1, _MOST_DOUBLINGS) if failures else 0.0
        return _with_margin(max(self.delay, own, crawl_delay, min(max(slow, failing), _LONGEST_REST_SECONDS)))

    def server_rest(self, server: str, sites: Collection[str]) -> float:
        """How long a server rests, on which this rank knows these sites."""
        own = self.rests.server_rest(server, sites) if self.server_delay else 0.0
        return _with_margin(max(self.server_delay, own))


def _with_margin(rest: float) -> float:
    """A server may note the end of its answer a little later than we have it."""
    return rest + min(_MARGIN_SECONDS, _MARGIN_SHARE * rest)
