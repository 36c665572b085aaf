"""A site as a rank that has URLs of it knows it, its server, and the share of the workbench that it counts under."""

from collections.abc import Callable, Iterator
from typing import Any

from crawler.politeness.agenda import ScheduledServer, ScheduledSite
from crawler.politeness.backlogs import Backlog, Backlogs
from crawler.politeness.entry import Entry, Errand
from crawler.politeness.site_state import SiteState
from crawler.site_rules.rule_book import NOTHING, RuleBook, Ruling

_NONE: list[Any] = []  # the one list of all sites that have none; nobody adds to it


class Share:
    """The share of a server, or of a domain as far as the servers of its sites are not known.

    ``sites`` is how many sites it has on the workbench, ``resting`` how many of them rest for long.  The ``backlog``
    are URLs, in order of arrival, whose sites may not be there yet; while there are any, the share is not ``is_open``,
    and each further URL of its sites goes there too.  It ``is_listed`` when somebody will look whether sites of the
    backlog may come.
    """

    __slots__ = ("backlog", "is_listed", "is_open", "is_server", "key", "resting", "sites")

    def __init__(self, key: str, *, is_server: bool) -> None:
        self.key = key
        self.is_server = is_server
        self.is_open = True
        self.is_listed = False
        self.sites = self.resting = 0
        self.backlog: Backlog | None = None  # most never have one


OUTSIDE = Share("", is_server=False)
"""Of sites that have no URLs on the workbench."""
OUTSIDE.is_open = False


class Server(ScheduledServer):
    """A server that a rank has URLs for; if it ``is_leased``, it may be visited until the time ``until``.

    Where others want it too, ``turn`` are the sites that may be visited, None for all: until ``slice_end``, and then
    for so many ``visits`` more, the last of which begins before ``last_visit``.  The server may wait for the sites,
    beyond its own rest, for no longer than the rank's ``patience``, in seconds.  When there are no URLs any more for
    the ``slowest`` site, others go on: they may have more of them, and the crawl will last wait for that site.

    ``late`` is by how many seconds the rank began its last visit after it might have.

    ``news`` are the sites whose state its gatekeeper does not know.  ``others`` rest although this rank has no URLs for
    them: when their rest ends, and failures.
    """

    __slots__ = (
        "is_leased",
        "last_visit",
        "late",
        "news",
        "others",
        "patience",
        "sites",
        "slice_end",
        "slowest",
        "turn",
        "until",
        "visits",
    )

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.sites: dict[str, Site] = {}
        self.is_leased = False
        self.until = 0.0
        self.slice_end = 0.0
        self.turn: dict[str, Site] | None = None
        self.visits = 0
        self.last_visit = 0.0
        self.late = 0.0
        self.patience = 0.0
        self.slowest: Site | None = None
        self.news: dict[str, Site] = {}
        self.others: dict[str, tuple[float, int]] = {}


NOWHERE = Server("")
"""The server of sites whose address is not known yet."""


