"""A rank's end of the leases: what it may visit now, what it asks for, what it gives back.

Sites are on the rank's own agenda only while it may visit them: all sites of a server that it holds the lease of, or
the one site that it was given a visit to.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

from crawler.politeness.agenda import Agenda
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Lease, Recall, Return, Standing, Visit, Want, keeper_of
from crawler.politeness.site import NOWHERE, Server, Site

UNUSED_SECONDS = 0.25
"""A visit that could not be begun so long after its time, because all connections are busy, is given back."""
LONGEST_TURN_SECONDS = 10.0
"""So long after its first visit a rank gives a site back that others wait for, however many visits it has left."""
_OTHERS_REMEMBERED = 1 << 16
_FOREVER = float("inf")


class Leases:
    """The servers that this rank may visit.  Who is to be told of sites left without URLs says so (`tell_of_idle`)."""

    def __init__(self, mailbox: Mailbox, *, server_delay: float) -> None:
        self._mailbox = mailbox
        self._on_idle: Callable[[Site], None] = lambda site: None
        self._agenda: Agenda[Site] = Agenda(lambda site: self._on_idle(site), server_delay)
        self._servers: dict[str, Server] = {}
        self._asking: set[Site] = set()
        self._ends: list[tuple[float, int, Server]] = []
        self._resting: list[tuple[float, int, Site]] = []
        self._number = count(1)

    def tell_of_idle(self, on_idle: Callable[[Site], None]) -> None:
        """Have ``on_idle`` called with each site that is left without URLs here."""
        self._on_idle = on_idle

    @property
    def is_asking(self) -> bool:
        """Does this rank wait for a gatekeeper to let it visit a site?"""
        return bool(self._asking)

    def place(self, site: Site, gate: str) -> None:
        """Put a site that is on no server yet under the one with this key."""
        server = self._servers.get(gate)
        if server is None:
            server = self._servers[gate] = Server(gate)
        server.sites[site.name] = site
        site.server = server
        if site.name in server.others:
            rested, failures = server.others.pop(site.name)
            site.has_failed(failures)
            site.rest_until(rested)

    def remove(self, site: Site, now: float) -> None:
        """Take a site that is not being visited off its server; a lease goes back with the server's last one."""
        server = site.server
        self._agenda.leave(site)
        self._asking.discard(site)
        site.weigh(0)
        site.server = NOWHERE
        server.sites.pop(site.name, None)
        if server.is_leased:
            self._note_leaving(server, site, now)
            if not server.sites or server.visit is site:
                self._give_back(server, now)
        elif site.told:
            self._mailbox.send(self._keeper(server), Want(server.key, site.name, 0))
        if not server.sites:
            self._servers.pop(server.key, None)
        site.told = 0

    def want(self, site: Site) -> None:
        """A site's ``weight`` has changed: have it visited, or tell its server's gatekeeper that it is to be."""
        server = site.server
        if server.is_leased and server.visit is None:
            server.news[site.name] = site
            self._agenda.enter(site)
        elif site is not server.visit and (2 * site.told < site.weight or (site.told and not site.weight)):
            self._note_told(site)
            self._mailbox.send(self._keeper(server), Want(server.key, site.name, site.weight, site.untold_failures()))

    def visit_given(self, given: Visit, now: float) -> None:
        """The gatekeeper lets this rank visit a site once."""
        server = self._servers.get(given.gate)
        site = server.sites.get(given.site) if server is not None else None
        if server is None or site is None or not site.weight:
            self._decline(given, site)
            return
        self._asking.discard(site)
        server.is_leased, server.visit, server.visits = True, site, given.visits
        server.last_visit = now + given.wait + LONGEST_TURN_SECONDS
        site.rest_until(now + given.wait)
        site.has_failed(given.standing.failures)
        server.news[site.name] = site
        self._end_at(server, now + given.wait + UNUSED_SECONDS)
        if site.not_before > server.until:  # after a visit at another address
            self._give_back(server, now)
            return
        self._agenda.enter(site)
        self._agenda.open(server)

    def lease_given(self, lease: Lease, now: float) -> None:
        """The gatekeeper lets this rank visit all sites of a server."""
        server = self._servers.get(lease.gate)
        if server is None:
            server = self._servers[lease.gate] = Server(lease.gate)
        self._asking.difference_update(server.sites.values())
        server.is_leased, server.visit = True, None
        server.rest_until(now + lease.rest)
        self._end_at(server, now + lease.seconds)
        for known in server.sites.values():
            known.has_failed(known.failures if known.has_moved else 0)
        for name, (rest, failures) in lease.standings.items():
            site = server.sites.get(name)
            if site is None:
                server.others[name] = (now + rest, failures)
            else:
                site.rest_until(now + rest)
                site.has_failed(failures)
                server.news[name] = site
        server.news.update((site.name, site) for site in server.sites.values() if site.weight)
        for site in server.news.values():
            self._agenda.enter(site)
        self._agenda.open(server)
        if not server.weight:
            self._give_back(server, now)

    def recalled(self, recall: Recall, now: float) -> None:
        """Others want a server whose lease has no end, or other sites of it than the one that is visited."""
        server = self._servers.get(recall.gate)
        if server is not None and server.is_leased:
            server.until = server.last_visit = now
            if not server.is_held:
                self._give_back(server, now)

    def pick(self, now: float) -> Site | None:
        """A site that has URLs and may be visited now, or None.  It is the caller's until `release`."""
        return self._agenda.pick(now)

    def release(self, site: Site, now: float, *, site_rest: float, server_rest: float) -> None:
        """Give a picked site back, its ``failures`` and ``weight`` up to date; both rest for so many seconds."""
        server = site.server
        server.news[site.name] = site
        site.has_rested(site_rest)
        server.has_rested(server_rest)
        is_over = not (site.weight or site_rest or server_rest) and max(site.not_before, server.not_before) <= now
        if is_over:
            self._agenda.put_down(site)
        else:
            self._agenda.release(site, now + site_rest, now + server_rest)
        if server.visit is not None:
            self._end_visit(server, site, now)
        elif now >= server.until or (server.until < _FOREVER and self._has_nothing_until(server, server.until)):
            self._give_back(server, now)
        elif is_over:
            self._on_idle(site)

    def give_back_in_time(self, now: float) -> None:
        """Give back what could not be used in its time."""
        while self._ends and self._ends[0][0] <= now:
            end, _, server = heappop(self._ends)
            if server.is_leased and end == server.until and not server.is_held:
                self._give_back(server, now)
        while self._resting and self._resting[0][0] <= now:
            site = heappop(self._resting)[2]
            if site.is_idle and not site.weight:
                self._on_idle(site)

    def let_rest(self, site: Site) -> None:
        """Say that a site is idle once it has rested."""
        heappush(self._resting, (site.not_before, next(self._number), site))

    def next_time(self) -> float | None:
        """When a site may be visited; None if none waits for its time."""
        return self._agenda.next_time()

    def next_end(self) -> float | None:
        """When something has to be given back; None if nothing has an end."""
        return self._ends[0][0] if self._ends else None

    def _end_visit(self, server: Server, site: Site, now: float) -> None:
        """Keep the site for the next visit, if there is to be one before the others' turn."""
        server.visits -= 1
        next_visit = max(site.not_before, server.not_before)
        if server.visits and site.weight and next_visit < server.last_visit:
            self._end_at(server, next_visit + UNUSED_SECONDS)
        else:
            self._give_back(server, now)

    def _decline(self, given: Visit, site: Site | None) -> None:
        """The URLs that were to be fetched are gone."""
        if site is not None:
            site.told = 0
            self._asking.discard(site)
        standing = Standing(given.wait, given.standing.failures)
        keeper = keeper_of(given.gate, self._mailbox.ranks)
        self._mailbox.send(keeper, Return(given.gate, 0.0, {given.site: standing}, {given.site: 0}))

    def _note_told(self, site: Site) -> None:
        """The gatekeeper knows how many URLs there are."""
        site.told = site.weight
        if site.weight:
            self._asking.add(site)
        else:
            self._asking.discard(site)

    @staticmethod
    def _note_leaving(server: Server, site: Site, now: float) -> None:
        """What the gatekeeper will have to hear of a site that is gone from here."""
        if site.told:  # it counts on visits to come
            server.news[site.name] = site
            return
        server.news.pop(site.name, None)
        if site.not_before > now or site.failures:
            server.others[site.name] = (site.not_before, site.failures)
            if len(server.others) > _OTHERS_REMEMBERED:
                del server.others[next(iter(server.others))]

    @staticmethod
    def _has_nothing_until(server: Server, time: float) -> bool:
        next_time = server.next_time
        return next_time is None or next_time >= time

    def _end_at(self, server: Server, end: float) -> None:
        server.until = end
        if end < _FOREVER:
            heappush(self._ends, (end, next(self._number), server))

    def _give_back(self, server: Server, now: float) -> None:
        self._agenda.close(server)
        standings, weights = {}, {}
        for name, site in server.news.items():
            if site.server is server:
                weights[name] = site.weight
                self._note_told(site)
            else:  # it has left
                weights[name] = 0
            if site.not_before > now or site.failures:
                standings[name] = Standing(max(0.0, site.not_before - now), site.failures)
        for name, (rested, failures) in server.others.items():
            if rested > now or failures:
                standings[name] = Standing(max(0.0, rested - now), failures)
        sites = [server.visit] if server.visit is not None else list(server.sites.values())
        server.is_leased, server.visit, server.until = False, None, 0.0
        server.news, server.others = {}, {}
        rest = max(0.0, server.not_before - now)
        self._mailbox.send(self._keeper(server), Return(server.key, rest, standings, weights))
        for site in sites:
            self._agenda.leave(site)
            if not site.weight:
                self._on_idle(site)
        if not server.sites:
            self._servers.pop(server.key, None)

    def _keeper(self, server: Server) -> int:
        return keeper_of(server.key, self._mailbox.ranks)
