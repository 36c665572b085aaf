"""The workbench: the sites that are being visited, each with a short FIFO of URLs; it decides *when*.

A site is visited by one request at a time, when all of this holds: its gatekeeper has said where it is and what its
robots.txt says, this rank holds a lease of its server, or was given a visit, and both have rested long enough
(`crawler.politeness`).  Within a site the order of arrival is kept.

A site's FIFO holds its fair share of the workbench and no more.  URLs beyond that are *parked* in a queue on disk,
and so is every later URL of that site until the parked ones are back, so that one slow site neither fills the memory
nor holds up the others.  Parked URLs come back when a connection would otherwise stay idle; then all of them are read.
"""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import TypeVar

import numpy as np

from crawler.caps import SITE_CAP
from crawler.letin import LetIn
from crawler.politeness.knownfacts import KnownFacts
from crawler.politeness.leases import Leases
from crawler.politeness.messages import Allowance, Ask, Facts, Forget, Forgotten, Spend, Spent
from crawler.politeness.placing import keeper_of
from crawler.politeness.post import Post
from crawler.politeness.site import NOWHERE, Entry, Errand, Site, entry_columns
from crawler.urlbatch import UrlBatch
from crawler.urlqueue import UrlQueue
from crawler.visits import Waiting
from sessions.url import origin_of, site_of

CAPACITY = 1 << 14
"""URLs on a workbench, over all its sites."""
_LEAST_SHARE = 8
_MOVES_PER_VISIT = 16
_SITES_TO_LEAVE_ROOM_FOR = 4
_BATCH = 4096
_ASKED_AT_ONCE = 32
_WEIGHT_OF_ERRANDS = 16
"""How many URLs a robots.txt stands for: other ranks wait for it too."""


AnyUrl = TypeVar("AnyUrl", Entry, Errand)


