"""The workbench: the sites that are being visited, each with a short FIFO of URLs; it decides *when*.

A site is visited by one request at a time, when all of this holds: its gatekeeper has said where it is and what its
robots.txt says, this rank holds a lease of its server, or was given a visit, and both have rested long enough
(`crawler.politeness`).  Within a site the order of arrival is kept.

A server has its fair share of the workbench and no more, however many hosts and URLs it has: so many sites
(`server_shares`), and for all of them together so many URLs in their FIFOs.  What is beyond is *parked*: each such
site, server and domain has a backlog of its own (`backlogs`), so that what comes back costs no look at what is others'.
When the workbench is full, those that have a backlog and those that come from the ordering have as much of what gets
free.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeVar

from crawler.fetching.parked import LEAST_OF_A_SITE, Parked
from crawler.fetching.refill_policy import RefillPolicy
from crawler.fetching.room import CAPACITY, Room
from crawler.fetching.server_shares import Shares
from crawler.fetching.visits import Waiting
from crawler.politeness.allowances import Allowances
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.gatekeeper_of import keeper_of
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Allowance, Ask, Facts, Forget, Forgotten
from crawler.politeness.origin_facts import OriginFacts
from crawler.politeness.page_caps import PageCaps
from crawler.politeness.site import NOWHERE, Entry, Errand, Site, entry_columns
from crawler.urls.batch import UrlBatch
from sessions.url import origin_of, site_of

SITES_OF_A_SERVER = 32
"""That many keep a server busy, unless they rest longer than it: see `crawler.rank.assembly`."""
_NO_CAPS = PageCaps()
_LONG_REST_SECONDS = 60.0
"""Longer than any crawl-delay that is kept to by default, for which a server has sites enough."""
_WEIGHT_OF_ERRANDS = 16
"""How many URLs a robots.txt stands for: other ranks wait for it too."""


AnyUrl = TypeVar("AnyUrl", Entry, Errand)


class Workbench:
    """Sites with URLs to visit.

    ``parked`` is for URLs that there is no room for; ``leases`` say which site may be visited, and are told here which
    want to be; ``now`` reads the web's clock; ``connections`` is transfers at once.  A server has up to ``most_sites``
    sites here.
    """

    def __init__(
        self,
        parked: Backlogs,
        mailbox: Mailbox,
        leases: Leases,
        now: Callable[[], float],
        *,
        caps: PageCaps = _NO_CAPS,
        connections: int = 64,
        capacity: int = CAPACITY,
        most_sites: int = SITES_OF_A_SERVER,
    ) -> None:
        self._backlogs = parked
        self._mailbox = mailbox
        self._now = now
        self._allowances = Allowances(mailbox, caps, self._ip_of)
        self._leases = leases
        leases.tell_of_idle(self._idle)
        self._sites: dict[str, Site] = {}
        self._facts = OriginFacts()
        self._shares = Shares(self._sites, parked, self._gate_of, self._site, most_sites=most_sites)
        self._hopeless: deque[tuple[Entry | Errand, str]] = deque()
        self._let_in = RefillPolicy(self._sites_with_urls, connections)
        self._errands = 0
        self._room = Room(capacity)
        self._parked = Parked(self._sites, parked, self._shares, self._room)
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
        return self._let_in.is_time

    @property
    def is_running_dry(self) -> bool:
        """Has a site run out of URLs, here and parked, so that the links of its pages may be all that it has?"""
        return self._shares.has_lost_site

    @property
    def servers(self) -> int:
        """On how many servers there is something to visit, and in how many domains that were not looked up."""
        return len(self._shares)

    @property
    def has_errands(self) -> bool:
        """Is there a robots.txt to be fetched?"""
        return self._errands > 0

    def put(self, batch: UrlBatch) -> None:
        """Accept URLs, in order; those for which their server, or site, has no room are parked."""
        self._let_in.came()
        sites, shares, before = self._sites, self._shares, len(self._backlogs)
        share = self._room.share(len(shares))
        touched: dict[str, Site] = {}
        columns = (batch.hashes.tolist(), batch.depths.tolist(), batch.hops.tolist())
        for entry in map(Entry, batch.urls, *columns):
            name = site_of(entry.url)
            site = sites.get(name)
            if site is None or not site.share.is_open or shares.closed_domains:
                site = shares.enter(name, entry)
                if site is None:
                    continue
            queue = site.queue
            if site.parked or (len(queue) >= LEAST_OF_A_SITE and len(queue) >= share // site.share.sites):
                shares.put_by(site, entry)
            else:
                queue.append(entry)
                touched[name] = site
        put_by = len(self._backlogs) - before
        self._room.waiting += len(batch) - put_by
        self._room.came(len(batch), put_by)
        self._backlogs.relieve()
        for site in touched.values():
            self._advance(site)

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
            self._advance(site)
        return bool(touched)

    def run_errand(self, errand: Errand) -> None:
        """Have a robots.txt fetched before the URLs of the site that it is on."""
        site = self._site(site_of(errand.url))
        site.errands.append(errand)
        self._errands += 1
        self._advance(site)

    def pick(self, now: float) -> Site | None:
        """A site that has something to fetch and may be visited now, or None.  It is the caller's until `release`."""
        site = self._leases.pick(now)
        if site is not None and site.rests_long:
            self._shares.rests(site, is_long=False)
        return site

    def next_errand(self, site: Site) -> Errand | None:
        """Take the first errand of a picked site."""
        if not site.errands:
            return None
        self._errands -= 1
        return site.errands.pop(0)

    def next_entry(self, site: Site) -> Entry | None:
        """Take the first URL of a picked site, unless it has to be asked first whether it may be fetched."""
        if not site.queue or not self._allowances.may_be_fetched(site, site.queue[0].url):
            return None
        entry = site.queue.pop(0)
        self._room.waiting -= 1
        self._allowances.take(site)
        self._let_in.visited()
        if site.parked and not site.queue:
            self._parked.run_out(site)
        return entry

    def put_back(self, site: Site, entry: Entry) -> None:
        """Return a URL to the front of its picked site."""
        site.queue.insert(0, entry)
        self._room.waiting += 1
        self._allowances.put_back(site)

    def spent(self, site: Site, *, is_fetched: bool) -> None:
        """A URL that was taken from a site has been fetched, or will not be."""
        self._allowances.spent(site, is_fetched=is_fetched)

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
        self._leases.release(site, now, site_rest=rest, server_rest=server_rest)
        if not (site.queue or site.parked):  # while it rests, others of its server may come
            self._shares.leave(site)
        elif rest > _LONG_REST_SECONDS:
            self._shares.rests(site, is_long=True)
        if site.is_leaving:
            self._detach(site, now)

    def next_release(self) -> float | None:
        """When the next site may be visited; None if none waits for its time."""
        return self._leases.next_time()

    def known(self, facts: Facts, now: float) -> None:
        """A gatekeeper has answered a question about a site."""
        name = site_of(f"{facts.origin}/")
        if name not in self._sites and not (facts.error or facts.rest or facts.failures):
            self._facts.add(facts, now)  # its URLs were put by
            return
        site = self._site(name)
        site.asked.discard((facts.origin, False))
        if facts.rules is not None or facts.error:
            site.asked.discard((facts.origin, True))
        if facts.error:
            self._give_up(site, facts.origin, facts.error)
        elif facts.rules is not None or self.facts_of(facts.origin) is None:
            self._facts.add(facts, now)
            if site.server is not NOWHERE and site.server.key != facts.gate and not site.is_picked:
                self._leases.remove(site, now)
            site.not_before = max(site.not_before, now + facts.rest)
            if facts.failures:  # its server's gatekeeper does not know of them
                site.failures, site.has_moved = max(site.failures, facts.failures), True
            if not self._shares.is_at_home(site, facts.gate) and not site.is_picked:
                self._room.waiting -= len(self._shares.move(site, facts.gate))
            if facts.rules is not None and facts.rules.unreachable:
                self._give_up_urls(site, facts.origin, facts.rules.unreachable)
        self._advance(site)
        self._idle(site)

    def allowed(self, allowance: Allowance) -> None:
        """A gatekeeper has said how many more pages of a site may be fetched."""
        site = self._sites[allowance.site]
        refused = self._allowances.answered(site, allowance)
        if refused:
            self._hopeless.extend((entry, allowance.reached) for entry in refused)
            self._look_for_parked(site)
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
                self._room.waiting -= 1
                self._let_in.visited()
            else:
                self._errands -= 1
            yield item, error

    def drain(self) -> Iterator[Waiting]:
        """Take everything off the workbench: the sites' URLs, then what was parked."""
        for site in self._sites.values():
            self._room.waiting -= len(site.queue)
            yield entry_columns(site.queue)
            site.queue.clear()
        for entries in self._backlogs.drain():
            yield entry_columns(entries)

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
        self._leases.want(site)

    def _weight(self, site: Site) -> int:
        """How much a site wants to be visited; 0 while it cannot be."""
        if site.errands:
            return _WEIGHT_OF_ERRANDS if self._is_known(site, origin_of(site.errands[0].url), with_rules=False) else 0
        if site.queue:
            url = site.queue[0].url
            is_known = self._is_known(site, origin_of(url), with_rules=True)
            may_be_visited = is_known and self._allowances.may_be_fetched(site, url)
            return len(site.queue) + site.parked if may_be_visited else 0
        return 0

    def _is_known(self, site: Site, origin: str, *, with_rules: bool) -> bool:
        """Is known of an origin what has to be before it is visited?  If not, its gatekeeper is asked."""
        facts = self.facts_of(origin, with_rules=with_rules)
        if facts is not None:
            if site.server is NOWHERE:
                self._leases.place(site, facts.gate)
            return True
        if with_rules and self._shares.is_crowded and self.facts_of(origin, with_rules=False) is None:
            with_rules = False  # if its server is one of those that are full, its robots.txt is not asked for yet
        if (origin, with_rules) not in site.asked:
            site.asked.add((origin, with_rules))
            self._mailbox.send(keeper_of(site.name, self._mailbox.ranks), Ask(origin, with_rules))
        return False

    def _ip_of(self, origin: str) -> str | None:
        facts = self.facts_of(origin, with_rules=False)
        return facts.endpoint.ip if facts is not None and facts.endpoint is not None else None

    def _gate_of(self, name: str, url: str) -> str | None:
        """The key of the server that a site is on, None if that is not known."""
        site = self._sites.get(name)
        if site is not None and site.server is not NOWHERE:
            return site.server.key
        facts = self.facts_of(origin_of(url), with_rules=False)
        return facts.gate if facts is not None else None

    def _look_for_parked(self, site: Site) -> None:
        if site.parked and not site.queue:
            self._parked.run_out_for_now(site)

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
        self._look_for_parked(site)

    def _detach(self, site: Site, now: float) -> None:
        """Take a site off its server; where it is from now on has to be asked."""
        rest = max(0.0, site.not_before - now)
        self._leases.remove(site, now)
        site.has_moved = True
        site.asked.clear()
        site.is_leaving = False
        self._mailbox.send(keeper_of(site.name, self._mailbox.ranks), Forgotten(site.name, rest))
        self._advance(site)
        self._idle(site)

    def _idle(self, site: Site) -> None:
        """A site without URLs and errands is forgotten when it has rested; with parked ones it stays."""
        if site.queue or site.is_picked or self._allowances.is_asking(site):
            return
        self._allowances.give_back(site)
        if site.parked:
            return
        self._shares.leave(site)
        if site.errands:
            return
        now = self._now()
        if site.not_before > now:  # should its address change, its gatekeeper will have to know
            self._leases.let_rest(site)
        elif self._sites.get(site.name) is site:
            self._leases.remove(site, now)
            del self._sites[site.name]


def _taken(waiting: list[AnyUrl], is_meant: Callable[[AnyUrl], bool]) -> list[AnyUrl]:
    """Take out of a queue what is meant."""
    taken = [item for item in waiting if is_meant(item)]
    if taken:
        kept = [item for item in waiting if not is_meant(item)]
        waiting.clear()
        waiting.extend(kept)
    return taken
