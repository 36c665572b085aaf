"""How long a site, and a server, rests between two requests."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

_LONGEST_REST_SECONDS = 3600.0
"""Of what slow answers and failures make of a rest."""
_MOST_DOUBLINGS = 5
_MARGIN_SECONDS = 0.004
_RESTED_SECONDS = 1e-6
"""What is left of a rest is over if it is no longer than this: less may be lost when it is added to a clock's time."""
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

    What a rule of the operator says of a site (``ruled``, in seconds) takes the place of ``delay``; what one says of a
    server takes that of ``server_delay`` if it is longer.

    When a run goes on with a session, any site and server may have been visited just before: all count as visited at
    ``visited_at``, a time of this rank's web.
    """

    delay: float = 1.0
    server_delay: float = 0.5
    factor: float = 1.0
    retry_wait: float = 2.0
    rests: Rests = ALIKE
    visited_at: float | None = None

    def site_rest(
        self,
        site: str,
        crawl_delay: float,
        response_seconds: float,
        failures: int,
        *,
        is_page: bool = True,
        ruled: float | None = None,
    ) -> float:
        """How long a site rests: the largest of the delays that apply, and a little more.

        Rests of its own are for pages: after its robots.txt nothing has been taken of its budget yet.
        """
        delay = self.delay if ruled is None else ruled
        own = self.rests.site_rest(site) if delay and is_page else 0.0
        slow = self.factor * response_seconds if delay else 0.0
        failing = self.retry_wait * 2.0 ** min(failures - 1, _MOST_DOUBLINGS) if failures else 0.0
        return _with_margin(max(delay, own, crawl_delay, min(max(slow, failing), _LONGEST_REST_SECONDS)))

    def server_rest(self, server: str, sites: Collection[str], *, ruled: float = 0.0) -> float:
        """How long a server rests, on which this rank knows these sites."""
        own = self.rests.server_rest(server, sites) if self.server_delay else 0.0
        return _with_margin(max(self.server_delay, own, ruled))

    def rests_left(
        self,
        site: str,
        server: str,
        sites: Collection[str],
        crawl_delay: float,
        now: float,
        *,
        ruled: float | None = None,
        server_ruled: float = 0.0,
    ) -> tuple[float, float]:
        """How long a site, and the server that it is on, have yet to rest after ``visited_at``; 0 if no longer."""
        if self.visited_at is None:
            return 0.0, 0.0
        since = now - self.visited_at
        site_rest = self.site_rest(site, crawl_delay, 0.0, 0, ruled=ruled)
        server_rest = self.server_rest(server, sites, ruled=server_ruled)
        return _if_some(site_rest - since), _if_some(server_rest - since)


def _if_some(left: float) -> float:
    return left if left > _RESTED_SECONDS else 0.0


def _with_margin(rest: float) -> float:
    """A server may note the end of its answer a little later than we have it."""
    return rest + min(_MARGIN_SECONDS, _MARGIN_SHARE * rest)
