"""What the fetcher takes from the workbench: sites that may be visited now, and what has become hopeless."""

from collections import deque
from collections.abc import Iterator, Sequence

from crawler.fetching.parked import Parked
from crawler.fetching.refill_policy import RefillPolicy
from crawler.fetching.room import Room
from crawler.fetching.server_shares import Shares
from crawler.fetching.site_lifecycle import SiteLifecycle
from crawler.fetching.site_table import SiteTable
from crawler.politeness.allowances import Allowances
from crawler.politeness.entry import Entry, Errand
from crawler.politeness.leases import Leases
from crawler.politeness.site import Site
from sessions.url import site_of

_LONG_REST_SECONDS = 60.0
"""Longer than any crawl-delay that is kept to by default, for which a server has sites enough."""


class SitePicker:
    """Picks sites that may be visited.  A picked site is the caller's until `release`."""

    def __init__(
        self,
        sites: SiteTable,
        lifecycle: SiteLifecycle,
        allowances: Allowances,
        leases: Leases,
        shares: Shares,
        parked: Parked,
        room: Room,
        refill_policy: RefillPolicy,
    ) -> None:
        self._sites = sites
        self._lifecycle = lifecycle
        self._allowances = allowances
        self._leases = leases
        self._shares = shares
        self._parked = parked
        self._room = room
        self._refill_policy = refill_policy
        self._errands = 0
        self._hopeless: deque[tuple[Entry | Errand, str]] = deque()

    @property
    def has_errands(self) -> bool:
        """Is there a robots.txt to be fetched?"""
        return self._errands > 0

    def run_errand(self, errand: Errand) -> None:
        """Have a robots.txt fetched before the URLs of the site that it is on."""
        self._lifecycle.advance(self.accept_errand(errand))

    def accept_errand(self, errand: Errand) -> Site:
        """As `run_errand`, but the caller sees to it that the site, which is returned, advances."""
        site = self._sites.named(site_of(errand.url))
        site.add_errand(errand)
        self._errands += 1
        return site

    def pick(self, now: float) -> Site | None:
        """A site that has something to fetch and may be visited now, or None."""
        site = self._leases.pick(now)
        if site is not None and site.rests_long:
            self._shares.rests(site, is_long=False)
        return site

    def next_release(self) -> float | None:
        """When the next site may be visited; None if none waits for its time."""
        return self._leases.next_time()

    def next_errand(self, site: Site) -> Errand | None:
        """Take the first errand of a picked site."""
        if not site.errands:
            return None
        self._errands -= 1
        return site.take_errand()

    def put_back_errand(self, site: Site, errand: Errand) -> None:
        """Return an errand to the front of its picked site."""
        site.put_back_errand(errand)
        self._errands += 1

    def next_entry(self, site: Site) -> Entry | None:
        """Take the first URL of a picked site, unless it has to be asked first whether it may be fetched."""
        if not site.queue or not self._allowances.may_be_fetched(site, site.queue[0].url):
            return None
        entry = site.take()
        self._room.waiting -= 1
        self._allowances.take(site)
        self._refill_policy.visited()
        if site.parked and not site.queue:
            self._parked.run_out(site)
        return entry

    def put_back(self, site: Site, entry: Entry) -> None:
        """Return a URL to the front of its picked site."""
        site.put_back(entry)
        self._room.waiting += 1
        self._allowances.put_back(site)

    def spent(self, site: Site, *, is_fetched: bool) -> None:
        """A URL that was taken from a site has been fetched, or will not be."""
        self._allowances.spent(site, is_fetched=is_fetched)

    def release(self, site: Site, now: float, *, rest: float = 0.0, server_rest: float = 0.0) -> None:
        """Give a picked site back.  For so many seconds it, and its server, may not be visited."""
        self._lifecycle.release(site, now, rest=rest, server_rest=server_rest)
        if not (site.queue or site.parked):  # while it rests, others of its server may come
            self._shares.leave(site)
        elif rest > _LONG_REST_SECONDS:
            self._shares.rests(site, is_long=True)
        if site.is_leaving:
            self._lifecycle.detach(site, now)

    def give_up(self, items: Sequence[Entry | Errand], error: str) -> None:
        """Nothing will be fetched of these, which have left their site, because of an error."""
        self._hopeless.extend((item, error) for item in items)

    def hopeless(self) -> Iterator[tuple[Entry | Errand, str]]:
        """Take what cannot be fetched, and why not."""
        while self._hopeless:
            item, error = self._hopeless.popleft()
            if isinstance(item, Entry):
                self._room.waiting -= 1
                self._refill_policy.visited()
            else:
                self._errands -= 1
            yield item, error
