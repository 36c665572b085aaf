"""What becomes of a site next: is it asked about, wanted, left to rest or forgotten?

Everybody who changes something of a site that is not being visited says so here: `advance` if there may be more to do
for it, `idle` if there may be nothing left.  The states that a site goes through, and what moves it from one to the
next, are in docs/politeness.md.
"""

from collections.abc import Callable

from crawler.fetching.server_shares import Shares
from crawler.fetching.site_knowledge import SiteKnowledge
from crawler.fetching.site_table import SiteTable
from crawler.politeness.allowances import Allowances
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Forgotten, keeper_of
from crawler.politeness.site import NOWHERE, Site
from crawler.site_rules.rule_book import Ruling
from crawler.site_rules.rules_in_force import RulesInForce
from sessions.url import origin_of

_WEIGHT_OF_ERRANDS = 16
"""How many URLs a robots.txt stands for: other ranks wait for it too."""


class SiteLifecycle:
    """Moves the ``sites`` from state to state.

    ``leases`` tell it of sites that are left idle; ``now`` reads the web's clock.  While a rule pauses a site that has
    URLs or errands, the site is among the ``paused``; who ends what waits for blocked ones says so (`tell_of_blocked`).
    """

    def __init__(
        self,
        sites: SiteTable,
        knowledge: SiteKnowledge,
        allowances: Allowances,
        leases: Leases,
        shares: Shares,
        mailbox: Mailbox,
        now: Callable[[], float],
        rules: RulesInForce,
    ) -> None:
        self._sites = sites
        self._knowledge = knowledge
        self._allowances = allowances
        self._leases = leases
        self._shares = shares
        self._mailbox = mailbox
        self._now = now
        self._rules = rules
        self._on_blocked: Callable[[Site], None] = lambda site: None
        self.paused: set[Site] = set()
        leases.tell_of_idle(self.idle)

    def tell_of_blocked(self, on_blocked: Callable[[Site], None]) -> None:
        """Have ``on_blocked`` called with each site that a rule blocks, when nobody visits it."""
        self._on_blocked = on_blocked

    def advance(self, site: Site) -> None:
        """See to it that a site is visited, or that what has to be known for it is asked."""
        if site.is_picked or site.is_leaving:
            return
        ruling = self._ruling(site)
        if ruling.block:
            self._on_blocked(site)
        weight = self._weight(site, ruling)
        if weight == site.weight == 0:
            return
        site.weigh(weight)
        self._leases.want(site)

    def release(self, site: Site, now: float, *, rest: float, server_rest: float) -> None:
        """A visit has ended; for so many seconds the site, and its server, may not be visited."""
        ruling = self._ruling(site)
        site.weigh(self._weight(site, ruling))
        self._leases.release(site, now, site_rest=rest, server_rest=server_rest)
        if ruling.block:
            self._on_blocked(site)

    def idle(self, site: Site) -> None:
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

    def detach(self, site: Site, now: float) -> None:
        """Take a site off its server, once it is not being visited; where it is from now on has to be asked."""
        site.is_leaving = True
        if site.is_picked:
            return
        rest = max(0.0, site.not_before - now)
        self._leases.remove(site, now)
        site.moves()
        self._knowledge.expect_nothing(site)
        site.is_leaving = False
        self._mailbox.send(keeper_of(site.name, self._mailbox.ranks), Forgotten(site.name, rest))
        self.advance(site)
        self.idle(site)

    def _weight(self, site: Site, ruling: Ruling) -> int:
        """How much a site wants to be visited; 0 while it cannot be."""
        if self._is_held_back(site, ruling):
            return 0
        if site.errands:
            return _WEIGHT_OF_ERRANDS if self._is_known(site, origin_of(site.errands[0].url), with_rules=False) else 0
        if site.queue:
            url = site.queue[0].url
            is_known = self._is_known(site, origin_of(url), with_rules=True)
            may_be_visited = is_known and self._allowances.may_be_fetched(site, url)
            return len(site.queue) + site.parked if may_be_visited else 0
        return 0

    def _ruling(self, site: Site) -> Ruling:
        """What rules say of a site, by its address, too, if that is known and matters."""
        book = self._rules.book
        if book.has_networks and not site.ip and (site.errands or site.queue):
            url = site.errands[0].url if site.errands else site.queue[0].url
            site.is_at(self._knowledge.ip_of(origin_of(url)) or "")
        return site.ruled(book)

    def _is_held_back(self, site: Site, ruling: Ruling) -> bool:
        """Does a rule block a site, or pause it?"""
        if ruling.pause and not ruling.block and (site.queue or site.errands):
            self.paused.add(site)
        else:
            self.paused.discard(site)
        return ruling.block or ruling.pause

    def _is_known(self, site: Site, origin: str, *, with_rules: bool) -> bool:
        """Is known of an origin what has to be before it is visited?  If not, its gatekeeper is asked."""
        facts = self._knowledge.facts_of(origin, with_rules=with_rules)
        if facts is not None:
            if site.server is NOWHERE:
                self._leases.place(site, facts.gate)
            return True
        if with_rules and self._shares.is_crowded and self._knowledge.facts_of(origin, with_rules=False) is None:
            with_rules = False  # if its server is one of those that are full, its robots.txt is not asked for yet
        self._knowledge.ask(site, origin, with_rules=with_rules)
        return False
