"""Who may be on the workbench: each server with a bounded number of sites, whatever the number of its hosts and URLs.

Which server a site is on is known once its name has been looked up; until then the site counts under its domain.  What
a share has no room for is in its backlog, a queue of its own, so nobody else's URLs have to be read to bring it back:

    found -> backlog of the domain -> looked up -> backlog of the server -> backlog of the site -> the site's FIFO

A URL skips each of these that is empty and has room behind it, and passes each at most once, in order of arrival: so
the order within a site is kept.  (A site that moves to another server may overtake its URLs in the old backlog.)

A domain whose hosts all lie on a server that is full costs a look-up for each host: it is then known where they belong,
and they wait in that server's backlog.  Nothing is kept in memory of a host that has no URLs on the workbench.
"""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain

from crawler.fetching.site_table import SiteTable
from crawler.politeness.backlogs import Backlog, Backlogs
from crawler.politeness.entry import Entry
from crawler.politeness.site import OUTSIDE, Share, Site
from sessions.url import site_of

_READ_AT_ONCE = 64
"""URLs of one backlog: then it is another's turn."""
_MOST_RESTING = 8
"""So many times as many sites as it may have, a share has at most, those included that rest for long."""


def family_of(site: str) -> str:
    """What a site counts under until its server is known: about its domain, without a look at the public-suffix list.

    The last two labels of its name, or three where they seem to be a country's "co.uk": a wrong guess costs little,
    since what counts in the end is the server.
    """
    labels = site.rsplit(".", 3)
    if len(labels) < 3 or labels[-1][-1:].isdigit() or site.endswith("]"):
        return site
    return ".".join(labels[-3:] if len(labels[-1]) == 2 and len(labels[-2]) <= 3 else labels[-2:])


