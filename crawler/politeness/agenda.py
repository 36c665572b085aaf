"""The agenda: which site may be visited next, of sites that rest, on servers that rest.

A server (an IP address) and each site on it may not be visited before a time of its own, and a server is visited by
one request at a time.  Sites rest in a heap per server, servers in a heap of all, so that the next pick costs
O(log n), without a scan, however many sites there are.

Of the sites of a server that are ready, one that is hardly known goes first: its first pages show how many there are.
Then the one with the longest way to go, its URLs times its delay, because it is what the crawl will last wait for
(longest processing time first: Graham 1969).  Where that way is longer than what the server needs for all its sites,
the server rather waits a moment for that site to be ready than to keep it waiting.  But every fourth turn, or every
eighth if there is such a hurry, is that of the site that has been ready longest, so that none waits for ever.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush, heapreplace
from itertools import count
from typing import Any, Generic, TypeVar

_TURNS_TO_THE_OLDEST = 8
_SHARE_WORTH_WAITING = 0.8
_OUT_OF_DATE_TOLERATED = 64
_VISITS_TO_KNOW = 2  # its robots.txt, and a page
_UNKNOWN_WAY = 1e12
_ALWAYS = float("-inf")

_IDLE, _RESTING, _READY, _PICKED = range(4)
_NONE: list[Any] = []  # the one list of all servers that have none: most have one site, in one or two of four lists


class ScheduledSite:
    """A site on the agenda.  ``weight`` is how many URLs wait for it: with 0 it is not visited, but it rests.

    ``not_before`` is a time of the agenda's clock, ``pace`` how long it last had to rest, in seconds;
    ``visits`` how often it was visited, as far as this agenda knows.
    """

    __slots__ = ("name", "not_before", "number", "pace", "place", "server", "visits", "weight")

    def __init__(self, name: str, server: "ScheduledServer") -> None:
        self.name = name
        self.server = server
        self.not_before = _ALWAYS
        self.weight = 0
        self.pace = 1.0
        self.visits = 0
        self.place = _IDLE
        self.number = 0

    def weigh(self, weight: int) -> None:
        """So many URLs wait now."""
        self.server.weight += weight - self.weight
        self.weight = weight

    def rest_until(self, time: float) -> None:
        """It may not be visited before this time, or a later one that it was given before."""
        if time > self.not_before:
            self.not_before = time

    def has_rested(self, seconds: float) -> None:
        """It had to rest that long; 0 says nothing."""
        self.pace = seconds or self.pace

    @property
    def is_hardly_known(self) -> bool:
        """Has it URLs, and was visited so seldom that nobody can tell how many there will be?"""
        return self.visits < _VISITS_TO_KNOW and bool(self.weight)

    @property
    def visits_to_know(self) -> int:
        """After how many more visits one can tell, if it is hardly known."""
        return _VISITS_TO_KNOW - self.visits if self.is_hardly_known else 0

    @property
    def way_to_go(self) -> float:
        """How long its URLs will take at least, in seconds; who can tell as long as it is hardly known."""
        return _UNKNOWN_WAY * (1 + self.visits) if self.is_hardly_known else self.weight * self.pace

    @property
    def is_picked(self) -> bool:
        """Is it being visited?"""
        return self.place == _PICKED

    @property
    def is_idle(self) -> bool:
        """Is it neither visited, nor waiting for a visit, nor resting?"""
        return self.place == _IDLE


class ScheduledServer:
    """A server on the agenda; while it is not ``is_open`` none of its sites is picked.

    ``listing`` is the number under which it stands in the agenda's heap, 0 if it does not: an entry there with another
    number is out of date.  ``weight`` is that of all its sites; until ``reserved_until`` it waits for one of them.
    ``pace`` is how long it last had to rest, in seconds, if that is known.
    """

    __slots__ = (
        "_by_age",
        "_by_way",
        "_most_resting",
        "_resting",
        "_resting_by_way",
        "_turn",
        "is_held",
        "is_open",
        "key",
        "listed_for",
        "listing",
        "not_before",
        "pace",
        "reserved_until",
        "weight",
    )

    def __init__(self, key: str) -> None:
        self.key = key
        self.weight = 0
        self.not_before = _ALWAYS
        self.pace = 0.0
        self.reserved_until = _ALWAYS
        self.is_open = False
        self.is_held = False
        self.listing = 0
        self.listed_for = 0.0
        self._resting: list[tuple[float, int, ScheduledSite]] = _NONE
        self._resting_by_way: list[tuple[float, int, ScheduledSite]] = _NONE
        self._most_resting = _OUT_OF_DATE_TOLERATED
        self._by_way: list[tuple[float, int, ScheduledSite]] = _NONE
        self._by_age: list[tuple[int, ScheduledSite]] = _NONE
        self._turn = 0

    def rest_until(self, time: float) -> None:
        """None of its sites may be visited before this time, or a later one that it was given before."""
        if time > self.not_before:
            self.not_before = time

    def has_rested(self, seconds: float) -> None:
        """It had to rest that long; 0 says nothing."""
        self.pace = seconds or self.pace

    def rest(self, site: ScheduledSite, number: int) -> None:
        """Let a site wait for its time."""
        site.place, site.number = _RESTING, number
        self._resting = _pushed(self._resting, (site.not_before, number, site))
        if len(self._resting) > self._most_resting:
            self._resting = _up_to_date(self._resting, _RESTING, 0)
            self._most_resting = 2 * len(self._resting) + _OUT_OF_DATE_TOLERATED
        if site.weight:
            self._resting_by_way = _pushed(self._resting_by_way, (-site.way_to_go, number, site))

    def forget_sites(self) -> None:
        """None of its sites waits any more."""
        self._resting = self._resting_by_way = self._by_way = self._by_age = _NONE
        self.weight = 0

    def wake(self, now: float) -> list[ScheduledSite]:
        """Make those ready whose time has come; the ones that nobody wants to visit any more are returned."""
        unwanted = []
        while self._resting and self._resting[0][0] <= now:
            _, number, site = heappop(self._resting)
            if site.number != number:
                continue
            if site.weight:
                site.place = _READY
                self._by_way = _pushed(self._by_way, (-site.way_to_go, number, site))
                if self._by_age:
                    self._by_age.append((number, site))
                else:
                    self._by_age = [(number, site)]
            else:
                site.place = _IDLE
                unwanted.append(site)
        self._by_way = _up_to_date(self._by_way, _READY, len(self._by_age))
        self._resting_by_way = _up_to_date(self._resting_by_way, _RESTING, len(self._resting))
        return unwanted

    def next_site(self, now: float, server_delay: float, turns_to_the_oldest: int) -> ScheduledSite | None:
        """Take the site whose turn it is of those that are ready; None if there is none, or one is waited for."""
        pace = max(server_delay, self.pace)
        longest, server_way = _longest(self._by_way, _READY), self.weight * pace
        turn, soon = self._turn + 1, now + _SHARE_WORTH_WAITING * pace
        if turn % turns_to_the_oldest != 0:
            way = max(server_way, longest.way_to_go if longest is not None else 0.0)
            awaited = _longest(self._resting_by_way, _RESTING)
            if awaited is not None and way < awaited.way_to_go < _UNKNOWN_WAY and now < awaited.not_before < soon:
                self.reserved_until = awaited.not_before
                return None
        if longest is None:
            return None
        self._turn = turn
        is_hurried = longest.way_to_go > server_way
        if turn % (turns_to_the_oldest if is_hurried else turns_to_the_oldest // 2) == 0:
            while not _stands(*self._by_age[0], _READY):
                self._by_age.pop(0)
            return self._by_age.pop(0)[1]
        heappop(self._by_way)
        return longest

    def longest(self) -> ScheduledSite | None:
        """Of its sites that wait for a visit, the one with the longest way to go; None if there is none."""
        ready, resting = _longest(self._by_way, _READY), _longest(self._resting_by_way, _RESTING)
        waiting = [site for site in (ready, resting) if site is not None]
        return max(waiting, key=lambda site: site.way_to_go, default=None)

    @property
    def next_time(self) -> float | None:
        """When one of its sites may be visited, as far as the server itself is concerned; None without a site."""
        while self._by_age and not _stands(*self._by_age[0], _READY):
            self._by_age.pop(0)
        if self._by_age:
            return max(self.not_before, self.reserved_until)
        while self._resting and self._resting[0][2].number != self._resting[0][1]:
            heappop(self._resting)
        return max(self.not_before, self._resting[0][0]) if self._resting else None


def _pushed(heap: list[tuple[float, int, ScheduledSite]], entry: tuple[float, int, ScheduledSite]) -> list[Any]:
    """The heap with one more entry."""
    if not heap:
        return [entry]
    heappush(heap, entry)
    return heap


def _stands(number: int, site: ScheduledSite, place: int) -> bool:
    """Is this entry of a heap, or queue, up to date?"""
    return site.number == number and site.place == place


def _longest(heap: list[tuple[float, int, ScheduledSite]], place: int) -> ScheduledSite | None:
    """The site with the longest way to go, which stays on top of the heap."""
    while heap:
        way, number, site = heap[0]
        if not _stands(number, site, place):
            heappop(heap)
        elif site.way_to_go < -way:  # it has lost URLs since
            heapreplace(heap, (-site.way_to_go, number, site))
        else:
            return site
    return None


def _up_to_date(
    heap: list[tuple[float, int, ScheduledSite]], place: int, alive: int
) -> list[tuple[float, int, ScheduledSite]]:
    """The heap, without what is out of date if that is most of it."""
    if not heap:
        return _NONE
    if len(heap) > 2 * alive + _OUT_OF_DATE_TOLERATED:
        heap = [entry for entry in heap if _stands(*entry[1:], place)]
        heapify(heap)
    return heap


AnySite = TypeVar("AnySite", bound=ScheduledSite)


class Agenda(Generic[AnySite]):
    """Sites and when they may be visited.  ``on_idle`` is told of a site that has rested and that nobody wants.

    ``server_delay`` is how long a server rests between two visits at least.  It decides no visit's time, only which
    site's turn it is: the rests are those of `release`.  Where there is a hurry, every so many of
    ``turns_to_the_oldest`` are those of the site that has been ready longest, else twice as many.  Times are seconds of
    the caller's clock.
    """

    def __init__(
        self,
        on_idle: Callable[[AnySite], None],
        server_delay: float,
        turns_to_the_oldest: int = _TURNS_TO_THE_OLDEST,
    ) -> None:
        self._on_idle = on_idle
        self._server_delay = server_delay
        self._turns_to_the_oldest = turns_to_the_oldest
        self._servers: list[tuple[float, int, ScheduledServer]] = []
        self._most_servers = _OUT_OF_DATE_TOLERATED
        self._number = count(1)

    def enter(self, site: AnySite) -> None:
        """Put a site on the agenda, if it is not there, to be visited when it has rested."""
        if site.is_idle:
            site.server.rest(site, next(self._number))
            self._list(site.server, is_begun=site.visits == 1)

    @staticmethod
    def learn(site: AnySite, visits: int, pace: float) -> None:
        """A site was visited so often, by others too, and last had to rest that long; without a visit nobody knows."""
        if visits:
            site.visits = max(site.visits, visits)
            site.has_rested(pace)

    def postpone(self, site: AnySite, not_before: float) -> None:
        """Let a site rest until this time, at least, and put it on the agenda if it is not there."""
        if not_before > site.not_before:
            site.rest_until(not_before)
            if site.place in (_RESTING, _READY):
                site.place = _IDLE
        self.enter(site)

    def renew(self, site: AnySite) -> None:
        """Count a site that is ready as if it had become so just now."""
        if site.place == _READY:
            site.place = _IDLE
            self.enter(site)

    def leave(self, site: AnySite) -> None:
        """Take a site that is not being visited off the agenda."""
        if not site.is_picked:
            site.place, site.number = _IDLE, 0

    def open(self, server: ScheduledServer) -> None:
        """From now on sites of this server may be picked."""
        server.is_open = True
        self._list(server)

    def close(self, server: ScheduledServer) -> None:
        """From now on no site of this server is picked."""
        server.is_open = False
        server.listing = 0

    def pick(self, now: float) -> AnySite | None:
        """A site that is wanted and may be visited now, or None; it and its server are the caller's until `release`."""
        while self._servers and self._servers[0][0] <= now:
            _, listing, server = heappop(self._servers)
            if listing != server.listing:
                continue
            server.listing = 0
            for idle in server.wake(now):
                self._on_idle(idle)  # type: ignore[arg-type]
            site = server.next_site(now, self._server_delay, self._turns_to_the_oldest)
            if site is not None and site.weight:
                site.place = _PICKED
                site.visits += 1
                server.is_held = True
                return site  # type: ignore[return-value]
            if site is not None:
                site.place = _IDLE
                self._on_idle(site)  # type: ignore[arg-type]
            self._list(server)
        return None

    def release(self, site: AnySite, not_before: float, server_not_before: float) -> None:
        """Give a picked site back: it and its server rest until these times, at least."""
        site.rest_until(not_before)
        server = site.server
        server.is_held = False
        server.rest_until(server_not_before)
        server.rest(site, next(self._number))
        self._list(server)

    def put_down(self, site: AnySite) -> None:
        """Give a picked site back that nobody wants and that need not rest."""
        site.place = _IDLE
        server = site.server
        server.is_held = False
        self._list(server)

    def next_time(self) -> float | None:
        """When the next site may be visited; None if none waits for its time."""
        while self._servers and self._servers[0][1] != self._servers[0][2].listing:
            heappop(self._servers)
        return self._servers[0][0] if self._servers else None

    def _list(self, server: ScheduledServer, *, is_begun: bool = False) -> None:
        """See to it that the server stands in the heap for the time at which one of its sites may be visited.

        Of servers that may be visited from the same time on, one that ``is_begun`` goes first: the connection over
        which the robots.txt of one of its sites has just come is open still.
        """
        time = server.next_time if server.is_open and not server.is_held else None
        if time is None:
            server.listing = 0
        elif not server.listing or time != server.listed_for:
            number = next(self._number)
            server.listing, server.listed_for = -number if is_begun else number, time
            heappush(self._servers, (time, server.listing, server))
            if len(self._servers) > self._most_servers:
                self._servers = [entry for entry in self._servers if entry[1] == entry[2].listing]
                heapify(self._servers)
                self._most_servers = 2 * len(self._servers) + _OUT_OF_DATE_TOLERATED
