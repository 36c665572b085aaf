"""The gatekeeper of servers: it alone decides which rank visits a server, and when.

Ranks say how many URLs they have for which site (`Want`).  While only one rank wants a server, it holds a lease without
an end and schedules the visits itself.  Once others want it too, the lease is recalled, and the ranks take turns
(`Turn`): server and sites together, so that no rank holds one while it waits for the other.  A turn goes to a rank that
wants the site whose turn it is, for the sites that this rank wants, as many as it may need, and is for several visits,
as many as keep no site waiting that the crawl will last wait for.  Where the server's delay is so short that handing it
over costs more than the delay, the gatekeeper gives out short leases instead.

A turn is given out a little ahead of its time, with the seconds still to wait, so that the way of the message is no
loss; how long the rest is after it starts to count when its return is received.
"""

from collections import OrderedDict
from heapq import heappop, heappush, nlargest
from itertools import count
from operator import attrgetter

from crawler.politeness.agenda import Agenda, ScheduledServer, ScheduledSite
from crawler.politeness.leases import LONGEST_TURN_SECONDS
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import HANDOVER_SECONDS, Lease, Recall, Return, Standing, Turn, Want
from crawler.politeness.soonest import soonest

VISITS_A_TURN = 16
"""A rank visits a server that others want, too, so many times before it is their turn."""
SITES_A_TURN = 4 * VISITS_A_TURN
"""A turn is for no more sites than that: each that it carries costs both ranks time, however few are visited."""
SLICE_SECONDS = 0.1
"""How long a rank holds a server whose delay is shorter than `HANDOVER_SECONDS`, while others want it."""
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
    """A server as its gatekeeper knows it; ``wanted_by`` is rank -> its sites, by name.

    ``visited`` is the site whose turn it is, and ``may_wait`` says that the ``holder`` was told to wait for its sites.
    """

    __slots__ = ("guests", "holder", "is_recalled", "may_wait", "visited", "wanted_by")

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.guests: dict[str, _WantedSite] = {}
        self.wanted_by: dict[int, dict[str, _WantedSite]] = {}
        self.holder = _NOBODY
        self.is_recalled = False
        self.may_wait = False
        self.visited: _WantedSite | None = None