class Shares:
    """The shares of the ``sites``, of which each share has at most ``most_sites``, and some more that rest for long.

    ``backlogs`` are for what they have no room for; ``gate_of`` is the key of the server that a site is on, as far as
    its next URL says, None if that is not known.  It ``has_lost_site`` if one has left, until somebody sets that to
    False.
    """

    def __init__(
        self,
        sites: SiteTable,
        backlogs: Backlogs,
        gate_of: Callable[[str, str], str | None],
        *,
        most_sites: int,
    ) -> None:
        self._sites = sites
        self._backlogs = backlogs
        self._gate_of = gate_of
        self._most_sites = most_sites
        self._servers: dict[str, Share] = {}
        self._domains: dict[str, Share] = {}
        self._to_read: deque[Share] = deque()
        self._awaiting: dict[str, list[Share]] = {}
        self.closed_domains = self.closed_servers = 0
        self.has_lost_site = False

    def __len__(self) -> int:
        """How many servers there are, and domains with sites of which the server is not known."""
        return len(self._servers) + len(self._domains)

    @property
    def is_crowded(self) -> bool:
        """Has some server more sites than may be here?"""
        return self.closed_servers > 0

    def enter(self, name: str, entry: Entry) -> Site | None:
        """The site that a URL found just now may go to; None if it was put by."""
        if self.closed_domains:
            domain = self._domains.get(family_of(name))
            if domain is not None and not domain.is_open:
                self._put_by(domain, entry)
                return None
        site = self._sites.get(name)
        share = site.share if site is not None else OUTSIDE
        if share is OUTSIDE:
            share = self._share_of(name, entry.url)
        elif share.is_open:
            return site
        if share.is_open and self._has_room(share):
            return self._join(name, share)
        self._put_by(share, entry)
        return None

    def leave(self, site: Site) -> None:
        """A site has no URLs here any more."""
        share = site.share
        if share is not OUTSIDE:
            self.rests(site, is_long=False)
            site.share = OUTSIDE
            share.sites -= 1
            self.has_lost_site = True
            self._look_at(share)
            for awaiting in self._awaiting.pop(site.name, ()):
                self._look_at(awaiting)

    def rests(self, site: Site, *, is_long: bool) -> None:
        """A site rests, or does not any more: while it rests for long, another site may have its place beside it."""
        if site.rests_long != is_long and site.share is not OUTSIDE:
            site.rests_long = is_long
            site.share.resting += 1 if is_long else -1
            if is_long:
                self._look_at(site.share)

    def is_at_home(self, site: Site, gate: str) -> bool:
        """Does a site count under this server, or nowhere?"""
        return site.share is OUTSIDE or (site.share.is_server and site.share.key == gate)

    def move(self, site: Site, gate: str) -> list[Entry]:
        """It is known now on which server a site is; the URLs that had to leave it because that has no room."""
        share = self._server(gate)
        if share.is_open and self._has_room(share):
            self.leave(site)
            self._take_in(site, share)
            return []
        left = site.take_all()
        for entry in chain(left, site.take_parked()):
            self._put_by(share, entry)
        self.leave(site)
        self._look_at(share)  # it may have waited for this site
        return left

    def returning(self, most: int) -> Iterator[tuple[Site, Entry]]:
        """Take up to so many URLs, or a few more, of backlogs whose sites may come; each share in its turn."""
        for _ in range(len(self._to_read)):
            if most <= 0:
                return
            share = self._to_read.popleft()
            share.is_listed = False
            for taken in range(_READ_AT_ONCE):
                if share.backlog is None or not share.backlog or not self._may_be_read(share, share.backlog.first()):
                    most -= taken
                    break
                entry = share.backlog.pop()
                site = self._through(share, entry)
                if site is not None:
                    yield site, entry
            else:
                most -= _READ_AT_ONCE
                self._list(share)
            self._tidy(share)

    @property
    def has_returning(self) -> bool:
        """Is there a backlog to be looked at?"""
        return bool(self._to_read)

    def _may_be_read(self, share: Share, entry: Entry) -> bool:
        name = site_of(entry.url)
        site = self._sites.get(name)
        if site is not None and site.share is not OUTSIDE:
            if share.is_server and not site.share.is_server:  # in its FIFO is what came later
                awaiting = self._awaiting.setdefault(name, [])
                if share not in awaiting:
                    awaiting.append(share)
                return False
            return True
        if not share.is_server and self._gate_of(name, entry.url) is not None:
            return True
        return self._has_room(share)

    def _has_room(self, share: Share) -> bool:
        """May one more site of a share come?"""
        return share.sites - share.resting < self._most_sites and share.sites < _MOST_RESTING * self._most_sites

    def _through(self, share: Share, entry: Entry) -> Site | None:
        """The site that the first URL of a backlog may go to; None if it has to wait in the next one."""
        name = site_of(entry.url)
        site = self._sites.get(name)
        if site is not None and site.share is not OUTSIDE:
            if share.is_server or site.share.is_open or site.share is share:
                return site
            self._put_by(site.share, entry)
            return None
        if share.is_server:
            return self._join(name, share)
        gate = self._gate_of(name, entry.url)
        target = share if gate is None else self._server(gate)
        if target is share or (target.is_open and self._has_room(target)):
            return self._join(name, target)
        self._put_by(target, entry)
        return None

    def _join(self, name: str, share: Share) -> Site:
        site = self._sites.named(name)
        self._take_in(site, share)
        return site

    @staticmethod
    def _take_in(site: Site, share: Share) -> None:
        site.share = share
        share.sites += 1

    def _share_of(self, name: str, url: str) -> Share:
        gate = self._gate_of(name, url)
        if gate is not None:
            return self._server(gate)
        domain = family_of(name)
        share = self._domains.get(domain)
        if share is None:
            share = self._domains[domain] = Share(domain, is_server=False)
        return share

    def _server(self, gate: str) -> Share:
        share = self._servers.get(gate)
        if share is None:
            share = self._servers[gate] = Share(gate, is_server=True)
        return share

    def _put_by(self, share: Share, entry: Entry) -> None:
        if share.is_open:
            share.is_open = False
            self._count_closed(share, 1)
            share.backlog = share.backlog or Backlog(self._backlogs)
        assert share.backlog is not None
        share.backlog.push(entry)

    def _look_at(self, share: Share) -> None:
        """Something of a share has left, so something of its backlog may come."""
        if share.is_open:
            self._tidy(share)
        else:
            self._list(share)

    def _list(self, share: Share) -> None:
        if not share.is_listed:
            share.is_listed = True
            self._to_read.append(share)

    def _tidy(self, share: Share) -> None:
        if not share.is_open and not share.backlog:
            share.is_open, share.backlog = True, None
            self._count_closed(share, -1)
        if share.is_open and not share.sites and not share.is_listed:
            (self._servers if share.is_server else self._domains).pop(share.key, None)

    def _count_closed(self, share: Share, change: int) -> None:
        if share.is_server:
            self.closed_servers += change
        else:
            self.closed_domains += change
