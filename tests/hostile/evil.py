"""What an evil is: a function that answers badly, where it stands, and what a correct crawler records of it.

Each evil has a site of its own, ``evil-NAME.example``.  Its root page is good and links to the evil page, then to a
good page, then to one that robots.txt forbids.  An evil that takes its whole site down (its robots.txt, its TLS, its
connections) stands on ``trap.evil-NAME.example`` instead, so that the good pages can be had whatever it does.

An evil function is given the request and yields what is done: bytes are sent, a `Pause` is waited for, `HEAR` waits
until the other side has sent something, and an `End` says what becomes of the connection; without one it is closed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Pause(NamedTuple):
    """Nothing is sent for so many seconds."""

    seconds: float


class Hear(NamedTuple):
    """Nothing is done until the other side has sent something."""


HEAR = Hear()


class End(Enum):
    """What becomes of a connection: it may carry the next request, is closed, is reset, or stays open and silent."""

    KEEP = "keep"
    CLOSE = "close"
    RESET = "reset"
    SILENCE = "silence"


class Place(Enum):
    """Where an evil stands.

    PAGE: a page of its site.  ALONE: a page of the trap host.  ROBOTS: the trap host's robots.txt.  ACCEPT: a port of
    the trap host, from the moment a connection is accepted.  HTTP2: the trap host over TLS and HTTP/2, from its second
    request on.  NOBODY: a port of the trap host where nobody listens.  DEAF: one where nobody accepts.  NAME: a host
    that only the name server knows.
    """

    PAGE = "page"
    ALONE = "alone"
    ROBOTS = "robots"
    ACCEPT = "accept"
    HTTP2 = "http2"
    NOBODY = "nobody"
    DEAF = "deaf"
    NAME = "name"


class Ports(NamedTuple):
    """Where the hostile web listens, and the server inside that nobody is to reach (at the same port)."""

    address: str
    port: int


@dataclass(frozen=True, slots=True)
class Ask:
    """A request as an evil sees it.

    ``number`` counts the requests for this path of this site from 1, ``on_connection`` those on this connection;
    for HTTP2, ``number`` counts the site's requests and ``stream`` is where the answer goes.
    """

    site: str
    path: str
    head: bytes
    number: int
    on_connection: int
    ports: Ports
    stream: int = 0


Step = bytes | Pause | Hear | End
Steps = Iterator[Step]
Handler = Callable[[Ask], Steps]


class Record(NamedTuple):
    """What a crawl records of a URL.

    ``state`` is fetched, failed, filtered, queued or unknown (never accepted as a URL of the crawl).  ``reason`` is
    that of the outcome, or the error of the page: the whole of it or, with ``...`` at its end, its beginning.
    """

    state: str
    reason: str = ""
    status: int = 0
    truncated: str = ""

    def matches(self, other: "Record") -> bool:
        """Is ``other``, which was recorded, what this one expects?"""
        head, dots, _ = self.reason.partition("...")
        is_reason = other.reason.startswith(head) if dots else other.reason == self.reason
        return is_reason and self._replace(reason="") == other._replace(reason="")


def fetched(status: int = 200, error: str = "", truncated: str = "") -> Record:
    """A response came; ``error`` says what was wrong with it."""
    return Record("fetched", error, status, truncated)


def cut(truncated: str, error: str, status: int = 200) -> Record:
    """A response came in part."""
    return Record("fetched", error, status, truncated)


def failed(reason: str) -> Record:
    """No response came."""
    return Record("failed", reason)


def filtered(reason: str) -> Record:
    """It was never requested."""
    return Record("filtered", reason)


UNKNOWN = Record("unknown")
"""What is no URL of the crawl: never accepted by anybody."""


@dataclass(frozen=True)
class Evil:
    """An evil: see the module.

    ``expected`` are the records that are right of its URL, usually one.  ``also`` says the same of further URLs, in
    which ``{site}``, ``{trap}`` and ``{port}`` are filled in.  ``path`` is the evil page's; ``link`` is how the root
    page spells it, if not plainly.
    """

    name: str
    says: str
    handler: Handler
    expected: tuple[Record, ...]
    place: Place = Place.PAGE
    scheme: str = "http"
    certificate: str = "good"
    path: str = "/evil"
    link: str = ""
    also: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def site(self) -> str:
        """The host of its good pages."""
        return f"evil-{self.name}.example"

    @property
    def trap(self) -> str:
        """The host that it takes down."""
        return f"trap.{self.site}"

    @property
    def host(self) -> str:
        """The host of its own URL."""
        return self.site if self.place is Place.PAGE else self.trap

    def filled(self, text: str, ports: Ports) -> str:
        """A text with the names of this evil's hosts and the port filled in."""
        return text.format(site=self.site, trap=self.trap, port=ports.port, address=ports.address)

    def url(self, ports: Ports) -> str:
        """Its own URL, in canonical form."""
        port = f":{ports.port}" if self.place is Place.NAME else ""
        return f"{self.scheme}://{self.host}{port}{self.path}"

    def expectations(self, ports: Ports) -> dict[str, tuple[Record, ...]]:
        """What is right to record of which URL, the good pages among them."""
        return {
            f"http://{self.site}/": (fetched(),),
            f"http://{self.site}/good": (fetched(),),
            f"http://{self.site}/forbidden/page": (filtered("robots"),),
            self.url(ports): self.expected,
            **{self.filled(url, ports): records for url, records in self.also.items()},
        }


EVILS: dict[str, Evil] = {}
"""All evils by name; the modules of `tests.hostile.evils` fill it in."""


def evil(*expected: Record, **more: object) -> Callable[[Handler], Handler]:
    """Makes a function an evil: named after it, described by its docstring, expected to be recorded so."""

    def register(handler: Handler) -> Handler:
        name = handler.__name__.replace("_", "-")
        assert name not in EVILS, name
        EVILS[name] = Evil(name, (handler.__doc__ or "").strip(), handler, expected, **more)  # type: ignore[arg-type]
        return handler

    return register
