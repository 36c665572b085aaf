"""A proxy that does not let requests through is not the sites' fault: all wait, twice as long after each new try.

So a crawl goes on where it stood when the proxy is back.  If that takes long, the wait passes `--max-wait` at some
time, and the crawl ends as one that has to wait too long, to be gone on with.
"""

from math import inf


class ProxyOutage:
    """When it is worth trying the proxy again; times are the web's, the first wait is ``first_seconds``."""

    def __init__(self, first_seconds: float) -> None:
        self._first_seconds = max(first_seconds, 0.1)
        self._tries = 0
        self._until = -inf

    def failed(self, now: float) -> None:
        """A request did not get through.  Others that were under way at the time make no difference."""
        if now >= self._until:
            self._until = now + self._first_seconds * 2.0 ** min(self._tries, 30)
            self._tries += 1

    def is_over(self) -> None:
        """One got through."""
        self._tries = 0
        self._until = -inf

    def rest_left(self, now: float) -> float:
        """Return for how many seconds nothing is to be tried."""
        return max(0.0, self._until - now)
