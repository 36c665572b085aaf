"""What a site, server or domain has no room for on the workbench is parked; here it comes back.

A site that runs out of URLs gets the next of its own backlog at once.  When the workbench is full it waits for its
turn, behind those that ran out before it.
"""

from collections import deque

from crawler.fetching.room import AT_ONCE, Room
from crawler.fetching.server_shares import Shares
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.site import Entry, Site

LEAST_OF_A_SITE = 2
"""URLs in the FIFO of a site, if it has so many, however many sites share its server's room."""


class Parked:
    """Brings parked URLs of the ``sites`` back into their FIFOs, as far as there is ``room``."""

    def __init__(self, sites: dict[str, Site], backlogs: Backlogs, shares: Shares, room: Room) -> None:
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
            self._shares.put_by(site, entry)
        else:
            site.queue.append(entry)
            self._room.waiting += 1
            self._room.came_back(1)

    def _refill(self, site: Site) -> bool:
        """Fill a site's FIFO from its backlog; False if there is nothing."""
        backlog = site.backlog
        if not backlog:
            return False
        returning = [backlog.pop() for _ in range(min(self._most(site), len(backlog)))]
        site.queue += returning
        site.parked -= len(returning)
        self._room.waiting += len(returning)
        self._room.came_back(len(returning))
        if not site.parked:
            site.backlog = None
        return True
