"""The workbench: the sites that are being visited, each with a short FIFO of URLs; it decides *when*.

A site is visited by one request at a time, when all of this holds: its gatekeeper has said where it is and what its
robots.txt says, this rank holds a lease of its server, or was given a visit, and both have rested long enough
(`crawler.politeness`).  Within a site the order of arrival is kept.

Its jobs are apart, and each is used by whom it is for:

- `supply` takes URLs from the ordering and brings parked ones back, for a rank's loop;
- `site_picker` says what may be fetched now, for the fetcher;
- `gatekeeper_answers` hears what gatekeepers say, for whoever carries messages;
- `blocked_sites` ends what rules block;
- `site_lifecycle` moves a site on whenever one of these has changed something;
- `site_knowledge` is what is known of sites, and has been asked.
"""

from collections.abc import Callable

from crawler.fetching.blocked_sites import BlockedSites
from crawler.fetching.gatekeeper_answers import GatekeeperAnswers
from crawler.fetching.parked import Parked
from crawler.fetching.refill_policy import RefillPolicy
from crawler.fetching.room import Room
from crawler.fetching.server_shares import Shares
from crawler.fetching.site_knowledge import OriginFacts, SiteKnowledge
from crawler.fetching.site_lifecycle import SiteLifecycle
from crawler.fetching.site_picker import SitePicker
from crawler.fetching.site_table import SiteTable
from crawler.fetching.supply import Supply
from crawler.politeness.allowances import Allowances
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.page_caps import PageCaps
from crawler.site_rules.rules_in_force import RulesInForce

SITES_OF_A_SERVER = 32
"""That many keep a server busy, unless they rest longer than it: see `crawler.rank.visits_assembly`."""
_NO_CAPS = PageCaps()


class Workbench:
    """The parts of a workbench, put together.

    ``backlogs`` are for URLs that there is no room for; ``leases`` say which site may be visited, and are told here
    which want to be; ``now`` reads the web's clock; ``connections`` is transfers at once.  A server has up to
    ``most_sites`` sites here.  What gatekeepers say of origins is ``known``.  ``rules`` are the operator's.
    """

    def __init__(
        self,
        backlogs: Backlogs,
        mailbox: Mailbox,
        leases: Leases,
        now: Callable[[], float],
        *,
        capacity: int,
        known: OriginFacts,
        caps: PageCaps = _NO_CAPS,
        connections: int = 64,
        most_sites: int = SITES_OF_A_SERVER,
        rules: RulesInForce | None = None,
    ) -> None:
        self.rules = rules = rules or RulesInForce()
        self.backlogs = backlogs
        self.sites = sites = SiteTable()
        self.knowledge = knowledge = SiteKnowledge(sites, mailbox, now, known)
        self.room = room = Room(capacity)
        self.shares = shares = Shares(sites, backlogs, knowledge.gate_of, most_sites=most_sites)
        allowances = Allowances(mailbox, caps, knowledge.ip_of)
        lifecycle = SiteLifecycle(sites, knowledge, allowances, leases, shares, mailbox, now, rules)
        parked = Parked(sites, backlogs, shares, room)
        refill_policy = RefillPolicy(sites.with_urls, connections)
        self.supply = Supply(sites, lifecycle, shares, backlogs, parked, room, refill_policy)
        self.picker = SitePicker(sites, lifecycle, allowances, leases, shares, parked, room, refill_policy)
        self.blocked = BlockedSites(sites, knowledge, lifecycle, self.picker, parked, room, rules)
        rules.tell_of_change(self.blocked.look_again)
        self.lifecycle = lifecycle
        self.answers = GatekeeperAnswers(
            sites, knowledge, lifecycle, self.picker, allowances, leases, shares, parked, room, rules
        )
