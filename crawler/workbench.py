"""The workbench: the sites that are being visited, each with a short FIFO of URLs; it decides *when*.

A site is visited by one request at a time.  After a request it rests for its delay, and its server (the IP address it
was last reached at) rests for the server delay.  Sites rest in a heap per server, servers in a heap of all: picking
the next site costs O(log n), without a scan.  Within a site the order of arrival is kept.

A site's FIFO holds its fair share of the workbench and no more.  URLs beyond that are *parked* in a queue on disk,
and so is every later URL of that site until the parked ones are back, so that one slow site neither fills the memory
nor holds up the others.  Parked URLs come back when a connection would otherwise stay idle; then all of them are read.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import numpy as np

from crawler.urlbatch import UrlBatch
from crawler.urlqueue import UrlQueue
from sessions.url import Hashes, site_of

CAPACITY = 1 << 16
"""URLs on a workbench, over all its sites."""
_ADDRESSES_REMEMBERED = 1 << 16
_LEAST_SHARE = 8
_MOVES_PER_VISIT = 16
_SITES_TO_LEAVE_ROOM_FOR = 4
_BATCH = 4096


class Entry(NamedTuple):
    """A URL on the workbench; ``tries`` is the number of requests that brought no response."""

    url: str
    hash: int
    tries: int = 0


@dataclass(slots=True, eq=False)
class Server:
    """An IP address, or a site whose address is not known yet.

    ``resting`` is a heap of (time, number, site).  ``listing`` is the number under which the server stands in the
    workbench's heap, 0 if it does not; an entry with another number there is out of date.
    """

    ip: str = ""
    resting: list[tuple[float, int, "Site"]] = field(default_factory=list)
    not_before: float = 0.0
    sites: int = 0
    is_held: bool = False
    listing: int = 0
    listed_for: float = 0.0


@dataclass(slots=True, eq=False)
class Site:
    """A site on the workbench: its URLs, and when it may be visited again.

    It is picked (the caller's), resting (in its server's heap), or neither: out of URLs but for parked ones.
    """

    name: str
    server: Server
    queue: deque[Entry] = field(default_factory=deque)
    not_before: float = 0.0
    parked: int = 0
    is_picked: bool = False
    is_resting: bool = False


class Workbench:
    """Sites with URLs to visit.

    ``parked`` is the queue for URLs that their site has no room for; ``server_delay`` is in seconds, from the end of
    a request to the start of the next one to the same server.
    """

    def __init__(self, parked: UrlQueue, *, server_delay: float, capacity: int = CAPACITY) -> None:
        self._parked = parked
        self._server_delay = server_delay
        self._capacity = capacity
        self._sites: dict[str, Site] = {}
        self._servers: dict[str, Server] = {}
        self._addresses: OrderedDict[str, str] = OrderedDict()
        self._ready: list[tuple[float, int, Server]] = []
        self._number = count(1)
        self._waiting = 0
        self._starving = 0
        self._taken_since_unpark = 0

    def __len__(self) -> int:
        """URLs here and parked, those being requested not included."""
        return self._waiting + len(self._parked)

    @property
    def room(self) -> int:
        """How many more URLs may be put here."""
        return self._capacity - self._waiting

    def put(self, batch: UrlBatch) -> None:
        """Accept URLs, in order; those for which their site has no room are parked."""
        limit = max(_LEAST_SHARE, self._capacity // (_SITES_TO_LEAVE_ROOM_FOR + len(self._sites)))
        is_parked = np.zeros(len(batch), bool)
        for position, (url, url_hash) in enumerate(zip(batch.urls, batch.hashes.tolist(), strict=True)):
            site = self._site(site_of(url))
            if site.parked or len(site.queue) >= limit:
                site.parked += 1
                is_parked[position] = True
            else:
                self._append(site, Entry(url, url_hash))
        if is_parked.any():
            self._parked.add(batch.where(is_parked))

    def unpark(self) -> bool:
        """Bring parked URLs back if a site has run out of others; True if it did.

        All that is parked is read for it, so it has to be worth it: a site with many URLs costs a few moves a visit.
        """
        is_worth_it = _MOVES_PER_VISIT * self._taken_since_unpark >= len(self._parked) or not self._waiting
        if not self._starving or not is_worth_it:
            return False
        self._starving = self._taken_since_unpark = 0
        remaining = len(self._parked)
        for site in self._sites.values():
            site.parked = 0
        while remaining:
            batch = self._parked.take(min(remaining, _BATCH))
            remaining -= len(batch)
            self.put(batch)
        return True

    def pick(self, now: float) -> Site | None:
        """A site that has a URL and may be visited now, or None.  It is the caller's until `release`."""
        while self._ready and self._ready[0][0] <= now:
            _, listing, server = heappop(self._ready)
            if listing != server.listing:
                continue
            server.listing = 0
            site = heappop(server.resting)[2]
            site.is_resting = False
            if site.queue:
                site.is_picked = True
                server.is_held = self._server_delay > 0
                self._list(server)
                return site
            self._list(server)
            self._forget(site)
        return None

    def next_entry(self, site: Site) -> Entry | None:
        """Take the first URL of a picked site."""
        if not site.queue:
            return None
        entry = site.queue.popleft()
        self._waiting -= 1
        self._taken_since_unpark += 1
        if site.parked and not site.queue:
            self._starving += 1
        return entry

    def put_back(self, site: Site, entry: Entry) -> None:
        """Return a URL to the front of its picked site."""
        site.queue.appendleft(entry)
        self._waiting += 1

    def release(self, site: Site, now: float, *, rest: float = 0.0, ip: str = "") -> None:
        """Give a picked site back.

        ``rest`` is how many seconds it may not be visited; ``ip`` is the server that was asked, empty if none was.
        """
        site.is_picked = False
        site.not_before = now + rest
        server = site.server
        server.is_held = False
        if ip and self._server_delay > 0:
            if server.ip != ip:
                self._list(server)
                server = self._move(site, ip)
            server.not_before = max(server.not_before, now + self._server_delay)
        if site.queue or max(site.not_before, server.not_before) > now:
            self._rest(site)
        else:
            self._forget(site)
        self._list(server)

    def next_release(self) -> float | None:
        """When the next site may be visited; None if none waits for its time."""
        while self._ready and self._ready[0][1] != self._ready[0][2].listing:
            heappop(self._ready)
        return self._ready[0][0] if self._ready else None

    def drain(self) -> Iterator[Hashes]:
        """Take everything off the workbench: the hashes of the sites' URLs, then those of what was parked."""
        for site in self._sites.values():
            self._waiting -= len(site.queue)
            yield np.fromiter((entry.hash for entry in site.queue), np.uint64, len(site.queue))
            site.queue.clear()
        while len(self._parked):
            yield self._parked.take(_BATCH).hashes

    def _site(self, name: str) -> Site:
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = Site(name, self._server(self._addresses.get(name, "")))
            site.server.sites += 1
        return site

    def _server(self, ip: str) -> Server:
        """The server at an address; for none, one of its own."""
        return self._servers.setdefault(ip, Server(ip)) if ip else Server()

    def _append(self, site: Site, entry: Entry) -> None:
        site.queue.append(entry)
        self._waiting += 1
        if not site.is_picked and not site.is_resting:
            self._rest(site)
            self._list(site.server)

    def _rest(self, site: Site) -> None:
        heappush(site.server.resting, (site.not_before, next(self._number), site))
        site.is_resting = True

    def _list(self, server: Server) -> None:
        """See to it that the server stands in the heap for the time at which one of its sites may be visited."""
        if server.is_held or not server.resting:
            server.listing = 0
            return
        time = max(server.not_before, server.resting[0][0])
        if not server.listing or time != server.listed_for:
            server.listing, server.listed_for = next(self._number), time
            heappush(self._ready, (time, server.listing, server))

    def _move(self, site: Site, ip: str) -> Server:
        """Put a site under the server that it was found at, and remember that for when it comes back."""
        self._addresses[site.name] = ip
        self._addresses.move_to_end(site.name)
        if len(self._addresses) > _ADDRESSES_REMEMBERED:
            self._addresses.popitem(last=False)
        server = self._server(ip)
        server.sites += 1
        self._leave(site.server)
        site.server = server
        return server

    def _forget(self, site: Site) -> None:
        """Drop a site that has no URLs and has rested enough; one with parked URLs stays."""
        if not site.parked:
            del self._sites[site.name]
            self._leave(site.server)

    def _leave(self, server: Server) -> None:
        server.sites -= 1
        if not server.sites and server.ip:
            del self._servers[server.ip]
