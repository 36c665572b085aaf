"""What a site, server or domain has no room for on the workbench is parked; here it comes back.

A site that runs out of URLs gets the next of its own backlog at once.  When the workbench is full it waits for its
turn, behind those that ran out before it.
"""

from collections import deque

from crawler.fetching.room import AT_ONCE, Room
from crawler.fetching.server_shares import Shares
from crawler.fetching.site_table import SiteTable
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.entry import Entry
from crawler.politeness.site import Site

LEAST_OF_A_SITE = 2
"""URLs in the FIFO of a site, if it has so many, however many sites share its server's room."""


class Parked:
    """Brings parked URLs of the ``sites`` back into their FIFOs, as far as there is ``room``."""

    def __init__(self, sites: SiteTable, backlogs: Backlogs, shares: Shares, room: Room) -> None:
        self._sites = sites
        self._backlogs = backlogs
        self._shares = shares
        self._room = room
        self._run_out: deque[Site] = deque()

    @property
    def has_sites(self) -> bool:
        """Are there sites whose URLs are all parked?"""
        return bool(self._run_out)

    def run_out(self, site: Site) -> None:
        """All URLs that a site has left are parked: bring some back, or as soon as there is room."""
        if not (self._room.is_for_parked and self._refill(site)):
            self._run_out.append(site)

    def run_out_for_now(self, site: Site) -> None:
        """The same where nobody may look at the site's FIFO at once."""
        self._run_out.append(site)

    def bring_back(self) -> dict[Site, None]:
        """Bring back what may come by now; the sites that have more URLs than before."""
        touched: dict[Site, None] = {}
        for _ in range(len(self._run_out)):
            if not self._room.is_for_parked:
                return touched
            site = self._run_out.popleft()
            if self._sites.get(site.name) is site and not site.queue and self._refill(site):
                touched[site] = None
        if self._room.is_for_parked:
            for site, entry in self._shares.returning(AT_ONCE):
                self._place(site, entry)
                touched[site] = None
        self._backlogs.relieve()
        return touched

    def _most(self, site: Site) -> int:
        return max(LEAST_OF_A_SITE, self._room.share(len(self._shares)) // site.share.sites)

    def _place(self, site: Site, entry: Entry) -> None:
        if site.parked or len(site.queue) >= self._most(site):
            site.park(entry, self._backlogs)
        else:
            site.add(entry)
            self._room.waiting += 1
            self._room.came_back(1)

    def _refill(self, site: Site) -> bool:
        """Fill a site's FIFO from its backlog; False if there is nothing."""
        returned = site.unpark(self._most(site)) if site.parked else 0
        self._room.waiting += returned
        self._room.came_back(returned)
        return returned > 0
