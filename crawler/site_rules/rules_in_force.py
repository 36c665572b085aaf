"""The rules that hold now, the same on all ranks, and who is told when they change."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from crawler.network.product_token import product_token
from crawler.network.proxy import Proxy
from crawler.site_rules.rule_book import NOTHING, RuleBook, Ruling
from crawler.site_rules.rule_difference import RuleDifference
from crawler.site_rules.rule_file import SiteRule
from crawler.urls.batch import Mask
from sessions.url import site_of

RULE = "rule"
"""Why a URL is filtered that a rule blocks."""


class RulesInForce:
    """The rules of one rank: ``book`` is another object once they have changed.

    Who keeps what followed from the rules before is told of each change, in the order of `tell_of_change`.
    """

    def __init__(self, rules: Iterable[SiteRule] = ()) -> None:
        self.book = RuleBook(rules)
        self._on_change: list[Callable[[RuleDifference], None]] = []

    def tell_of_change(self, on_change: Callable[[RuleDifference], None]) -> None:
        """Have ``on_change`` called with what is different whenever other rules hold."""
        self._on_change.append(on_change)

    def change(self, rules: Iterable[SiteRule]) -> None:
        """From now on these rules hold."""
        before, self.book = self.book, RuleBook(rules)
        difference = RuleDifference(before.rules, self.book.rules)
        for on_change in self._on_change:
            on_change(difference)

    def agent_of(self, site: str) -> str:
        """The product token that a rule gives the crawler on a site; empty if none does."""
        user_agent = self.book.of(site).user_agent if self.book.has_user_agents else None
        return product_token(user_agent) if user_agent is not None else ""

    def proxy_of(self, site: str) -> Proxy | None:
        """The way out that a rule names for a site; None if none does."""
        return self.book.of(site).proxy if self.book.has_proxies else None

    def blocked(self, urls: Sequence[str]) -> Mask:
        """Which canonical URLs are blocked, as far as their names say: bool[n]."""
        if not self.book.has_blocks:
            return np.zeros(len(urls), bool)
        rulings: dict[str, Ruling] = {}
        blocked = np.zeros(len(urls), bool)
        for place, url in enumerate(urls):
            site = site_of(url)
            ruling = rulings.get(site)
            if ruling is None:
                ruling = rulings[site] = self.book.of(site)
            blocked[place] = ruling is not NOTHING and ruling.at(url).block
        return blocked
