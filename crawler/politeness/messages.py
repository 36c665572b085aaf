"""What the ranks say to each other between exchanges, so that delays hold over all of them, and who is asked.

Times travel as seconds still to wait, counted from receipt, never as readings of a clock: a message that takes long
makes a rest longer, never shorter.
"""

from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from crawler.network.proxy import Proxy
from crawler.network.web import Endpoint
from crawler.politeness.page_caps import Account
from crawler.politeness.robots.rules import Rules

HANDOVER_SECONDS = 0.02
"""A server changes hands within this time: so long before its time it is given out."""


def keeper_of(key: str, ranks: int) -> int:
    """The rank that keeps a site, or a server, by its name, or its address."""
    return xxh3_64_intdigest(key.encode()) % ranks


class Standing(NamedTuple):
    """How a site stands with the crawl: ``rest`` in seconds still to wait, and the ``failures`` in a row.

    ``failures`` are requests that the site did not answer, or answered with "too many" or "not now"; each doubles the
    site's delay.  ``visits`` is how often it was visited, as far as the sender knows, ``pace`` how long it last had to
    rest, in seconds.
    """

    rest: float = 0.0
    failures: int = 0
    visits: int = 0
    pace: float = 0.0


class Ask(NamedTuple):
    """To a site's gatekeeper: where is this origin connected to, and, with ``robots``, what does its robots.txt say?"""

    origin: str
    robots: bool


class Facts(NamedTuple):
    """From a site's gatekeeper: what it was asked.

    The site is scheduled under the key ``gate`` and connected to at ``endpoint``.  ``rules`` are None if only the
    address was asked for.  ``error`` says why there is no address.  All of it is good for so many ``seconds``.
    ``rest`` is how long the site must rest because it has just been visited at another address, or by an earlier run;
    ``failures`` are those in a row that an earlier run left, if nobody can have visited the site since.  The endpoint
    is to be reached by ``proxy``, None for the way that all requests take.
    """

    origin: str
    gate: str = ""
    endpoint: Endpoint | None = None
    rules: Rules | None = None
    error: str = ""
    seconds: float = 0.0
    rest: float = 0.0
    failures: int = 0
    proxy: Proxy | None = None


class AskCrawlDelay(NamedTuple):
    """To a site's gatekeeper: the robots.txt of the origin ``waiter`` lies on this one; how long does its site rest?

    ``depth`` is over how many files somebody waits for the answer.
    """

    origin: str
    waiter: str
    depth: int


class CrawlDelay(NamedTuple):
    """From a site's gatekeeper, to that of ``waiter``: the crawl-delay of the site of ``origin``, in ``seconds``.

    With an empty origin: whatever site it is, that of the waiter's robots.txt is not to be waited for.
    """

    waiter: str
    origin: str
    seconds: float


class HopWaits(NamedTuple):
    """To a site's gatekeeper: ``waiter`` waits, over so many ``steps``, for the robots.txt of ``origin``."""

    origin: str
    waiter: str
    steps: int


class Unreached(NamedTuple):
    """To a site's gatekeeper: the connection to this endpoint of an origin failed; is there another?"""

    origin: str
    endpoint: Endpoint


class Forget(NamedTuple):
    """From a site's gatekeeper: the address of this site changes; visit it no more until you have asked again."""

    site: str


class Forgotten(NamedTuple):
    """To a site's gatekeeper: this rank visits the site no more; it is to ``rest`` for so many seconds."""

    site: str
    rest: float


class Want(NamedTuple):
    """To a server's gatekeeper: this rank has ``weight`` URLs for a site on it, 0 for none any more.

    ``failures`` are those that the site brings along from another address.
    """

    gate: str
    site: str
    weight: int
    failures: int = 0


class Turn(NamedTuple):
    """From a server's gatekeeper: visit these sites of the server, which others want too; then `Return`.

    The server is to ``rest`` first, each site as its standing says.  The turn is for up to so many ``visits``, and
    over as soon as the server could be visited and none of the sites, unless it ``may_wait`` for them, because others
    want no other site of it.
    """

    gate: str
    rest: float
    standings: dict[str, Standing]
    visits: int
    may_wait: bool


class Lease(NamedTuple):
    """From a server's gatekeeper: visit the sites of this server as you like, for so many ``seconds``.

    Without an end (infinity) it lasts until `Recall`.  Where others want the server, it lasts longer for up to so many
    ``visits``, as long as the server need not wait for them.  The server is to ``rest`` first, and so are the sites of
    which a standing is given.
    """

    gate: str
    seconds: float
    rest: float
    standings: dict[str, Standing]
    visits: int = 0


class Recall(NamedTuple):
    """From a server's gatekeeper: others want this server too, give its lease back as soon as it is not in use."""

    gate: str


class Return(NamedTuple):
    """To a server's gatekeeper: here is the visit or the lease back, and how server and sites stand now.

    ``weights`` are the URLs that this rank still has, for the sites for which that may be news.  ``late`` is by
    how many seconds it began its last visit after it might have, because it has so much else to do.
    """

    gate: str
    rest: float
    standings: dict[str, Standing]
    weights: dict[str, int]
    late: float = 0.0


class Spend(NamedTuple):
    """To the gatekeeper of ``accounts``: may this rank fetch so many more pages of a site?

    They count under all of the accounts.
    """

    site: str
    accounts: tuple[Account, ...]
    pages: int


class Allowance(NamedTuple):
    """From a gatekeeper of accounts: so many of the pages asked for may be fetched; if none, ``reached`` is the cap."""

    site: str
    pages: int
    reached: str


class Spent(NamedTuple):
    """To the gatekeeper of ``accounts``: of the pages allowed, so many have been fetched, and so many will not be."""

    accounts: tuple[Account, ...]
    fetched: int
    unused: int


Message = (
    Ask
    | Facts
    | AskCrawlDelay
    | CrawlDelay
    | HopWaits
    | Unreached
    | Forget
    | Forgotten
    | Want
    | Turn
    | Lease
    | Recall
    | Return
    | Spend
    | Allowance
    | Spent
)
