"""The gatekeeper of servers: it alone decides which rank visits a server, and when.

Ranks say how many URLs they have for which site (`Want`).  While only one rank wants a server, it holds a lease without
an end and schedules the visits itself.  Once others want it too, the lease is recalled, and the gatekeeper gives out
visits (`Visit`): server and site together, so that no rank holds one while it waits for the other.  A rank gets several
visits at once where the server has nothing else to do between them.  Where the server's delay is so short that handing
it over costs more than the delay, the gatekeeper gives out short leases instead.

A visit is given out a little ahead of its time, with the seconds still to wait, so that the way of the message is no
loss; how long the rest is after it starts to count when its return is received.
"""

from collections import OrderedDict
from heapq import heappop, heappush
from itertools import count

from crawler.politeness.agenda import Agenda, ScheduledServer, ScheduledSite
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Lease, Recall, Return, Standing, Visit, Want

SECONDS_AHEAD = 0.02
"""A visit is given out so long before its time."""
VISITS_A_TURN = 16
"""A rank visits a site that others want, too, so many times before it is their turn."""
SLICE_SECONDS = 0.1
"""How long a rank holds a server whose delay is shorter than `SECONDS_AHEAD`, while others want it."""
MOST_SLICES_A_SECOND = 200
"""Where many servers are shared, slices are longer, so that no more of them than this change hands."""
_FAILING_SITES_REMEMBERED = 1 << 16
_NOBODY = -1
_FOREVER = float("inf")


class _WantedSite(ScheduledSite):
    """A site as the gatekeeper of its server knows it; ``wanted_by`` is rank -> URLs, the next to visit it first."""

    __slots__ = ("failures", "gate", "wanted_by")

    def __init__(self, name: str, gate: "_SharedServer") -> None:
        super().__init__(name, gate)
        self.gate = gate
        self.failures = 0
        self.wanted_by: dict[int, int] = {}


class _SharedServer(ScheduledServer):
    """A server as its gatekeeper knows it; ``sites_wanted_by`` is rank -> number of sites."""

    __slots__ = ("guests", "holder", "is_recalled", "sites_wanted_by", "visited")

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.guests: dict[str, _WantedSite] = {}
        self.sites_wanted_by: dict[int, int] = {}
        self.holder = _NOBODY
        self.is_recalled = False
        self.visited: _WantedSite | None = None


