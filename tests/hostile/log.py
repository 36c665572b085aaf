"""What a hostile web has seen: every request, and what should never have come."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field

FORBIDDEN = "/forbidden/"
_SECRETS = (b"\r\ncookie:", b"\r\nauthorization:", b"\r\nproxy-authorization:", b"secret")


@dataclass(slots=True)
class Visit:
    """A request: when it came (monotonic seconds), for which site and path, on which connection; bytes sent since.

    ``path`` is empty for a connection that was dealt with before a request was read.  ``ended`` is 0 while it lasts.
    """

    time: float
    site: str
    path: str
    connection: int
    bytes: int = 0
    ended: float = 0.0


@dataclass
class Log:
    """All visits, in the order in which they came; ``leaks`` are request heads with what was not to be told."""

    visits: list[Visit] = field(default_factory=list)
    leaks: list[bytes] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, site: str, path: str, connection: int, head: bytes = b"") -> tuple[Visit, int]:
        """Take note of a request; also how many times its path of its site has been asked for by now."""
        visit = Visit(time.monotonic(), site, path, connection)
        with self._lock:
            self.visits.append(visit)
            self._counts[site, path] += 1
            if any(secret in head.lower() for secret in _SECRETS):
                self.leaks.append(head)
            return visit, self._counts[site, path]

    def end(self, visit: Visit) -> None:
        """Take note of the end of an answer."""
        visit.ended = time.monotonic()

    def count(self, site: str, path: str) -> int:
        """How often a path of a site was asked for."""
        return self._counts[site, path]

    def was_swallowed(self, site: str, path: str) -> bool:
        """Was a request for it left without a byte of an answer, on a connection that had carried another before?"""
        asked = [visit for visit in self.visits if (visit.site, visit.path) == (site, path) and not visit.bytes]
        return any(
            other.connection == visit.connection and other.time < visit.time for visit in asked for other in self.visits
        )

    def requests_of(self, site: str) -> int:
        """How many requests or connections a site has had."""
        return sum(count for (its, _), count in self._counts.items() if its == site)

    def forbidden(self) -> list[Visit]:
        """Requests for what robots.txt forbids."""
        return [visit for visit in self.visits if visit.path.startswith(FORBIDDEN)]
