"""Redirects of robots.txt files to other sites: a hop waits until that site's own robots.txt has said how long to rest.

The robots.txt of one site may lie on another.  A request for it is a visit to that other site like any, so it is made
when that site's crawl-delay is known: the site's gatekeeper is asked (`AskCrawlDelay`), has the robots.txt of its own
site fetched if need be, and answers (`CrawlDelay`).  Whether those rules would allow the visit does not matter.

Files that redirect to each other would wait for one another for ever.  Every file waits for one other at most, so
waits that close a ring are found by a probe that follows them (`HopWaits`; Chandy, Misra and Haas, "Distributed
deadlock detection", ACM TOCS 1983, with one resource each): who begins to wait sends it along; where it comes back to
its sender, or has gone `LONGEST_CHAIN` steps, its sender waits no longer.  The wait that closes a ring, as the last of
its waits to begin, finds all others in place, so every ring is broken.  A file for which others have been waiting
over `LONGEST_CHAIN` files waits for none, so that no chain grows without end.
"""

from collections.abc import Callable

from crawler.politeness.entry import Errand
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import AskCrawlDelay, CrawlDelay, HopWaits, keeper_of
from crawler.politeness.robots.rules import ROBOTS_REDIRECTS
from sessions.url import origin_of, site_of_origin

LONGEST_CHAIN = ROBOTS_REDIRECTS
"""Over how many files a wait may extend: at the end of more redirects no robots.txt is looked for anyway."""
_WHEREVER = ""


class RobotsHops:
    """The hops that wait, of robots.txt files whose sites fall to this rank.  ``run`` runs an errand at a time."""

    def __init__(self, mailbox: Mailbox, run: Callable[[Errand, float], None]) -> None:
        self._mailbox = mailbox
        self._run = run
        self._waiting: dict[str, Errand] = {}

    def __len__(self) -> int:
        """How many hops wait."""
        return len(self._waiting)

    def follow(self, errand: Errand, depth: int, now: float) -> None:
        """A robots.txt has redirected to where the errand leads; others wait for it over ``depth`` files."""
        target = origin_of(errand.url)
        if site_of_origin(target) == site_of_origin(errand.origin) or depth >= LONGEST_CHAIN:
            self._run(errand, now)
            return
        self._waiting[errand.origin] = errand
        self._send(target, AskCrawlDelay(target, errand.origin, depth + 1))

    def told(self, answer: CrawlDelay, now: float) -> None:
        """A site's gatekeeper has said what a hop to it waits for, or that it need not wait."""
        errand = self._waiting.get(answer.waiter)
        if errand is not None and answer.origin in (_WHEREVER, origin_of(errand.url)):
            del self._waiting[answer.waiter]
            self._run(errand._replace(crawl_delay=answer.seconds), now)

    def probe(self, probe: HopWaits, now: float) -> None:
        """Somebody waits, over others, for a robots.txt of a site that falls to this rank."""
        errand = self._waiting.get(probe.origin)
        if errand is None:
            return
        if probe.origin == probe.waiter:
            self.told(CrawlDelay(probe.waiter, _WHEREVER, 0.0), now)
        elif probe.steps >= LONGEST_CHAIN:
            self._send(probe.waiter, CrawlDelay(probe.waiter, _WHEREVER, 0.0))
        else:
            target = origin_of(errand.url)
            self._send(target, HopWaits(target, probe.waiter, probe.steps + 1))

    def _send(self, origin: str, message: AskCrawlDelay | CrawlDelay | HopWaits) -> None:
        self._mailbox.send(keeper_of(site_of_origin(origin), self._mailbox.ranks), message)
