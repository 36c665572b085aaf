"""A rank's end of the leases: what it may visit now, what it asks for, what it gives back.

Sites are on the rank's own agenda only while it may visit them: all sites of a server that it holds the lease of, or
those that it was given a turn at.

A turn, or the lease of a server that others want too, ends when the server would have to wait for the rank.  But who is
late with its visits, because it has so much else to do, may let a server wait for as long again: whoever had it next
would be as late, and handing it over would take longer.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from operator import attrgetter

from crawler.politeness.agenda import Agenda
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import HANDOVER_SECONDS, Lease, Recall, Return, Standing, Turn, Want, keeper_of
from crawler.politeness.site import NOWHERE, Server, Site

UNUSED_SECONDS = 0.25
"""A turn whose next visit could not be begun so long after its time, as all connections are busy, is given back."""
LONGEST_TURN_SECONDS = 10.0
"""So long after its first visit a rank gives a server back that others want, however many visits it has left."""
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
        if server.is_leased and (server.turn is None or site.name in server.turn):
            self._note_leaving(server, site, now)
            may_visit = server.sites if server.turn is None else server.turn
            may_visit.pop(site.name, None)
            if not may_visit:
                self._give_back(server, now)
        elif site.told:
            self._mailbox.send(self._keeper(server), Want(server.key, site.name, 0))
        if not server.sites:
            self._servers.pop(server.key, None)
        site.told = 0

    def want(self, site: Site) -> None:
        """A site's ``weight`` has changed: have it visited, or tell its server's gatekeeper that it is to be."""
        server = site.server
        if server.is_leased and (server.turn is None or site.name in server.news):
            server.news[site.name] = site
            if server.turn is None or site.name in server.turn:
                self._agenda.enter(site)
            else:  # it has left and come back: its gatekeeper is told when the turn ends
                self._note_told(site)
        elif 2 * site.told < site.weight or (site.told and not site.weight):
            self._note_told(site)
            self._mailbox.send(self._keeper(server), Want(server.key, site.name, site.weight, site.untold_failures()))

    def turn_given(self, turn: Turn, now: float) -> None:
        """The gatekeeper lets this rank visit some sites of a server that others want too."""
        server = self._servers.get(turn.gate)
        known = server.sites if server is not None else {}
        sites = {name: known[name] for name in turn.standings if name in known and known[name].weight}
        if server is None or not sites:
            self._decline(turn, known)
            return
        self._begin(server, sites, now + turn.rest, visits=turn.visits)
        server.patience = _FOREVER if turn.may_wait else 0.0
        for name, site in sites.items():
            standing = turn.standings[name]
            site.rest_until(now + standing.rest)
            self._agenda.learn(site, standing.visits, standing.pace)
            site.has_failed(standing.failures)
            server.news[name] = site
            self._agenda.enter(site)
        # Of sites that are hardly known all count as slowest: the turn would be over with the first of one URL.
        known_well = [site for site in sites.values() if not site.is_hardly_known]
        server.slowest = max(known_well, key=attrgetter("way_to_go"), default=None)
        self._agenda.open(server)
        if self._next_visit(server) > server.until:  # after a visit at another address
            self._give_back(server, now)

    def lease_given(self, lease: Lease, now: float) -> None:
        """The gatekeeper lets this rank visit all sites of a server."""
        server = self._servers.get(lease.gate)
        if server is None:
            server = self._servers[lease.gate] = Server(lease.gate)
        self._begin(server, None, now + lease.rest, seconds=lease.seconds, visits=lease.visits)
        for known in server.sites.values():
            known.has_failed(known.failures if known.has_moved else 0)
        for name, standing in lease.standings.items():
            site = server.sites.get(name)
            if site is None:
                server.others[name] = (now + standing.rest, standing.failures)
            else:
                site.rest_until(now + standing.rest)
                site.has_failed(standing.failures)
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
            server.until = server.slice_end = server.last_visit = now
            if not server.is_held:
                self._give_back(server, now)

    def pick(self, now: float) -> Site | None:
        """A site that has URLs and may be visited now, or None.  It is the caller's until `release`."""
        site = self._agenda.pick(now)
        if site is not None and site.server.until < _FOREVER:
            self._note_lateness(site, now)
        return site

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
        if server.until < _FOREVER and not self._goes_on(server, site, now):
            self._give_back(server, now)
        elif is_over:
            self._on_idle(site)

    def give_back_in_time(self, now: float) -> None:
        """Give back what could not be used in its time."""
        while (end := self.next_end()) is not None and end <= now:
            server = heappop(self._ends)[2]
            if not server.is_held:
                server.late = max(0.0, now - self._next_visit(server))
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
        ends = self._ends
        while ends and not (ends[0][2].is_leased and ends[0][0] == ends[0][2].until):
            heappop(ends)  # it came back before, or got more time
        return ends[0][0] if ends else None

    def _begin(
        self, server: Server, turn: dict[str, Site] | None, rested: float, *, visits: int, seconds: float = 0.0
    ) -> None:
        """A server may be visited from now on."""
        self._asking.difference_update((server.sites if turn is None else turn).values())
        server.is_leased, server.turn, server.visits = True, turn, visits
        server.rest_until(rested)
        server.slice_end = rested + seconds
        server.last_visit = rested + LONGEST_TURN_SECONDS
        server.late, server.patience, server.slowest = 0.0, 0.0, None
        self._end_at(server, rested + max(seconds, UNUSED_SECONDS))

    def _goes_on(self, server: Server, visited: Site, now: float) -> bool:
        """Is there to be one more visit to a server, or one of its sites, before the others' turn?"""
        server.visits -= 1
        if not visited.weight:  # others may have URLs for it
            if visited is server.slowest:
                return False
            server.patience = min(server.patience, 0.0)
        next_visit = self._next_visit(server)
        latest = max(server.slice_end, server.not_before + server.patience)
        if server.visits > 0 and next_visit <= latest and next_visit < server.last_visit:
            self._end_at(server, max(server.slice_end, next_visit + UNUSED_SECONDS))
            return True
        return now < server.slice_end and next_visit < server.slice_end

    @staticmethod
    def _note_lateness(site: Site, now: float) -> None:
        """A visit begins that might have begun before."""
        server = site.server
        server.late = now - max(site.not_before, server.not_before)
        if server.patience < _FOREVER:
            server.patience = max(server.late, HANDOVER_SECONDS) if server.turn is None else server.late

    @staticmethod
    def _next_visit(server: Server) -> float:
        """When a site can be visited that may be; infinity if none is wanted."""
        sites = server.sites if server.turn is None else server.turn
        return min(
            (max(site.not_before, server.not_before) for site in sites.values() if site.weight), default=_FOREVER
        )

    def _decline(self, turn: Turn, known: dict[str, Site]) -> None:
        """The URLs that were to be fetched are gone."""
        for name in turn.standings:
            if name in known:
                known[name].told = 0
                self._asking.discard(known[name])
        keeper = keeper_of(turn.gate, self._mailbox.ranks)
        self._mailbox.send(keeper, Return(turn.gate, 0.0, {}, dict.fromkeys(turn.standings, 0)))

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

    def _end_at(self, server: Server, end: float) -> None:
        if end == server.until:
            return
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
                standings[name] = Standing(max(0.0, site.not_before - now), site.failures, site.visits, site.pace)
        for name, (rested, failures) in server.others.items():
            if rested > now or failures:
                standings[name] = Standing(max(0.0, rested - now), failures)
        sites = list((server.sites if server.turn is None else server.turn).values())
        server.is_leased, server.turn, server.until = False, None, 0.0
        server.news, server.others = {}, {}
        rest = max(0.0, server.not_before - now)
        self._mailbox.send(self._keeper(server), Return(server.key, rest, standings, weights, server.late))
        for site in sites:
            self._agenda.leave(site)
            if not site.weight:
                self._on_idle(site)
        if not server.sites:
            self._servers.pop(server.key, None)

    def _keeper(self, server: Server) -> int:
        return keeper_of(server.key, self._mailbox.ranks)
