"""Rests by budget: a domain that others link to may be visited more often, and so may its server.

H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 6.2:
the delays of sites and servers shrink as budgets grow, so that URLs enter memory no faster than their site can be
visited.  A domain of the least budget is visited every 40 seconds, and its server, if it has no other, every second.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from crawler.frontier.budgets.budget_functions import B0
from sessions.url import domain_of

SITE_SECONDS = 40.0
"""How long a site of the least budget rests."""
SERVER_SECONDS = 1.0
"""How long a server rests whose domains have the least budget."""
_SERVERS_REMEMBERED = 1 << 16


class Budgets(Protocol):
    """What domains may have fetched of them."""

    def of_site(self, site: str) -> int:
        """The present budget of the domain that a site lies in, in URLs; at least 1."""
        ...


@dataclass(slots=True)
class _Server:
    """How long a server rested last, in seconds, and for how many visits more that holds."""

    seconds: float
    visits: int


class BudgetRests:
    """Rests of sites and servers from budgets as they are now.

    The rest of a server goes by the mean over the domains that this rank knows on it.  That is looked at again after
    as many visits as there were sites, so that a visit costs the same on a server with a million sites.
    """

    def __init__(self, budgets: Budgets) -> None:
        self._budgets = budgets
        self._servers: dict[str, _Server] = {}

    def site_rest(self, site: str) -> float:
        return SITE_SECONDS * B0 / self._budgets.of_site(site)

    def server_rest(self, server: str, sites: Collection[str]) -> float:
        known = self._servers.pop(server, None)
        if known is None or known.visits <= 0:
            known = _Server(self._seconds(sites), len(sites))
        known.visits -= 1
        self._servers[server] = known
        if len(self._servers) > _SERVERS_REMEMBERED:
            del self._servers[next(iter(self._servers))]
        return known.seconds

    def _seconds(self, sites: Collection[str]) -> float:
        of_domains = {domain_of(site): self._budgets.of_site(site) for site in sites}
        return SERVER_SECONDS * B0 * len(of_domains) / sum(of_domains.values()) if of_domains else 0.0