def _sites_of_turn(gate: _SharedServer, visited: _WantedSite, rank: int, now: float) -> list[_WantedSite]:
    """The sites of a rank's turn: the one whose turn it is, and of the others that it wants those with most to do.

    Of more than there is room for, half are those with most to do, and half those of the ones that have rested.
    """
    wanted = gate.wanted_by[rank].values()
    if len(wanted) <= SITES_A_TURN:
        return list(wanted)
    begin, end = max(now, gate.not_before), now + LONGEST_TURN_SECONDS
    others = [guest for guest in wanted if guest.not_before < end and guest is not visited]
    rested = (guest for guest in others if guest.not_before <= begin)
    longest, at_once = (nlargest(SITES_A_TURN // 2 - 1, some, key=attrgetter("way_to_go")) for some in (others, rested))
    return list(dict.fromkeys([visited, *longest, *at_once]))


class ServerGatekeeper:
    """Gives out leases and visits of the servers that fall to this rank.

    ``server_delay`` is how long a server rests at least, in seconds.  How long it does is said by who returns it.
    """

    def __init__(self, mailbox: Mailbox, *, server_delay: float) -> None:
        self._mailbox = mailbox
        self._server_delay = server_delay
        self._gives_slices = server_delay < HANDOVER_SECONDS
        # A turn is many visits, and nobody is to wait for many turns.
        self._agenda: Agenda[_WantedSite] = Agenda(
            lambda guest: self._let_go(guest.gate, guest), server_delay, turns_to_the_oldest=2
        )
        self._gates: dict[str, _SharedServer] = {}
        self._failing: OrderedDict[str, int] = OrderedDict()
        self._leaving: list[tuple[float, int, _SharedServer, _WantedSite | None]] = []
        self._number = count(1)
        self._slices = 0
        self._late = [0.0] * mailbox.ranks

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
        self._late[rank] = given_back.late
        gate.holder, gate.is_recalled = _NOBODY, False
        gate.rest_until(now + given_back.rest)
        gate.has_rested(given_back.rest)
        for name, standing in given_back.standings.items():
            guest = self._guest(gate, name)
            guest.failures = standing.failures
            self._agenda.learn(guest, standing.visits, standing.pace)
        if gate.visited is None or self._gives_slices:
            self._forget_wants(gate, rank)
        for name, weight in given_back.weights.items():
            self._set_weight(self._guest(gate, name), rank, weight)
        for name, standing in given_back.standings.items():  # last: only a site with URLs is waited for while it rests
            self._agenda.postpone(gate.guests[name], now + standing.rest)
        if gate.visited is not None:
            self._agenda.release(gate.visited, now, now)
            gate.visited = None
            self._slices -= self._gives_slices
        self._decide(gate, now)

    def give_out(self, now: float) -> None:
        """Give out the turns whose time has nearly come."""
        while self._leaving and self._leaving[0][0] <= now:
            _, _, gate, guest = heappop(self._leaving)
            self._forget(gate, guest, now)
        while (guest := self._agenda.pick(now + HANDOVER_SECONDS)) is not None:
            gate = guest.gate
            gate.visited = guest
            rank = next(iter(guest.wanted_by))
            its = list(gate.wanted_by[rank].values()) if self._gives_slices else _sites_of_turn(gate, guest, rank, now)
            for site in its:
                site.wanted_by[rank] = site.wanted_by.pop(rank)  # the others' turn comes first
                self._agenda.renew(site)
            if self._gives_slices:
                self._slices += 1
                seconds = max(SLICE_SECONDS, self._slices / MOST_SLICES_A_SECOND)
                self._lease(gate, rank, now, seconds, VISITS_A_TURN)
            else:
                self._give_turn(gate, rank, its, now)

    def next_time(self) -> float | None:
        """When there is something to give out; None if nothing waits for its time."""
        resting = self._agenda.next_time()
        return soonest(
            self._leaving[0][0] if self._leaving else None,
            resting - HANDOVER_SECONDS if resting is not None else None,
        )

    def _decide(self, gate: _SharedServer, now: float) -> None:
        """Who may have the server now that something about it has changed."""
        ranks = gate.wanted_by
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

    def _give_turn(self, gate: _SharedServer, rank: int, its: list[_WantedSite], now: float) -> None:
        """Let a rank visit sites that it wants, before it is the turn of others."""
        gate.holder = rank
        gate.may_wait = self._has_nothing_between(gate, rank)
        visits = VISITS_A_TURN if gate.may_wait else self._visits_before_others(gate, rank, its, now)
        gate.is_recalled = not gate.may_wait  # it comes back without being called
        standings = {
            guest.name: Standing(
                max(0.0, guest.not_before - now),
                guest.failures,
                guest.visits - (guest is gate.visited),  # the one to come
                guest.pace,
            )
            for guest in its
        }
        rest = max(0.0, gate.not_before - now)
        self._mailbox.send(rank, Turn(gate.key, rest, standings, visits, gate.may_wait))

    @staticmethod
    def _has_nothing_between(gate: _SharedServer, rank: int) -> bool:
        """Is there no site that the server could be visited for while those of this rank rest?"""
        return gate.weight == sum(guest.weight for guest in gate.wanted_by.get(rank, {}).values())

    def _visits_before_others(self, gate: _SharedServer, rank: int, its: list[_WantedSite], now: float) -> int:
        """How many visits a rank may make before a site is ready that the crawl will last wait for.

        While any is hardly known, as many as the rank's own sites need to be known better: theirs come first.
        """
        longest, pace = gate.longest(), max(self._server_delay, gate.pace)
        if longest is None or longest.way_to_go <= gate.weight * pace:
            return VISITS_A_TURN
        if longest.name in gate.wanted_by[rank] and not longest.is_hardly_known:
            return VISITS_A_TURN
        rest = pace if longest.is_hardly_known else max(pace, longest.pace)
        if min(self._late[other] for other in gate.guests[longest.name].wanted_by) > rest:
            return VISITS_A_TURN  # whoever could visit it has so much else to do that no delay binds
        visits = (longest.not_before - now) / pace
        if longest.is_hardly_known:
            # The visit to come is counted by its site already.
            visits = max(visits, 1 + sum(guest.visits_to_know for guest in its))
        return int(min(max(1.0, visits), VISITS_A_TURN))

    def _is_wanted_by_others(self, gate: _SharedServer) -> bool:
        """Is somebody kept waiting by the rank that holds the server, who does not know?"""
        if gate.visited is None:
            return any(rank != gate.holder for rank in gate.wanted_by)
        return gate.may_wait and not self._has_nothing_between(gate, gate.holder)

    def _lease(self, gate: _SharedServer, rank: int, now: float, seconds: float, visits: int = 0) -> None:
        gate.holder, gate.may_wait = rank, False
        standings = {
            guest.name: Standing(max(0.0, guest.not_before - now), guest.failures)
            for guest in gate.guests.values()
            if guest.not_before > now or guest.failures
        }
        self._mailbox.send(rank, Lease(gate.key, seconds, max(0.0, gate.not_before - now), standings, visits))

    @staticmethod
    def _hand_over(gate: _SharedServer) -> None:
        """Who holds the lease without an end knows best; it will say how things stand when it gives it back."""
        gate.guests, gate.wanted_by = {}, {}
        gate.forget_sites()

    def _forget_wants(self, gate: _SharedServer, rank: int) -> None:
        """With a lease comes back how many URLs there are for all sites for which there are any."""
        for guest in list(gate.wanted_by.get(rank, {}).values()):
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
            gate.wanted_by.setdefault(rank, {})[guest.name] = guest
        elif before:
            of_rank = gate.wanted_by[rank]
            del of_rank[guest.name]
            if not of_rank:
                del gate.wanted_by[rank]
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
