"""What a rank knows of the sites that it has URLs of: where each is, and what its robots.txt says.

For what it does not know it asks the site's gatekeeper, and does not ask it again before that has answered.
"""

from collections import OrderedDict
from collections.abc import Callable

from crawler.fetching.site_table import SiteTable
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Ask, Facts, keeper_of
from crawler.politeness.site import NOWHERE, Site
from sessions.url import origin_of, site_of_origin


class OriginFacts:
    """Facts by origin; when there are too many, those used least recently are forgotten, and asked again.

    Bytes count beside origins: most sites have no rules or short ones, but one robots.txt may take half a MiB.
    """

    def __init__(self, *, most_origins: int, most_bytes: int) -> None:
        self._most_origins = most_origins
        self._most_bytes = most_bytes
        self._known: OrderedDict[str, tuple[Facts, float]] = OrderedDict()  # the first of a dict is long to find
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._known)

    def get(self, origin: str, now: float, *, with_rules: bool) -> Facts | None:
        """What is known of an origin and still holds; None if nothing is, or the rules are wanted and are not."""
        known = self._known.get(origin)
        if known is None or known[1] <= now or (with_rules and known[0].rules is None):
            return None
        self._known.move_to_end(origin)
        return known[0]

    def add(self, facts: Facts, now: float) -> None:
        """Take note of facts that have just come; they take the place of older ones about their origin."""
        self.forget(facts.origin)
        self._known[facts.origin] = facts, now + facts.seconds
        self._bytes += _size(facts)
        while len(self._known) > self._most_origins or (self._bytes > self._most_bytes and len(self._known) > 1):
            self.forget(next(iter(self._known)))

    def forget_where(self, is_meant: Callable[[str, Facts], bool]) -> None:
        """Forget origins of which that is meant; ``is_meant`` is told the site and what is known."""
        for origin, (facts, _) in list(self._known.items()):
            if is_meant(site_of_origin(origin), facts):
                self.forget(origin)

    def forget(self, origin: str) -> None:
        """Know nothing of an origin any more."""
        known = self._known.pop(origin, None)
        if known is not None:
            self._bytes -= _size(known[0])


def _size(facts: Facts) -> int:
    return facts.rules.bytes if facts.rules is not None else 0


class SiteKnowledge:
    """The ``facts`` of origins, and questions about ``sites`` that wait for an answer.

    ``now`` reads the web's clock.
    """

    def __init__(self, sites: SiteTable, mailbox: Mailbox, now: Callable[[], float], facts: OriginFacts) -> None:
        self._sites = sites
        self._mailbox = mailbox
        self._now = now
        self._facts = facts

    def facts_of(self, origin: str, *, with_rules: bool = True) -> Facts | None:
        """What is known of an origin, None if it is not, or not any more."""
        return self._facts.get(origin, self._now(), with_rules=with_rules)

    def ask(self, site: Site, origin: str, *, with_rules: bool) -> None:
        """Ask a site's gatekeeper about an origin, unless it has been asked."""
        if (origin, with_rules) not in site.asked:
            site.asked += ((origin, with_rules),)
            self._mailbox.send(keeper_of(site.name, self._mailbox.ranks), Ask(origin, with_rules))

    def answered(self, site: Site, facts: Facts) -> None:
        """A gatekeeper has answered what it was asked of a site."""
        is_all = facts.rules is not None or bool(facts.error)
        site.asked = tuple(one for one in site.asked if one[0] != facts.origin or (one[1] and not is_all))

    def learn(self, facts: Facts, now: float) -> None:
        """Take note of what a gatekeeper says of an origin."""
        self._facts.add(facts, now)

    def forget(self, site: Site) -> None:
        """Know nothing of a site any more."""
        for scheme in ("http", "https"):
            self._facts.forget(f"{scheme}://{site.name}")

    def forget_where(self, is_meant: Callable[[str, Facts], bool]) -> None:
        """As `OriginFacts.forget_where`."""
        self._facts.forget_where(is_meant)

    def expect_nothing(self, site: Site) -> None:
        """What was asked of a site will not be answered."""
        site.asked = ()

    def ip_of(self, origin: str) -> str | None:
        """The address at which an origin is connected to, None if that is not known now."""
        facts = self.facts_of(origin, with_rules=False)
        return facts.endpoint.ip if facts is not None and facts.endpoint is not None else None

    def gate_of(self, name: str, url: str) -> str | None:
        """The key of the server that a site is on, as far as one of its URLs says; None if that is not known."""
        site = self._sites.get(name)
        if site is not None and site.server is not NOWHERE:
            return site.server.key
        facts = self.facts_of(origin_of(url), with_rules=False)
        return facts.gate if facts is not None else None
