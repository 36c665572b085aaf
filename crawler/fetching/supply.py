"""URLs on their way to the FIFOs of their sites: from the ordering, or back from being parked.

A server has its fair share of the workbench and no more, however many hosts and URLs it has: so many sites
(`server_shares`), and for all of them together so many URLs in their FIFOs.  What is beyond is *parked*: each such
site, server and domain has a backlog of its own (`backlogs`), so that what comes back costs no look at what is others'.
When the workbench is full, those that have a backlog and those that come from the ordering have as much of what gets
free.
"""

from collections.abc import Callable, Iterator, Sequence

from crawler.fetching.parked import LEAST_OF_A_SITE, Parked
from crawler.fetching.refill_policy import RefillPolicy
from crawler.fetching.room import Room
from crawler.fetching.server_shares import Shares
from crawler.fetching.site_lifecycle import SiteLifecycle
from crawler.fetching.site_table import SiteTable
from crawler.fetching.visits import Waiting
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.entry import Entry, entry_columns
from crawler.politeness.site import Site
from crawler.urls.batch import UrlBatch
from crawler.urls.kinds import kind_numbers
from sessions.url import site_of


class Supply:
    """Brings URLs to the FIFOs of the ``sites``, as far as there is ``room``, and puts the others by.

    ``looks_further`` while more had better be brought at once, since what came was put by.
    """

    def __init__(
        self,
        sites: SiteTable,
        lifecycle: SiteLifecycle,
        shares: Shares,
        backlogs: Backlogs,
        parked: Parked,
        room: Room,
        refill_policy: RefillPolicy,
    ) -> None:
        self._sites = sites
        self._lifecycle = lifecycle
        self._shares = shares
        self._backlogs = backlogs
        self._parked = parked
        self._room = room
        self._refill_policy = refill_policy
        self.looks_further = False

    def __len__(self) -> int:
        """URLs here and parked, those being requested not included."""
        return self._room.waiting + len(self._backlogs)

    @property
    def room(self) -> int:
        """How many more URLs may be put here."""
        return self._room.for_new(len(self._shares), self._backlogs.queues, others_wait=self._parked.has_sites)

    @property
    def is_thin(self) -> bool:
        """Have most of the sites been served that had URLs here, so that others had better come?"""
        return self._refill_policy.is_time

    @property
    def is_running_dry(self) -> bool:
        """Has a site run out of URLs, here and parked, so that the links of its pages may be all that it has?"""
        return self._shares.has_lost_site

    @property
    def servers(self) -> int:
        """On how many servers there is something to visit, and in how many domains that were not looked up."""
        return len(self._shares)

    def put(self, batch: UrlBatch) -> None:
        """Accept URLs, in order; those for which their server, or site, has no room are parked."""
        self._refill_policy.came()
        sites, shares, before = self._sites, self._shares, len(self._backlogs)
        share = self._room.share(len(shares))
        touched: dict[str, Site] = {}
        kinds = kind_numbers(batch.flags)
        columns = (column.tolist() for column in (batch.hashes, batch.depths, batch.hops, kinds))
        for url, url_hash, depth, hops, kind in zip(batch.urls, *columns, strict=True):
            entry = Entry(url, url_hash, depth, hops, kind=kind)
            name = site_of(entry.url)
            site = sites.get(name)
            if site is None or not site.share.is_open or shares.closed_domains:
                site = shares.enter(name, entry)
                if site is None:
                    continue
            waiting = len(site.queue)
            if site.parked or (waiting >= LEAST_OF_A_SITE and waiting >= share // site.share.sites):
                site.park(entry, self._backlogs)
            else:
                site.add(entry)
                touched[name] = site
        put_by = len(self._backlogs) - before
        self._room.waiting += len(batch) - put_by
        self._room.came(len(batch), put_by)
        self._backlogs.relieve()
        for site in touched.values():
            self._lifecycle.advance(site)

    def unpark(self) -> bool:
        """Bring parked URLs of sites back that have run out of others, or may come now; True if there were some.

        It is called when a connection would otherwise stay idle.
        """
        self.looks_further = self._room.look_further()
        if self._room.is_half_full:
            self._room.not_taken(self.room)
        self._shares.has_lost_site = False
        touched = self._parked.bring_back()
        self.looks_further |= self._shares.has_returning and self._room.is_for_parked
        for site in touched:
            self._lifecycle.advance(site)
        return bool(touched)

    def drain(self, still_queued: Callable[[Sequence[Entry]], Sequence[Entry]] = list) -> Iterator[Waiting]:
        """Take everything away that is ``still_queued``: the URLs in the sites' FIFOs, then what was parked."""
        for site in self._sites.values():
            taken = site.take_all()
            self._room.waiting -= len(taken)
            yield entry_columns(still_queued(taken))
        for entries in self._backlogs.drain():
            yield entry_columns(still_queued(entries))
