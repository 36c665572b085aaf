"""The seam between a rank's loop and its requests: what is visited when."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from crawler.network.web import Found, Response
from crawler.urls.batch import Depths, Hops, UrlBatch
from sessions.url import Hashes

Waiting = tuple[Hashes, Depths, Hops]
"""URLs that were put and not visited, with the depths and hops with which they came."""


class UnderWay(NamedTuple):
    """What a rank's visits have under way at the end of a superstep, as `crawler.exchange.verdict.Status` tells it."""

    pages_in_flight: int = 0
    mail_sent: int = 0
    mail_received: int = 0
    lookups: int = 0
    is_asking: bool = False
    has_paused_sites: bool = False


class Visits(Protocol):
    """URLs on their way from the ordering to the web.

    The rank puts URLs here as long as there is room, has requests started, and hands back what came of them.
    """

    def __len__(self) -> int:
        """URLs that wait here, those being requested not included."""
        ...

    @property
    def room(self) -> int:
        """How many URLs are to be put here next, 0 for none."""
        ...

    @property
    def is_thin(self) -> bool:
        """Have most of the sites here been served, so that others had better come?"""
        ...

    @property
    def packets(self) -> int:
        """What travelled to other ranks for the sake of politeness."""
        ...

    def put(self, batch: UrlBatch) -> None:
        """Accept URLs, in order."""
        ...

    def attend(self) -> None:
        """Do what is due by now beside requests.  Never blocks."""
        ...

    def start(self) -> bool:
        """Start as many requests as may be; True if there could be more and nothing here may be visited now."""
        ...

    @property
    def is_low(self) -> bool:
        """Is so little left here that links had better be settled early?"""
        ...

    def resume(self) -> None:
        """Nothing more will be put here for now: bring back what was put off, and start that."""
        ...

    def take(self, arrival: Response | Found) -> None:
        """Deal with what the web brought."""
        ...

    def next_event(self, now: float) -> float:
        """Until when nothing can happen here but an arrival."""
        ...

    def next_due(self) -> float | None:
        """When a request can be made, or prepared; None if nothing waits for its time."""
        ...

    def under_way(self) -> UnderWay:
        """What the visits have under way."""
        ...

    def abandon(self) -> Iterator[Waiting]:
        """Break everything off and take all URLs away."""
        ...

    def close(self) -> None:
        """The crawl has ended.  All ranks call it."""
        ...