class ServerGatekeeper:
    """Gives out leases and visits of the servers that fall to this rank.

    ``server_delay`` is how long a server rests at least, in seconds.  How long it does is said by who returns it.
    """

    def __init__(self, mailbox: Mailbox, *, server_delay: float) -> None:
        self._mailbox = mailbox
        self._gives_slices = server_delay < SECONDS_AHEAD
        self._agenda: Agenda[_WantedSite] = Agenda(lambda guest: self._let_go(guest.gate, guest), server_delay)
        self._gates: dict[str, _SharedServer] = {}
        self._failing: OrderedDict[str, int] = OrderedDict()
        self._leaving: list[tuple[float, int, _SharedServer, _WantedSite | None]] = []
        self._number = count(1)
        self._slices = 0

    def wanted(self, rank: int, want: Want, now: float) -> None:
        """A rank has URLs for a site."""
        gate = self._gates.get(want.gate)
        if gate is None:
            gate = self._gates[want.gate] = _SharedServer(want.gate)
        guest = self._guest(gate, want.site)
        guest.failures = max(guest.failures, want.failures)
        self._set_weight(guest, rank, want.weight)
        self._decide(gate, now)

    def returned(self, rank: int, given_back: Return, now: float) -> None:
        """A rank gives a visit or a lease back."""
        gate = self._gates[given_back.gate]
        gate.holder, gate.is_recalled = _NOBODY, False
        gate.rest_until(now + given_back.rest)
        gate.has_rested(given_back.rest)
        for name, standing in given_back.standings.items():
            guest = self._guest(gate, name)
            guest.failures = standing.failures
            guest.has_rested(standing.rest)
            self._agenda.postpone(guest, now + standing.rest)
        if gate.visited is None or self._gives_slices:
            self._forget_wants(gate, rank)
        for name, weight in given_back.weights.items():
            self._set_weight(self._guest(gate, name), rank, weight)
        if gate.visited is not None:
            self._agenda.release(gate.visited, now, now)
            gate.visited = None
            self._slices -= self._gives_slices
        self._decide(gate, now)

    def give_out(self, now: float) -> None:
        """Give out the visits whose time has nearly come."""
        while self._leaving and self._leaving[0][0] <= now:
            _, _, gate, guest = heappop(self._leaving)
            self._forget(gate, guest, now)
        while (guest := self._agenda.pick(now + SECONDS_AHEAD)) is not None:
            gate = guest.gate
            gate.visited = guest
            rank = next(iter(guest.wanted_by))
            if self._gives_slices:
                guest.wanted_by[rank] = guest.wanted_by.pop(rank)  # the others' turn comes first
                self._slices += 1
                self._lease(gate, rank, now, max(SLICE_SECONDS, self._slices / MOST_SLICES_A_SECOND))
                continue
            visits = VISITS_A_TURN if self._has_nothing_between(gate, guest) else 1
            gate.is_recalled = visits == 1  # it comes back without being called
            self._set_weight(guest, rank, 0)
            gate.holder = rank
            wait = max(guest.not_before, gate.not_before) - now
            self._mailbox.send(rank, Visit(gate.key, guest.name, max(0.0, wait), Standing(0.0, guest.failures), visits))

    def next_time(self) -> float | None:
        """When there is something to give out; None if nothing waits for its time."""
        times = [self._leaving[0][0]] if self._leaving else []
        if (time := self._agenda.next_time()) is not None:
            times.append(time - SECONDS_AHEAD)
        return min(times, default=None)

    def _decide(self, gate: _SharedServer, now: float) -> None:
        """Who may have the server now that something about it has changed."""
        ranks = gate.sites_wanted_by
        if gate.holder != _NOBODY:
            if not gate.is_recalled and self._is_wanted_by_others(gate):
                gate.is_recalled = True
                self._mailbox.send(gate.holder, Recall(gate.key))
        elif len(ranks) == 1:
            self._agenda.close(gate)
            self._lease(gate, next(iter(ranks)), now, _FOREVER)
            self._hand_over(gate)
        else:
            self._agenda.open(gate)
            if not gate.guests:
                self._let_go(gate, None)

    @staticmethod
    def _has_nothing_between(gate: _SharedServer, guest: _WantedSite) -> bool:
        """Is there no other site that the server could be visited for while this one rests?"""
        return gate.weight == guest.weight or guest.pace <= gate.pace

    def _is_wanted_by_others(self, gate: _SharedServer) -> bool:
        """Is somebody kept waiting by the rank that holds the server, who does not know?"""
        if gate.visited is None:
            return any(rank != gate.holder for rank in gate.sites_wanted_by)
        return not (self._gives_slices or self._has_nothing_between(gate, gate.visited))

    def _lease(self, gate: _SharedServer, rank: int, now: float, seconds: float) -> None:
        gate.holder = rank
        standings = {
            guest.name: Standing(max(0.0, guest.not_before - now), guest.failures)
            for guest in gate.guests.values()
            if guest.not_before > now or guest.failures
        }
        self._mailbox.send(rank, Lease(gate.key, seconds, max(0.0, gate.not_before - now), standings))

    @staticmethod
    def _hand_over(gate: _SharedServer) -> None:
        """Who holds the lease without an end knows best; it will say how things stand when it gives it back."""
        gate.guests, gate.sites_wanted_by = {}, {}
        gate.forget_sites()

    def _forget_wants(self, gate: _SharedServer, rank: int) -> None:
        """With a lease comes back how many URLs there are for all sites for which there are any."""
        for guest in gate.guests.values():
            if rank in guest.wanted_by:
                self._set_weight(guest, rank, 0)

    def _guest(self, gate: _SharedServer, name: str) -> _WantedSite:
        guest = gate.guests.get(name)
        if guest is None:
            guest = gate.guests[name] = _WantedSite(name, gate)
            guest.failures = self._failing.pop(name, 0)
        return guest

    def _set_weight(self, guest: _WantedSite, rank: int, weight: int) -> None:
        gate = guest.gate
        before = guest.wanted_by.pop(rank, 0)
        guest.weigh(guest.weight + weight - before)
        if weight:
            guest.wanted_by[rank] = weight
        change = (weight > 0) - (before > 0)
        if change:
            sites = gate.sites_wanted_by.get(rank, 0) + change
            if sites:
                gate.sites_wanted_by[rank] = sites
            else:
                del gate.sites_wanted_by[rank]
        self._agenda.enter(guest)

    def _let_go(self, gate: _SharedServer, guest: _WantedSite | None) -> None:
        """What nobody wants is remembered until it has rested."""
        rested = max(gate.not_before, guest.not_before if guest is not None else 0.0)
        heappush(self._leaving, (rested, next(self._number), gate, guest))

    def _forget(self, gate: _SharedServer, guest: _WantedSite | None, now: float) -> None:
        if self._gates.get(gate.key) is not gate:
            return
        if guest is not None and guest.is_idle and not guest.weight and gate.guests.get(guest.name) is guest:
            del gate.guests[guest.name]
            self._remember_failures(guest)
        if not gate.guests and gate.holder == _NOBODY:
            if gate.not_before > now:
                self._let_go(gate, None)
                return
            self._agenda.close(gate)
            del self._gates[gate.key]

    def _remember_failures(self, guest: _WantedSite) -> None:
        if not guest.failures:
            return
        self._failing[guest.name] = guest.failures
        if len(self._failing) > _FAILING_SITES_REMEMBERED:
            self._failing.popitem(last=False)
