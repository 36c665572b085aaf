"""A site as a rank that has URLs of it knows it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crawler.politeness.agenda import ScheduledServer, ScheduledSite
from crawler.politeness.share import OUTSIDE, Share
from crawler.urls.batch import Depths, Hops
from sessions.url import Hashes

if TYPE_CHECKING:
    from crawler.politeness.backlogs import Backlog


class Entry(NamedTuple):
    """A URL that waits to be fetched, queued with ``depth`` and redirect ``hops``.

    ``tries`` is the number of requests that brought no response.
    """

    url: str
    hash: int
    depth: int = 0
    hops: int = 0
    tries: int = 0


def entry_columns(entries: Sequence[Entry]) -> tuple[Hashes, Depths, Hops]:
    """Hashes, depths and hops of entries: uint64[n], uint16[n], uint8[n]."""
    return (
        np.array([entry.hash for entry in entries], np.uint64),
        np.array([entry.depth for entry in entries], np.uint16),
        np.array([entry.hops for entry in entries], np.uint8),
    )


class Errand(NamedTuple):
    """A robots.txt to be fetched: that of ``origin``, which after so many ``redirects`` lies at ``url``.

    ``crawl_delay`` is what another site, on which it lies, asks for, in seconds, as far as that is known.
    """

    origin: str
    url: str
    redirects: int = 0
    crawl_delay: float = 0.0


class Server(ScheduledServer):
    """A server that a rank has URLs for; it may be visited until the time ``until``.

    ``visit`` is the only site that may be, None if all may.  ``news`` are the sites whose state its gatekeeper does
    not know; ``others`` those that rest although this rank has no URLs for them: when their rest ends, and failures.
    """

    __slots__ = ("is_leased", "news", "others", "sites", "until", "visit")

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.sites: dict[str, Site] = {}
        self.is_leased = False
        self.until = 0.0
        self.visit: Site | None = None
        self.news: dict[str, Site] = {}
        self.others: dict[str, tuple[float, int]] = {}


NOWHERE = Server("")
"""The server of sites whose address is not known yet."""


class Site(ScheduledSite):
    """A site with its URLs, first come, first served; ``errands`` go before them.

    ``parked`` is how many more URLs wait in its ``backlog``; it counts under ``share``, which knows if it
    ``rests_long``.  ``asked`` is what its
    gatekeeper has been asked and has not answered: an origin, and whether with its rules.  ``told`` is the number of
    URLs that the gatekeeper of its server knows of; ``failures`` are requests in a row that it did not answer well,
    which the gatekeeper of its server has not been told if it ``has_moved``.
    """

    __slots__ = (
        "asked",
        "backlog",
        "errands",
        "failures",
        "has_moved",
        "is_leaving",
        "parked",
        "queue",
        "rests_long",
        "server",
        "share",
        "told",
    )
    server: Server

    def __init__(self, name: str) -> None:
        super().__init__(name, NOWHERE)
        self.queue: list[Entry] = []  # no deque, which takes ten times as much: of most sites few URLs are here
        self.errands: list[Errand] = []
        self.parked = 0
        self.backlog: Backlog | None = None
        self.share: Share = OUTSIDE
        self.rests_long = False
        self.asked: set[tuple[str, bool]] = set()
        self.told = 0
        self.failures = 0
        self.is_leaving = False
        self.has_moved = False
