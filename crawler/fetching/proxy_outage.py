"""A proxy that does not let requests through is not the sites' fault: all of its sites wait, twice as long each time.

So a crawl goes on where it stood when the proxy is back.  If that takes long, the wait passes `--max-wait` at some
time, and the crawl ends as one that has to wait too long, to be gone on with.
"""

from math import inf

from crawler.network.proxy import Proxy


class ProxyOutages:
    """Which proxies are down; None is the one that all requests go through which no rule sends elsewhere.

    Those that a rule names are told apart.  The first wait is ``first_seconds``, times are the web's.
    """

    def __init__(self, first_seconds: float) -> None:
        self._first_seconds = first_seconds
        self._down: dict[Proxy | None, ProxyOutage] = {}

    def failed(self, proxy: Proxy | None, now: float) -> None:
        """A request did not get through this proxy."""
        self._down.setdefault(proxy, ProxyOutage(self._first_seconds)).failed(now)

    def is_over(self, proxy: Proxy | None) -> None:
        """One got through."""
        if self._down:
            self._down.pop(proxy, None)

    def rest_left(self, proxy: Proxy | None, now: float) -> float:
        """Return for how many seconds nothing is to be tried through this proxy."""
        outage = self._down.get(proxy) if self._down else None
        return outage.rest_left(now) if outage is not None else 0.0


class ProxyOutage:
    """When it is worth trying a proxy again; the first wait is ``first_seconds``."""

    def __init__(self, first_seconds: float) -> None:
        self._first_seconds = max(first_seconds, 0.1)
        self._tries = 0
        self._until = -inf

    def failed(self, now: float) -> None:
        """A request did not get through.  Others that were under way at the time make no difference."""
        if now >= self._until:
            self._until = now + self._first_seconds * 2.0 ** min(self._tries, 30)
            self._tries += 1

    def rest_left(self, now: float) -> float:
        """Return for how many seconds nothing is to be tried."""
        return max(0.0, self._until - now)
