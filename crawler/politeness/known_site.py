"""What the gatekeeper of a site knows of it, and of its origins.

They are many, so what most have none of is None, or a tuple, which takes a fraction of what an empty list does.
"""

from dataclasses import dataclass

from crawler.network.proxy import Proxy
from crawler.network.web import Endpoint
from crawler.politeness.robots.rules import Rules

LONG_AGO = float("-inf")


@dataclass(slots=True, eq=False)
class KnownOrigin:
    """What is known of an origin.  ``askers`` are the ranks that wait, and whether for the rules too.

    ``hops`` are the origins whose robots.txt lies here, and who waits for the crawl-delay before it is asked for: a
    rank, and over how many files somebody waits for that.

    Its ``endpoints`` were looked up to be reached by ``proxy``, None for the way that all requests take.

    It ``is_recalled`` when the cache has said what it knows of it, and need not be asked again.
    """

    name: str
    endpoints: tuple[Endpoint, ...] = ()
    proxy: Proxy | None = None
    error: str = ""
    address_until: float = LONG_AGO
    rules: Rules | None = None
    rules_until: float = LONG_AGO
    unreachable_since: float | None = None
    tries: int = 0
    rounds: int = 0
    is_looked_up: bool = False
    is_asked_for_robots: bool = False
    is_asked_of_cache: bool = False
    is_recalled: bool = False
    askers: tuple[tuple[int, bool], ...] = ()
    hops: dict[str, tuple[int, int]] | None = None


@dataclass(slots=True, eq=False)
class KnownSite:
    """A site, the address at which it is visited, and the ranks that were told of it.

    All its origins are visited there, if they can be; ``placed_by`` is the one that decides.  While the address
    changes, ``forgetting`` are the ranks that have not confirmed yet; nobody is told of a new one meanwhile.
    """

    name: str
    ip: str = ""
    placed_by: str = ""
    told: tuple[int, ...] = ()
    forgetting: tuple[int, ...] = ()
    rested: float = LONG_AGO
    origins: tuple[KnownOrigin, ...] = ()

    @property
    def is_busy(self) -> bool:
        """Is somebody waiting for something?"""
        return bool(self.forgetting) or any(
            origin.askers
            or origin.hops
            or origin.is_looked_up
            or origin.is_asked_for_robots
            or origin.is_asked_of_cache
            for origin in self.origins
        )

    def origin(self, name: str) -> KnownOrigin:
        """The origin of this name, a new one if it is not known: under http or https, so there are two at most."""
        for origin in self.origins:
            if origin.name == name:
                return origin
        self.origins += (origin := KnownOrigin(name),)
        return origin

    def crawl_delay(self, asked: KnownOrigin, now: float) -> float:
        """The longest that the robots.txt files of its origins ask for, in seconds; that of one also if it is old."""
        rules = (one.rules for one in self.origins if one is asked or now < one.rules_until)
        return max((one.crawl_delay for one in rules if one is not None), default=0.0)

    def endpoint(self, origin: KnownOrigin) -> Endpoint:
        """Where an origin is connected to: at the site's address, or the best of others if it is not there."""
        at_hand = (endpoint for endpoint in origin.endpoints if endpoint.ip == self.ip)
        return next(at_hand, origin.endpoints[0])
