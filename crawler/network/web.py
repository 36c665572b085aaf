"""The seam between a rank and the web: where pages come from, and what time it is there.

Time belongs to the web, so that a replay can run in virtual time: nothing else in this package reads a clock or
sleeps.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from crawler.network.bandwidth import Bandwidth
from crawler.network.proxy import Proxy
from crawler.urls.targets import PageTargets
from sessions.schema import Page

PROXY = "proxy"
"""The kind of error that is a proxy's, and says nothing of the site."""
ERROR_KINDS = (
    *("dns", "connect", "connect-timeout", "tls", "tls-expired", "tls-name", "tls-untrusted"),
    *("timeout", "idle", "slow", "disconnect", "empty", "protocol", "header-size", "size", "url", PROXY, "other"),
)
"""What may keep a response from coming, or from coming whole.

``tls`` is a handshake that fails for another reason than the certificate's dates, its name or its issuer.
"""
REFUSALS = ("internal-address", "no-contact")
"""Why an address is not connected to: it lies inside a network, or outside and we name no contact."""
GET, HEAD = "GET", "HEAD"
"""The methods of requests."""


class Endpoint(NamedTuple):
    """Where a site is connected to: an IP address without brackets, or a name that a proxy looks up; and a port."""

    ip: str
    port: int


class Request(NamedTuple):
    """A URL to be requested; ``purpose`` comes back with the response untouched.

    The connection goes to ``endpoint`` and nowhere else, whatever the URL's host would resolve to by now.
    ``body_limit`` in bytes takes the place of the web's own limit where it is given.  ``headers`` are header lines
    beside the usual ones.  ``user_agent`` is what the crawler calls itself where that is not the usual name; the
    contact follows it.  ``method`` is `GET` or `HEAD`, which no body answers.  ``secret_headers`` are lines that are
    sent, too, but told to nobody.  ``proxy`` is the way out in the place of the web's own: the one of the `Lookup` that
    gave the endpoint.
    """

    url: str
    purpose: Any
    endpoint: Endpoint | None = None
    body_limit: int | None = None
    headers: tuple[str, ...] = ()
    method: str = GET
    user_agent: str | None = None
    secret_headers: tuple[str, ...] = ()
    proxy: Proxy | None = None


class Lookup(NamedTuple):
    """An origin (scheme, host and port) whose endpoints are wanted; ``purpose`` comes back with the answer.

    They are to be reached by ``proxy``, where that takes the place of the web's own way out.
    """

    origin: str
    purpose: Any
    proxy: Proxy | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a lookup: the endpoints that may be connected to, best first, and for how many seconds it holds.

    Without endpoints, ``error`` says why: one of `ERROR_KINDS` if the name has none, one of `REFUSALS` if it has
    none that this crawl may connect to.
    """

    lookup: Lookup
    endpoints: tuple[Endpoint, ...] = ()
    error: str = ""
    seconds: float = 0.0


class Recorded(NamedTuple):
    """What a recording knows of a page without its body: its row in the pages table, and its links."""

    page: Page
    links: PageTargets


@dataclass(frozen=True, slots=True)
class Response:
    """What came of a request.

    ``status`` is 0 if no response came, and ``error`` then says why, as one of `ERROR_KINDS`; it ``is_hopeless`` if
    nothing else would come of the same request again, or ``is_unread`` if the server closed the kept connection that it
    was sent on without a byte of an answer: it may never have been read (RFC 9112, section 9.3.1).  If a response came
    but broke off, ``error`` is set too and ``truncated`` is length, time or disconnect.  ``head`` are the header lines,
    status line first, as received; ``body`` is what came, its transfer encoding removed, still content-encoded.
    ``started`` is in seconds since 1970 UTC.  ``request_head`` is the request's header block as it was sent.
    A replay may give what is ``recorded`` in the place of head and body.
    """

    request: Request
    status: int = 0
    head: list[bytes] = field(default_factory=list)
    body: bytes = b""
    error: str = ""
    truncated: str = ""
    started: float = 0.0
    milliseconds: float = 0.0
    ip: str = ""
    request_head: bytes = b""
    recorded: Recorded | None = None
    is_hopeless: bool = False
    is_unread: bool = False


class Web(Protocol):
    """Where pages come from.  The rank starts requests and collects responses; it never blocks anywhere else."""

    @property
    def bandwidth(self) -> Bandwidth | None:
        """What limits the bytes that come; None if nothing does."""
        ...

    @property
    def in_flight(self) -> int:
        """Requests started whose responses have not been returned yet."""
        ...

    def now(self) -> float:
        """The time in seconds; it never runs backwards, and its zero means nothing."""
        ...

    def look_up(self, lookup: Lookup) -> None:
        """Begin to find out where an origin is connected to.  Lookups do not count as in flight."""
        ...

    def start(self, request: Request) -> None:
        """Begin a request.  The caller sees to it that not too many are in flight."""
        ...

    def wait(self, until: float) -> list[Response | Found]:
        """Wait for responses and answers to lookups, in the order in which they came.

        Returns as soon as there is one, or none at time ``until`` (at once if it is past).
        """
        ...

    def advance(self) -> None:
        """Let what is in flight go on, while the rank is busy; nothing is returned.  Never blocks."""
        ...

    def stand_still(self, seconds: float) -> None:
        """Wait for so long while no time of the web passes; nothing is in flight but lookups."""
        ...

    def cancel(self) -> list[Request]:
        """Break off everything in flight and return what it was."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...
