"""What the gatekeepers of sites and caps say, and what follows from it for the sites that a rank has URLs of."""

from crawler.fetching.parked import Parked
from crawler.fetching.room import Room
from crawler.fetching.server_shares import Shares
from crawler.fetching.site_knowledge import SiteKnowledge
from crawler.fetching.site_lifecycle import SiteLifecycle
from crawler.fetching.site_picker import SitePicker
from crawler.fetching.site_table import SiteTable
from crawler.politeness.allowances import Allowances
from crawler.politeness.entry import Errand
from crawler.politeness.leases import Leases
from crawler.politeness.messages import Allowance, Facts, Forget
from crawler.politeness.site import NOWHERE, Site
from crawler.site_rules.rules_in_force import RULE, RulesInForce
from sessions.url import origin_of, site_of_origin


class GatekeeperAnswers:
    """Takes answers to questions about the ``sites``."""

    def __init__(
        self,
        sites: SiteTable,
        knowledge: SiteKnowledge,
        lifecycle: SiteLifecycle,
        picker: SitePicker,
        allowances: Allowances,
        leases: Leases,
        shares: Shares,
        parked: Parked,
        room: Room,
        rules: RulesInForce,
    ) -> None:
        self._sites = sites
        self._knowledge = knowledge
        self._lifecycle = lifecycle
        self._picker = picker
        self._allowances = allowances
        self._leases = leases
        self._shares = shares
        self._parked = parked
        self._room = room
        self._rules = rules

    def fetch_robots(self, errand: Errand, facts: Facts, now: float) -> None:
        """A gatekeeper on this rank wants the robots.txt of a site, and says where that is: it need not be asked."""
        self._picker.accept_errand(errand)
        self.known(facts, now)

    def known(self, facts: Facts, now: float) -> None:
        """A gatekeeper has answered a question about a site."""
        name = site_of_origin(facts.origin)
        answer, facts = facts, self._as_it_holds(name, facts)
        is_known = name in self._sites
        if not facts.error and facts.proxy != self._rules.proxy_of(name):  # it is asked anew for another way
            if is_known:
                self._ask_anew(self._sites.named(name), answer)
            return
        if not is_known and not (facts.error or facts.rest or facts.failures):
            self._knowledge.learn(facts, now)  # its URLs were put by
            return
        site = self._sites.named(name)
        self._knowledge.answered(site, answer)
        if facts.error:
            self._give_up(site, facts.origin, facts.error)
        elif facts.rules is not None or self._knowledge.facts_of(facts.origin) is None:
            self._knowledge.learn(facts, now)
            self._place(site, facts, now)
            if facts.rules is not None and facts.rules.unreachable:
                self._give_up_urls(site, facts.origin, facts.rules.unreachable)
        self._lifecycle.advance(site)
        self._lifecycle.idle(site)

    def allowed(self, allowance: Allowance) -> None:
        """A gatekeeper has said how many more pages of a site may be fetched."""
        site = self._sites[allowance.site]
        refused = self._allowances.answered(site, allowance)
        if refused:
            self._picker.give_up(refused, allowance.reached)
            self._look_for_parked(site)
        self._lifecycle.advance(site)
        self._lifecycle.idle(site)

    def forget(self, message: Forget, now: float) -> None:
        """The address of a site changes: visit it no more, and say so."""
        site = self._sites.named(message.site)
        self._knowledge.forget(site)
        self._lifecycle.detach(site, now)

    def _ask_anew(self, site: Site, answer: Facts) -> None:
        self._knowledge.answered(site, answer)
        self._lifecycle.advance(site)
        self._lifecycle.idle(site)

    def _as_it_holds(self, name: str, facts: Facts) -> Facts:
        """An answer without what the operator's rules have overtaken: what robots.txt says to another name, or nothing.

        A robots.txt that was not asked for because of a rule is asked for again if the site is not blocked any more.
        """
        said = facts.rules
        is_overtaken = said is not None and (said.unreachable == RULE or said.agent != self._rules.agent_of(name))
        return facts._replace(rules=None) if is_overtaken else facts

    def _place(self, site: Site, facts: Facts, now: float) -> None:
        """A site is on the server that its gatekeeper names, and has that long to rest."""
        if site.server is not NOWHERE and site.server.key != facts.gate and not site.is_picked:
            self._leases.remove(site, now)
        if facts.rest:  # else it keeps its place: over the connection that brought its robots.txt its page may follow
            site.rest_until(now + facts.rest)
        if facts.failures:  # its server's gatekeeper does not know of them
            site.moves(facts.failures)
        if facts.endpoint is not None:
            site.is_at(facts.endpoint.ip)
        if not self._shares.is_at_home(site, facts.gate) and not site.is_picked:
            self._room.waiting -= len(self._shares.move(site, facts.gate))

    def _give_up(self, site: Site, origin: str, error: str) -> None:
        """Nothing of this origin can be fetched."""
        self._picker.give_up(site.take_errands_where(lambda url: origin_of(url) == origin), error)
        self._give_up_urls(site, origin, error)
        self._lifecycle.idle(site)

    def _give_up_urls(self, site: Site, origin: str, error: str) -> None:
        """No page of this origin may be fetched; that need not wait until the site has rested."""
        self._picker.give_up(site.take_where(lambda url: origin_of(url) == origin), error)
        self._look_for_parked(site)

    def _look_for_parked(self, site: Site) -> None:
        if site.parked and not site.queue:
            self._parked.run_out_for_now(site)
