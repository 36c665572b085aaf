"""Leaving a site and its server to rest after a request, for as long as delays, robots.txt, answers and rules ask."""

from collections.abc import Callable
from datetime import UTC, datetime

from crawler.fetching.site_picker import SitePicker
from crawler.network.web import Response
from crawler.pages.http_date import seconds_to_wait
from crawler.pages.response_reader import headers_of
from crawler.politeness.delays import Delays
from crawler.politeness.messages import Facts
from crawler.politeness.site import Site
from crawler.site_rules.rule_book import Ruling
from sessions.schema import RestRow
from sessions.writing.recorder import Recorder

TOO_BUSY = {429, 503}
"""Statuses with which a server asks for less."""
_MOST_FAILURES = 0xFFFF


class SiteRests:
    """Gives picked sites back to the ``picker`` to rest.  ``now`` reads the web's clock."""

    def __init__(self, delays: Delays, picker: SitePicker, recorder: Recorder, now: Callable[[], float]) -> None:
        self._delays = delays
        self._picker = picker
        self._recorder = recorder
        self._now = now

    @property
    def retry_wait(self) -> float:
        """How long a site rests after a first failure, in seconds."""
        return self._delays.retry_wait

    @property
    def may_be_left(self) -> bool:
        """May a site have yet to rest because an earlier run visited it?"""
        return self._delays.visited_at is not None

    def left(self, site: Site, facts: Facts | None, ruling: Ruling, crawl_delay: float = 0.0) -> tuple[float, float]:
        """How long a site and its server have yet to rest because an earlier run may have visited them, in seconds."""
        if self._delays.visited_at is None:
            return 0.0, 0.0
        return self._delays.rests_left(
            site.name,
            site.server.key,
            site.server.sites,
            _longest(facts, crawl_delay),
            self._now(),
            ruled=ruling.delay,
            server_ruled=ruling.server_delay,
        )

    def begin(
        self,
        site: Site,
        facts: Facts,
        ruling: Ruling,
        seconds: float = 0.0,
        *,
        crawl_delay: float = 0.0,
        at_least: float = 0.0,
        is_page: bool = True,
    ) -> float:
        """Leave a site to rest after a request that took so many seconds; how long it rests."""
        own = self._delays.site_rest(
            site.name, _longest(facts, crawl_delay), seconds, site.failures, is_page=is_page, ruled=ruling.delay
        )
        rest = max(at_least, own)
        server_rest = self._delays.server_rest(site.server.key, site.server.sites, ruled=ruling.server_delay)
        self._picker.release(site, self._now(), rest=rest, server_rest=server_rest)
        return rest

    def after(
        self,
        site: Site,
        facts: Facts,
        ruling: Ruling,
        response: Response,
        failures_before: int,
        *,
        crawl_delay: float = 0.0,
        is_page: bool = True,
    ) -> None:
        """Leave a site to rest after what came of a request.

        How a site stands that has failed, or has just ceased to, is recorded: a run that goes on has to know.
        """
        seconds, at_least = response.milliseconds / 1000, _retry_after(response)
        rest = self.begin(site, facts, ruling, seconds, crawl_delay=crawl_delay, at_least=at_least, is_page=is_page)
        if site.failures or failures_before:
            answered = datetime.fromtimestamp(response.started + response.milliseconds / 1000, UTC)
            self._recorder.rest(RestRow(site.name, answered, rest, min(site.failures, _MOST_FAILURES)))


def _longest(facts: Facts | None, crawl_delay: float) -> float:
    """The longer one of two crawl-delays, in seconds: what is said beside, and what the site's rules ask for."""
    return max(crawl_delay, facts.rules.crawl_delay) if facts is not None and facts.rules is not None else crawl_delay


def _retry_after(response: Response) -> float:
    """How long a server that is too busy wants to be left alone, in seconds."""
    return seconds_to_wait(headers_of(response.head), response.started) if response.status in TOO_BUSY else 0.0