class Workbench:
    """Sites with URLs to visit.

    ``parked`` is the queue for URLs that their site has no room for; ``now`` reads the web's clock; ``server_delay`` is
    in seconds, ``connections`` is transfers at once.  ``cap_of`` is the prefix under which a URL's page is capped, None
    without caps.
    """

    def __init__(
        self,
        parked: UrlQueue,
        post: Post,
        now: Callable[[], float],
        *,
        server_delay: float,
        cap_of: Callable[[str], str] | None = None,
        connections: int = 64,
        capacity: int = CAPACITY,
    ) -> None:
        self._parked = parked
        self._post = post
        self._now = now
        self._cap_of = cap_of
        self._capacity = capacity
        self.leases = Leases(post, self._idle, server_delay=server_delay)
        self._sites: dict[str, Site] = {}
        self._facts = KnownFacts()
        self._hopeless: deque[tuple[Entry | Errand, str]] = deque()
        self._let_in = LetIn(self._sites_with_urls, connections)
        self._errands = 0
        self._waiting = 0
        self._starving = 0
        self._taken_since_unpark = 0

    def __len__(self) -> int:
        """URLs here and parked, those being requested not included."""
        return self._waiting + len(self._parked)

    @property
    def room(self) -> int:
        """How many more URLs may be put here."""
        return self._capacity - self._waiting

    @property
    def is_thin(self) -> bool:
        """Have most of the sites been served that had URLs here, so that others had better come?"""
        return self._let_in.is_time

    @property
    def has_errands(self) -> bool:
        """Is there a robots.txt to be fetched?"""
        return self._errands > 0

    def put(self, batch: UrlBatch) -> None:
        """Accept URLs, in order; those for which their site has no room are parked."""
        self._let_in.came()
        limit = max(_LEAST_SHARE, self._capacity // (_SITES_TO_LEAVE_ROOM_FOR + len(self._sites)))
        is_parked = np.zeros(len(batch), bool)
        touched: dict[str, Site] = {}
        columns = (batch.hashes.tolist(), batch.depths.tolist(), batch.hops.tolist())
        for position, (url, url_hash, depth, hops) in enumerate(zip(batch.urls, *columns, strict=True)):
            site = self._site(site_of(url))
            if site.parked or len(site.queue) >= limit:
                site.parked += 1
                is_parked[position] = True
            else:
                site.queue.append(Entry(url, url_hash, depth, hops))
                self._waiting += 1
                touched[site.name] = site
        if is_parked.any():
            self._parked.add(batch.where(is_parked))
        for site in touched.values():
            self._advance(site)

    def unpark(self) -> bool:
        """Bring parked URLs back if a site has run out of others; True if it did.

        All that is parked is read for it, so it has to be worth it: a site with many URLs costs a few moves a visit.
        """
        is_worth_it = _MOVES_PER_VISIT * self._taken_since_unpark >= len(self._parked) or not self._waiting
        if not self._starving or not is_worth_it:
            return False
        self._starving = self._taken_since_unpark = 0
        remaining = len(self._parked)
        for site in self._sites.values():
            site.parked = 0
        while remaining:
            batch = self._parked.take(min(remaining, _BATCH))
            remaining -= len(batch)
            self.put(batch)
        return True

    def run_errand(self, errand: Errand) -> None:
        """Have a robots.txt fetched before the URLs of the site that it is on."""
        site = self._site(site_of(errand.url))
        site.errands.append(errand)
        self._errands += 1
        self._advance(site)

    def pick(self, now: float) -> Site | None:
        """A site that has something to fetch and may be visited now, or None.  It is the caller's until `release`."""
        return self.leases.pick(now)

    def next_errand(self, site: Site) -> Errand | None:
        """Take the first errand of a picked site."""
        if not site.errands:
            return None
        self._errands -= 1
        return site.errands.pop(0)

    def next_entry(self, site: Site) -> Entry | None:
        """Take the first URL of a picked site, unless it has to be asked first whether it may be fetched."""
        if not site.queue or not self._is_allowed(site, site.queue[0].url):
            return None
        entry = site.queue.pop(0)
        self._waiting -= 1
        if self._cap_of is not None:
            site.allowed -= 1
        self._taken_since_unpark += 1
        self._let_in.visited()
        self._note_if_starving(site)
        return entry

    def put_back(self, site: Site, entry: Entry) -> None:
        """Return a URL to the front of its picked site."""
        site.queue.insert(0, entry)
        self._waiting += 1
        if self._cap_of is not None:
            site.allowed += 1

    def spent(self, site: Site, *, is_fetched: bool) -> None:
        """A URL that was taken from a site has been fetched, or will not be."""
        if self._cap_of is not None:
            spent = Spent(site.name, site.allowed_prefix, int(is_fetched), int(not is_fetched))
            self._post.send(keeper_of(site.name, self._post.ranks), spent)

    def put_back_errand(self, site: Site, errand: Errand) -> None:
        """Return an errand to the front of its picked site."""
        site.errands.insert(0, errand)
        self._errands += 1

    def facts_of(self, origin: str, *, with_rules: bool = True) -> Facts | None:
        """What is known of an origin, None if it is not, or not any more."""
        return self._facts.get(origin, self._now(), with_rules=with_rules)

    def release(self, site: Site, now: float, *, rest: float = 0.0, server_rest: float = 0.0) -> None:
        """Give a picked site back.  For so many seconds it, and its server, may not be visited."""
        site.weigh(self._weight(site))
        self.leases.release(site, now, site_rest=rest, server_rest=server_rest)
        if site.is_leaving:
            self._detach(site, now)

    def next_release(self) -> float | None:
        """When the next site may be visited; None if none waits for its time."""
        return self.leases.next_time()

    def known(self, facts: Facts, now: float) -> None:
        """A gatekeeper has answered a question about a site."""
        site = self._site(site_of(f"{facts.origin}/"))
        site.asked.discard((facts.origin, False))
        if facts.rules is not None or facts.error:
            site.asked.discard((facts.origin, True))
        if facts.error:
            self._give_up(site, facts.origin, facts.error)
        elif facts.rules is not None or self.facts_of(facts.origin) is None:
            self._facts.add(facts, now)
            if site.server is not NOWHERE and site.server.key != facts.gate and not site.is_picked:
                self.leases.remove(site, now)
            site.not_before = max(site.not_before, now + facts.rest)
            if facts.rules is not None and facts.rules.unreachable:
                self._give_up_urls(site, facts.origin, facts.rules.unreachable)
        self._advance(site)
        self._idle(site)

    def allowed(self, allowance: Allowance) -> None:
        """A gatekeeper has said how many more pages of a site may be fetched."""
        site = self._sites[allowance.site]
        site.asked_prefix = None
        site.allowed, site.allowed_prefix = allowance.pages, allowance.prefix
        if not allowance.pages:
            is_all = allowance.reached == SITE_CAP
            capped = _taken(site.queue, lambda entry: is_all or self._prefix(entry.url) == allowance.prefix)
            self._hopeless.extend((entry, allowance.reached) for entry in capped)
            self._note_if_starving(site)
        self._advance(site)
        self._idle(site)

    def forget(self, message: Forget, now: float) -> None:
        """The address of a site changes: visit it no more, and say so."""
        site = self._site(message.site)
        for scheme in ("http", "https"):
            self._facts.forget(f"{scheme}://{site.name}")
        site.is_leaving = True
        if not site.is_picked:
            self._detach(site, now)

    def hopeless(self) -> Iterator[tuple[Entry | Errand, str]]:
        """Take what cannot be fetched because its site has no address that may be connected to, and why not."""
        while self._hopeless:
            item, error = self._hopeless.popleft()
            if isinstance(item, Entry):
                self._waiting -= 1
                self._let_in.visited()
            else:
                self._errands -= 1
            yield item, error

    def drain(self) -> Iterator[Waiting]:
        """Take everything off the workbench: the sites' URLs, then what was parked."""
        for site in self._sites.values():
            self._waiting -= len(site.queue)
            yield entry_columns(site.queue)
            site.queue.clear()
        for batch in self._parked.drain():
            yield batch.hashes, batch.depths, batch.hops

    def _site(self, name: str) -> Site:
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = Site(name)
        return site

    def _sites_with_urls(self) -> int:
        return sum(1 for site in self._sites.values() if site.queue or site.parked)

    def _advance(self, site: Site) -> None:
        """See to it that a site is visited, or that what has to be known for it is asked."""
        if site.is_picked or site.is_leaving:
            return
        weight = self._weight(site)
        if weight == site.weight == 0:
            return
        site.weigh(weight)
        self.leases.want(site)

    def _weight(self, site: Site) -> int:
        """How much a site wants to be visited; 0 while it cannot be."""
        if site.errands:
            return _WEIGHT_OF_ERRANDS if self._is_known(site, origin_of(site.errands[0].url), with_rules=False) else 0
        if site.queue:
            url = site.queue[0].url
            may_be_visited = self._is_known(site, origin_of(url), with_rules=True) and self._is_allowed(site, url)
            return len(site.queue) + site.parked if may_be_visited else 0
        return 0

    def _is_known(self, site: Site, origin: str, *, with_rules: bool) -> bool:
        """Is known of an origin what has to be before it is visited?  If not, its gatekeeper is asked."""
        facts = self.facts_of(origin, with_rules=with_rules)
        if facts is not None:
            if site.server is NOWHERE:
                self.leases.place(site, facts.gate)
            return True
        if (origin, with_rules) not in site.asked:
            site.asked.add((origin, with_rules))
            self._post.send(keeper_of(site.name, self._post.ranks), Ask(origin, with_rules))
        return False

    def _is_allowed(self, site: Site, url: str) -> bool:
        """May this page of a site be fetched as far as the caps are concerned?  If that is not known, it is asked."""
        if self._cap_of is None:
            return True
        prefix = self._cap_of(url)
        if site.allowed and site.allowed_prefix == prefix:
            return True
        self._give_back_allowed(site)
        if site.asked_prefix is None:
            site.asked_prefix = prefix
            # Of what comes after a URL with another prefix nothing is asked: two ranks could wait for each other.
            alike = takewhile(lambda entry: self._prefix(entry.url) == prefix, islice(site.queue, _ASKED_AT_ONCE))
            keeper = keeper_of(site.name, self._post.ranks)
            self._post.send(keeper, Spend(site.name, prefix, sum(1 for _ in alike)))
        return False

    def _prefix(self, url: str) -> str:
        return self._cap_of(url) if self._cap_of is not None else ""

    def _give_back_allowed(self, site: Site) -> None:
        if site.allowed:
            keeper = keeper_of(site.name, self._post.ranks)
            self._post.send(keeper, Spent(site.name, site.allowed_prefix, 0, site.allowed))
            site.allowed = 0

    def _note_if_starving(self, site: Site) -> None:
        if site.parked and not site.queue:
            self._starving += 1

    def _give_up(self, site: Site, origin: str, error: str) -> None:
        """Nothing of this origin can be fetched."""
        errands = _taken(site.errands, lambda errand: origin_of(errand.url) == origin)
        self._hopeless.extend((errand, error) for errand in errands)
        self._give_up_urls(site, origin, error)
        self._idle(site)

    def _give_up_urls(self, site: Site, origin: str, error: str) -> None:
        """No page of this origin may be fetched; that need not wait until the site has rested."""
        entries = _taken(site.queue, lambda entry: origin_of(entry.url) == origin)
        self._hopeless.extend((entry, error) for entry in entries)
        self._note_if_starving(site)

    def _detach(self, site: Site, now: float) -> None:
        """Take a site off its server; where it is from now on has to be asked."""
        rest = max(0.0, site.not_before - now)
        self.leases.remove(site, now)
        site.has_moved = True
        site.asked.clear()
        site.is_leaving = False
        self._post.send(keeper_of(site.name, self._post.ranks), Forgotten(site.name, rest))
        self._advance(site)
        self._idle(site)

    def _idle(self, site: Site) -> None:
        """A site without URLs and errands is forgotten when it has rested; with parked ones it stays."""
        if site.queue or site.is_picked or site.asked_prefix is not None:
            return
        self._give_back_allowed(site)
        if site.errands or site.parked:
            return
        now = self._now()
        if site.not_before > now:  # should its address change, its gatekeeper will have to know
            self.leases.let_rest(site)
        elif self._sites.get(site.name) is site:
            self.leases.remove(site, now)
            del self._sites[site.name]


def _taken(waiting: list[AnyUrl], is_meant: Callable[[AnyUrl], bool]) -> list[AnyUrl]:
    """Take out of a queue what is meant."""
    taken = [item for item in waiting if is_meant(item)]
    if taken:
        kept = [item for item in waiting if not is_meant(item)]
        waiting.clear()
        waiting.extend(kept)
    return taken
