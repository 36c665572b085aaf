"""How long a site rests between two requests."""

from dataclasses import dataclass

_LONGEST_REST_SECONDS = 3600.0
"""Of what slow answers and failures make of a rest."""
_MOST_DOUBLINGS = 5
_MARGIN_SECONDS = 0.004
_MARGIN_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Delays:
    """Times in seconds.  ``factor`` is for the response time of the last request; with ``delay`` 0 it is not used.

    ``retry_wait`` is the rest after a first failure, twice as long after each next one in a row.
    """

    delay: float = 1.0
    server_delay: float = 0.5
    factor: float = 1.0
    retry_wait: float = 2.0

    def site_rest(self, crawl_delay: float, response_seconds: float, failures: int) -> float:
        """How long a site rests: the largest of the delays that apply, and a little more."""
        slow = self.factor * response_seconds if self.delay else 0.0
        failing = self.retry_wait * 2.0 ** min(failures - 1, _MOST_DOUBLINGS) if failures else 0.0
        return _with_margin(max(self.delay, crawl_delay, min(max(slow, failing), _LONGEST_REST_SECONDS)))

    @property
    def server_rest(self) -> float:
        """How long a server rests."""
        return _with_margin(self.server_delay)


def _with_margin(rest: float) -> float:
    """A server may note the end of its answer a little later than we have it."""
    return rest + min(_MARGIN_SECONDS, _MARGIN_SHARE * rest)
