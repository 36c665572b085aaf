"""The gatekeeper of sites: it finds out where a site is and what its robots.txt says, once for all ranks.

A rank asks by origin (scheme, host and port: what one robots.txt governs, RFC 9309, section 2.3).  The gatekeeper
looks the address up, has the robots.txt fetched by its own rank as one more visit to the site, and tells all who asked.
What robots.txt files said is kept in `robots_cache`, too, which is asked first: in memory are the sites that were asked
for last, and one that was forgotten comes back without a request as long as its rules hold.

A site is scheduled by one server's gatekeeper at a time, or its delay would not hold.  When its address changes, every
rank that was told of the old one first confirms that it visits the site no more.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count

from crawler.monitoring.events import say
from crawler.network.web import Found, Lookup, Web
from crawler.politeness.earlier_rests import NO_EARLIER_RESTS, EarlierRests
from crawler.politeness.entry import Errand
from crawler.politeness.known_site import LONG_AGO, KnownOrigin, KnownSite
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Ask, AskCrawlDelay, CrawlDelay, Facts, Forget, Forgotten, HopWaits, Unreached
from crawler.politeness.robots.rules import Rules
from crawler.politeness.robots_cache import Remembered, RobotsCache, name_and_agent, remembered_as
from crawler.politeness.robots_hops import RobotsHops
from crawler.politeness.soonest import soonest
from crawler.site_rules.rules_in_force import RULE, RulesInForce
from sessions.url import site_of_origin

_LOOKED_AT_TO_MAKE_ROOM = 4
_LEAST_SECONDS = 1.0
_REFUSED = Rules(unreachable=RULE)


class SiteGatekeeper:
    """Knows the sites that fall to this rank.  ``by_address`` says whether servers are addresses, or sites themselves.

    ``run_errand`` has this rank fetch something from a site; ``fetch_robots`` has it fetch a robots.txt from the site
    that it governs, and is told where that is, which is otherwise asked for.  ``lookups`` are those that have not been
    answered.
    ``earlier`` says which sites an earlier run has left to rest.  ``cache`` keeps the rules of all sites; without one,
    those of a site that is forgotten are fetched again.  In memory are the ``most_sites`` asked for last, with up to
    ``most_bytes`` of rules, and those that somebody waits for: no more than the ranks have URLs of.  ``rules`` are the
    operator's: what a robots.txt says to a name that they have changed meanwhile is asked for again.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        web: Web,
        run_errand: Callable[[Errand], None],
        *,
        by_address: bool,
        most_sites: int,
        most_bytes: int,
        fetch_robots: Callable[[Errand, Facts, float], None] | None = None,
        cache: RobotsCache | None = None,
        earlier: EarlierRests = NO_EARLIER_RESTS,
        rules: RulesInForce | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._web = web
        self._run_errand = run_errand
        self._fetch_robots = fetch_robots
        self._by_address = by_address
        self._cache = cache
        self._earlier = earlier
        self._most_sites = most_sites
        self._most_bytes = most_bytes
        self._rules = rules or RulesInForce()
        self._sites: OrderedDict[str, KnownSite] = OrderedDict()
        self.hops = RobotsHops(mailbox, self.run_later)
        self._later: list[tuple[float, int, Errand]] = []
        self._number = count(1)
        self._bytes = 0
        self.lookups = 0

    @property
    def waiting(self) -> int:
        """How many questions the cache has not answered."""
        return self._cache.waiting if self._cache is not None else 0

    def flush(self, now: float) -> None:
        """Have the cache answer at once: there is nothing else to fetch."""
        if self._cache is not None:
            self._recall(self._cache.flush(now), now)

    def close(self) -> None:
        """The crawl has ended."""
        if self._cache is not None:
            self._cache.close()

    def asked(self, rank: int, ask: Ask, now: float) -> None:
        """A rank wants to know of an origin."""
        site, origin = self._known(ask.origin)
        if (rank, ask.robots) not in origin.askers:
            origin.askers += ((rank, ask.robots),)
        if ask.robots:
            self._ask_cache(site, origin, now)
        self._settle(site, origin, now)

    def asked_for_delay(self, rank: int, ask: AskCrawlDelay, now: float) -> None:
        """The robots.txt of another site lies on this one, and waits for this one's crawl-delay."""
        site, origin = self._known(ask.origin)
        origin.hops = origin.hops or {}
        origin.hops[ask.waiter] = rank, ask.depth
        self.hops.probe(HopWaits(ask.origin, ask.waiter, 1), now)
        self._ask_cache(site, origin, now)
        self._settle(site, origin, now)

    def delay_told(self, answer: CrawlDelay, now: float) -> None:
        """Another site's gatekeeper has said how long that rests."""
        self.hops.told(answer, now)

    def hop_waits(self, probe: HopWaits, now: float) -> None:
        """A robots.txt waits, over others, for one of a site that falls to this rank."""
        self.hops.probe(probe, now)

    def follow(self, errand: Errand, now: float) -> None:
        """Have a robots.txt fetched from where it has redirected to, when it is known how long that site rests."""
        _, origin = self._known(errand.origin)
        self.hops.follow(errand, max((depth for _, depth in (origin.hops or {}).values()), default=0), now)

    def crawl_delay(self, name: str, now: float) -> float:
        """What the robots.txt files of an origin's site ask for, http and https, as far as they are known: seconds."""
        site, origin = self._known(name)
        return site.crawl_delay(origin, now)

    def found(self, found: Found, now: float) -> None:
        """The answer to a lookup has come."""
        site, origin = self._known(found.lookup.origin)
        origin.is_looked_up, origin.proxy = False, found.lookup.proxy
        self.lookups -= 1
        is_stale_good = found.error == "dns" and bool(origin.endpoints)  # a name server that fails moves no site
        origin.error = "" if is_stale_good else found.error
        if origin.error:
            say("site given up", site=site.name, reason=origin.error)
        origin.address_until = now + max(found.seconds, _LEAST_SECONDS)
        if found.endpoints:
            origin.endpoints = found.endpoints
            decides = origin.name == site.placed_by or not site.placed_by
            if decides and site.endpoint(origin).ip != site.ip:
                self._move(site, origin, found.endpoints[0].ip)
        self._settle(site, origin, now)

    def unreached(self, report: Unreached, now: float) -> None:
        """A rank could not connect to an origin: the next of its addresses is tried, if there are several."""
        site, origin = self._known(report.origin)
        endpoints = origin.endpoints
        if len(endpoints) > 1 and site.endpoint(origin) == report.endpoint:
            after = (endpoints.index(report.endpoint) + 1) % len(endpoints)
            self._move(site, origin, endpoints[after].ip)
        self._settle(site, origin, now)

    def forgotten(self, rank: int, message: Forgotten, now: float) -> None:
        """A rank confirms that it visits a site no more."""
        site = self._sites[message.site]
        if rank in site.forgetting:
            site.forgetting = tuple(other for other in site.forgetting if other != rank)
        site.rested = max(site.rested, now + message.rest)
        for origin in site.origins:
            self._settle(site, origin, now)

    def robots_known(self, name: str, rules: Rules, now: float) -> Remembered:
        """What the robots.txt of an origin says is known, or that there is none to be had for now.

        What is remembered of that.
        """
        site, origin = self._known(name)
        origin.is_asked_for_robots = False
        rounds, since = (origin.rounds + 1, origin.unreachable_since) if rules.unreachable else (0, None)
        known = Remembered(rules, now + max(rules.seconds, _LEAST_SECONDS), rounds, since)
        origin.tries, origin.is_recalled = 0, True
        self._learn(site, origin, known, now)
        self._settle(site, origin, now)
        if self._cache is not None:
            self._cache.learn(remembered_as(name, rules.agent), known)
        return known

    def robots_refused(self, name: str, now: float) -> None:
        """A rule keeps the robots.txt of an origin from being asked for: all who wait are told, and nothing is kept."""
        site, origin = self._known(name)
        origin.is_asked_for_robots = False
        if site.forgetting:  # nobody is told anything meanwhile; it is asked for again afterwards
            return
        self._tell_hops(site, origin, now)
        askers, origin.askers = origin.askers, ()
        for rank, _ in askers:
            self._mailbox.send(rank, self._facts(site, origin, rank, True, now, _REFUSED))

    def last_rules(self, name: str) -> Rules | None:
        """What the robots.txt of an origin said last."""
        return self._known(name)[1].rules

    def robots_failed(self, name: str, now: float) -> tuple[int, int, float]:
        """The robots.txt of an origin did not come.

        How many tries have failed since somebody asked for it, how often it was given up before, and over how many
        seconds.
        """
        _, origin = self._known(name)
        origin.tries += 1
        if origin.unreachable_since is None:
            origin.unreachable_since = now
        return origin.tries, origin.rounds, now - origin.unreachable_since

    def run_later(self, errand: Errand, time: float) -> None:
        """Have an errand run at a time."""
        heappush(self._later, (time, next(self._number), errand))

    def wake(self, now: float) -> None:
        """Run the errands whose time has come, and take in what the cache has answered."""
        while self._later and self._later[0][0] <= now:
            self._run_errand(heappop(self._later)[2])
        if self._cache is not None:
            self._recall(self._cache.attend(now), now)

    def next_time(self) -> float | None:
        """When there is next something to do here; None if nothing waits."""
        return soonest(
            self._later[0][0] if self._later else None,
            self._cache.next_time() if self._cache is not None else None,
        )

    def _recall(self, answers: Iterable[tuple[str, Remembered | None]], now: float) -> None:
        for name, known in answers:
            name, agent = name_and_agent(name)
            site, origin = self._known(name)
            origin.is_asked_of_cache, origin.is_recalled = False, True
            if known is not None and agent == self._agent_of(site):
                self._learn(site, origin, known, now)
            elif not (origin.askers or origin.hops or origin.address_until > LONG_AGO):
                site.origins = tuple(one for one in site.origins if one is not origin)  # nobody has heard of it
            self._settle(site, origin, now)
            self._make_room()

    def _ask_cache(self, site: KnownSite, origin: KnownOrigin, now: float) -> None:
        """What the cache knows of an origin, and of its sibling under http or https: the longer crawl-delay holds."""
        if self._cache is None or origin.is_recalled:
            return
        for name in (origin.name, _sibling(origin.name)):
            one = site.origin(name)
            if not (one.is_recalled or one.is_asked_of_cache):
                one.is_asked_of_cache = True
                self._cache.ask(remembered_as(name, self._agent_of(site)), now)

    def _learn(self, site: KnownSite, origin: KnownOrigin, known: Remembered, now: float) -> None:
        """Take in what a robots.txt says; where it asks for a longer rest than others of its site, that holds there."""
        before = site.crawl_delay(origin, now)
        self._bytes += known.rules.bytes - (origin.rules.bytes if origin.rules is not None else 0)
        origin.rules, origin.rules_until, origin.rounds, origin.unreachable_since = known
        if site.crawl_delay(origin, now) <= before:
            return
        for other in site.origins:
            if other is not origin and now < min(other.rules_until, other.address_until):
                for rank in site.told:
                    self._mailbox.send(rank, self._facts(site, other, rank, True, now))

    def _known(self, origin: str) -> tuple[KnownSite, KnownOrigin]:
        name = site_of_origin(origin)
        site = self._sites.get(name)
        if site is None:
            self._make_room()
            site = self._sites[name] = KnownSite(name, rested=self._earlier.until(name))
        self._sites.move_to_end(name)
        return site, site.origin(origin)

    def _make_room(self) -> None:
        """Forget sites that were asked for least recently, but not those that are busy."""
        for _ in range(_LOOKED_AT_TO_MAKE_ROOM):
            if len(self._sites) < self._most_sites and self._bytes < self._most_bytes:
                return
            name, site = next(iter(self._sites.items()))
            if site.told and not site.is_busy:  # or they would go on where it is no more
                self._have_forgotten(site)
            if site.is_busy:
                self._sites.move_to_end(name)
            else:
                del self._sites[name]
                self._bytes -= sum(origin.rules.bytes for origin in site.origins if origin.rules is not None)

    def _move(self, site: KnownSite, origin: KnownOrigin, ip: str) -> None:
        """Visit a site at another address from now on: first, all who were told of the old one are to leave it."""
        site.ip, site.placed_by = ip, origin.name
        self._have_forgotten(site)

    def _have_forgotten(self, site: KnownSite) -> None:
        for rank in site.told:
            self._mailbox.send(rank, Forget(site.name))
        site.forgetting += site.told  # no rank is in both: while there are such, nobody is told
        site.told = ()

    def _settle(self, site: KnownSite, origin: KnownOrigin, now: float) -> None:
        """Tell those who wait for what is known; see to it that the rest will be."""
        if site.forgetting or not (origin.askers or origin.hops):
            return
        proxy = self._rules.proxy_of(site.name)
        if now >= origin.address_until or origin.proxy != proxy:
            if not origin.is_looked_up:
                origin.is_looked_up = True
                self.lookups += 1
                self._web.look_up(Lookup(origin.name, self, proxy))
            return
        has_rules = origin.rules is not None and now < origin.rules_until and origin.rules.agent == self._agent_of(site)
        askers, origin.askers = origin.askers, ()
        for rank, wants_rules in askers:
            if origin.error or has_rules or not wants_rules:
                self._mailbox.send(rank, self._facts(site, origin, rank, wants_rules, now))
            else:
                origin.askers += ((rank, True),)
        if origin.error or has_rules:
            self._tell_hops(site, origin, now)
        if (origin.askers or origin.hops) and not origin.is_asked_for_robots and not origin.is_asked_of_cache:
            origin.is_asked_for_robots = True
            errand = Errand(origin.name, f"{origin.name}/robots.txt")
            if self._fetch_robots is None:
                self._run_errand(errand)
            else:
                self._fetch_robots(errand, self._facts(site, origin, self._mailbox.rank, False, now), now)

    def _tell_hops(self, site: KnownSite, origin: KnownOrigin, now: float) -> None:
        for waiter, (rank, _) in (origin.hops or {}).items():
            self._mailbox.send(rank, CrawlDelay(waiter, origin.name, site.crawl_delay(origin, now)))
        origin.hops = None

    def _agent_of(self, site: KnownSite) -> str:
        return self._rules.agent_of(site.name)

    def _facts(
        self,
        site: KnownSite,
        origin: KnownOrigin,
        rank: int,
        wants_rules: bool,
        now: float,
        refused: Rules | None = None,
    ) -> Facts:
        """What a rank is told of an origin, which is remembered of the rank if the origin has an address."""
        if origin.error:
            return Facts(origin.name, error=origin.error)
        if rank not in site.told:
            site.told += (rank,)
        seconds = origin.address_until - now
        if wants_rules and refused is None:
            seconds = min(seconds, origin.rules_until - now)
        seconds = max(seconds, _LEAST_SECONDS)  # or they would be out of date before they can be used
        rest = max(0.0, site.rested - now)
        rules = origin.rules.without_sitemaps() if wants_rules and origin.rules is not None else None
        rules = refused or rules
        if rules is not None and rules.crawl_delay < (longest := site.crawl_delay(origin, now)):
            rules = replace(rules, crawl_delay=longest)
        gate = site.ip if self._by_address else site.name
        failures = self._earlier.failures(site.name, now)
        return Facts(origin.name, gate, site.endpoint(origin), rules, "", seconds, rest, failures, origin.proxy)


def _sibling(origin: str) -> str:
    """The other origin of a site: under https, or http."""
    scheme, _, rest = origin.partition(":")
    return f"{'http' if scheme == 'https' else 'https'}:{rest}"
