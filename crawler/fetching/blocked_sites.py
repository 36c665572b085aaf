"""Ending what rules block: URLs and robots.txt files of a blocked site leave the workbench as soon as they come there.

Nothing is asked of the site's gatekeeper for that, and no lease waited for.  What is parked comes a batch at a time, so
that others are served meanwhile.  URLs that a rule on a prefix blocks are told apart when their turn comes (`fetcher`).
"""

from crawler.fetching.parked import Parked
from crawler.fetching.room import AT_ONCE, Room
from crawler.fetching.site_knowledge import SiteKnowledge
from crawler.fetching.site_lifecycle import SiteLifecycle
from crawler.fetching.site_picker import SitePicker
from crawler.fetching.site_table import SiteTable
from crawler.politeness.messages import Facts
from crawler.politeness.site import Site
from crawler.site_rules.rule_difference import RuleDifference
from crawler.site_rules.rules_in_force import RULE, RulesInForce


class BlockedSites:
    """Hands what waits for blocked sites to the ``picker`` as hopeless."""

    def __init__(
        self,
        sites: SiteTable,
        knowledge: SiteKnowledge,
        lifecycle: SiteLifecycle,
        picker: SitePicker,
        parked: Parked,
        room: Room,
        rules: RulesInForce,
    ) -> None:
        self._sites = sites
        self._knowledge = knowledge
        self._lifecycle = lifecycle
        self._picker = picker
        self._parked = parked
        self._room = room
        self._rules = rules
        self._with_parked: dict[Site, None] = {}
        lifecycle.tell_of_blocked(self.turn_away)

    @property
    def has_more(self) -> bool:
        """Are there parked URLs of blocked sites to be turned away?"""
        return bool(self._with_parked)

    def turn_away(self, site: Site) -> None:
        """End what waits for a site that is blocked."""
        if site.errands:
            self._picker.give_up(site.take_errands_where(lambda url: True), RULE)
        self._knowledge.expect_nothing(site)
        if site.queue:
            self._picker.give_up(site.take_all(), RULE)
        if site.parked:
            self._with_parked[site] = None

    def turn_more_away(self) -> None:
        """End some of the parked URLs of blocked sites."""
        left = AT_ONCE
        for site in list(self._with_parked):
            if left <= 0:
                return
            if site.ruled(self._rules.book).block:
                left -= self._turn_parked_away(site, left)
                if site.parked:
                    return
            elif site.parked and not site.queue:  # it is not blocked any more
                self._parked.run_out_for_now(site)
            del self._with_parked[site]

    def look_again(self, difference: RuleDifference) -> None:
        """Other rules hold: see to it that every site on the workbench that they concern is treated by them."""
        self._knowledge.forget_where(lambda name, facts: difference.concerns(name) and self._is_overtaken(name, facts))
        for site in self._concerned(difference):
            self._lifecycle.advance(site)
            self._lifecycle.idle(site)

    def _concerned(self, difference: RuleDifference) -> list[Site]:
        """The sites that a difference concerns, or may concern: an address that no rule asked for was not kept."""
        sites = self._sites
        concerned = {sites[name]: None for name in sorted(difference.among(sites))}
        if difference.has_networks:
            its = (site for site in sites.values() if not site.ip or difference.concerns_address(site.ip))
            concerned.update(dict.fromkeys(its))
        return list(concerned)

    def _is_overtaken(self, name: str, facts: Facts) -> bool:
        """Were a site's robots.txt read for another name, or its endpoint looked up for another way, than hold now?"""
        rules = self._rules
        is_other_name = facts.rules is not None and facts.rules.agent != rules.agent_of(name)
        return is_other_name or facts.proxy != rules.proxy_of(name)

    def _turn_parked_away(self, site: Site, most: int) -> int:
        count = site.unpark(most)
        self._room.waiting += count
        self._picker.give_up(site.take_all(), RULE)
        self._lifecycle.idle(site)
        return count