class Site(ScheduledSite):
    """A site with its URLs, first come, first served; ``errands`` go before them.

    ``parked`` is how many more URLs wait in its ``backlog``; it counts under ``share``, which knows if it
    ``rests_long``.  ``asked`` is what its gatekeeper has been asked and has not answered: an origin, and whether with
    its rules.  ``told`` is the number of URLs that the gatekeeper of its server knows of; ``failures`` are requests in
    a row that it did not answer well, which the gatekeeper of its server has not been told if it ``has_moved``.

    ``ip`` is the address at which it is connected to, as far as that is known.

    docs/politeness.md says who writes which field, and which states a site goes through.
    """

    __slots__ = (
        "_book",
        "_ruling",
        "asked",
        "backlog",
        "errands",
        "failures",
        "has_moved",
        "ip",
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
        self.queue: list[Entry] = _NONE  # no deque, which takes ten times as much: of most sites few URLs are here
        self.errands: list[Errand] = _NONE
        self.parked = 0
        self.backlog: Backlog | None = None
        self.share: Share = OUTSIDE
        self.rests_long = False
        self.asked: tuple[tuple[str, bool], ...] = ()
        self.told = 0
        self.failures = 0
        self.is_leaving = False
        self.has_moved = False
        self.ip = ""
        self._book: RuleBook | None = None
        self._ruling = NOTHING

    def __repr__(self) -> str:
        return f"Site({self.name!r}, {self.state.value}, {len(self.queue)} URLs, {self.parked} parked)"

    @property
    def state(self) -> SiteState:
        """What it is doing, as long as it is in the table of sites."""
        if self.is_picked:
            return SiteState.FETCHING
        if not (self.queue or self.errands):
            return SiteState.IDLE if self.parked else SiteState.RESTING
        if self.is_idle or not self.weight:
            return SiteState.ASKING
        return SiteState.LEASED if self.server.turn is None else SiteState.TURN

    def ruled(self, book: RuleBook) -> Ruling:
        """What the rules of a book say of it, worked out when it is first asked for."""
        if self._book is not book:
            self._book, self._ruling = book, book.of(self.name, self.ip)
        return self._ruling

    def is_at(self, ip: str) -> None:
        """It is connected to at this address."""
        if ip != self.ip:
            self.ip, self._book = ip, None

    def add(self, entry: Entry) -> None:
        """Append a URL to the FIFO."""
        self.queue = _with_last(self.queue, entry)

    def take(self) -> Entry:
        """Remove and return the first URL of the FIFO, which must not be empty."""
        return self.queue.pop(0)

    def put_back(self, entry: Entry) -> None:
        """Return a URL to the front of the FIFO."""
        self.queue = [entry, *self.queue]

    def take_all(self) -> list[Entry]:
        """Empty the FIFO and return what was in it."""
        taken, self.queue = self.queue, _NONE
        return taken

    def take_where(self, is_meant: Callable[[str], bool]) -> list[Entry]:
        """Take the URLs that are meant out of the FIFO, and return them."""
        taken = [entry for entry in self.queue if is_meant(entry.url)]
        if taken:
            self.queue = [entry for entry in self.queue if not is_meant(entry.url)]
        return taken

    def park(self, entry: Entry, backlogs: Backlogs) -> None:
        """Append a URL to the backlog, which is one of ``backlogs``."""
        if self.backlog is None:
            self.backlog = Backlog(backlogs)
        self.backlog.push(entry)
        self.parked += 1

    def unpark(self, most: int) -> int:
        """Move up to so many URLs from the backlog to the end of the FIFO; how many came."""
        backlog = self.backlog
        if backlog is None:
            return 0
        returning = [backlog.pop() for _ in range(min(most, len(backlog)))]
        self.queue = [*self.queue, *returning]
        self.parked -= len(returning)
        if not self.parked:
            self.backlog = None
        return len(returning)

    def take_parked(self) -> Iterator[Entry]:
        """Empty the backlog, URL by URL, in order."""
        while self.backlog:
            yield self.backlog.pop()
        self.parked, self.backlog = 0, None

    def add_errand(self, errand: Errand) -> None:
        """Append an errand."""
        self.errands = _with_last(self.errands, errand)

    def take_errand(self) -> Errand:
        """Remove and return the first errand, of which there must be one."""
        errand = self.errands.pop(0)
        if not self.errands:
            self.errands = _NONE
        return errand

    def put_back_errand(self, errand: Errand) -> None:
        """Return an errand to the front."""
        self.errands = [errand, *self.errands]

    def take_errands_where(self, is_meant: Callable[[str], bool]) -> list[Errand]:
        """Take out the errands of which the URL is meant, and return them."""
        taken = [errand for errand in self.errands if is_meant(errand.url)]
        if taken:
            self.errands = [errand for errand in self.errands if not is_meant(errand.url)]
        return taken

    def answered(self, *, is_good: bool) -> None:
        """A request to it has ended."""
        self.failures = 0 if is_good else self.failures + 1

    def has_failed(self, failures: int) -> None:
        """The gatekeeper of its server says how many requests it failed to answer well, in a row."""
        self.failures = failures

    def moves(self, failures: int = 0) -> None:
        """It is on another server from now on, whose gatekeeper does not know of its failures, so many at least."""
        self.failures = max(self.failures, failures)
        self.has_moved = True
        self.is_at("")

    def untold_failures(self) -> int:
        """The failures that the gatekeeper of its server has not been told; it is told them now."""
        failures = self.failures if self.has_moved else 0
        self.has_moved = False
        return failures


def _with_last(some: list[Any], item: Entry | Errand) -> list[Any]:
    """One more, at the end."""
    if not some:
        return [item]
    some.append(item)
    return some
