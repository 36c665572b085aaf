"""Fetching robots.txt files for the sites whose gatekeeper this rank is: redirects, second tries, what came of it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from crawler.monitoring.counters import Counters
from crawler.monitoring.events import say
from crawler.network.bad_ports import has_bad_port
from crawler.network.web import Response
from crawler.pages.content_decoding import TOO_LARGE
from crawler.pages.http_date import seconds_to_wait
from crawler.pages.page_row import exchange_of
from crawler.pages.response_reader import Reading, read
from crawler.politeness.entry import Errand
from crawler.politeness.robots.rules import ROBOTS_BYTES, ROBOTS_REDIRECTS, outcome
from crawler.politeness.robots_cache import Remembered, packed, remembered_as
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from crawler.site_rules.rules_in_force import RULE, RulesInForce
from sessions.schema import RobotsRow
from sessions.storage.warc import ROBOTS
from sessions.url import site_of, site_of_origin
from sessions.writing.recorder import Recorder

_ENCODING = "encoding"
"""Content that cannot be decoded; another try will not mend it."""

_ON_BLOCKED_SITE = "robots-rule"
"""A robots.txt that lies on another site, which a rule blocks."""


@dataclass(frozen=True, slots=True)
class RobotsSettings:
    """``agent`` is the crawler's product token; times in seconds.

    A robots.txt that the network does not let through is asked for ``retries`` times again; one that the server fails
    to give, until it has been missing for ``patience``.  The wait before the first new try is ``retry_wait``, before
    each next one twice as long.
    """

    agent: str
    retries: int = 2
    retry_wait: float = 2.0
    patience: float = 60.0
    max_crawl_delay: float = 60.0


class RobotsFetching:
    """Deals with the answers to requests for robots.txt files.

    Where the operator's ``rules`` give the crawler another name on a site, its robots.txt is read for that name.
    """

    def __init__(
        self,
        rank: int,
        settings: RobotsSettings,
        keeper: SiteGatekeeper,
        recorder: Recorder,
        counters: Counters,
        rules: RulesInForce | None = None,
    ) -> None:
        self._rank = rank
        self._settings = settings
        self._keeper = keeper
        self._recorder = recorder
        self._counters = counters
        self._rules = rules or RulesInForce()

    def answered(self, errand: Errand, response: Response, now: float) -> float:
        """Learn the rules, or have them asked for again: elsewhere after a redirect, later after a failure.

        The crawl-delay that the rules ask for, in seconds, 0 if none.
        """
        self._counters.robots_fetched += 1
        if response.head:
            self._recorder.keep(exchange_of(response, purpose=ROBOTS))
        reading = read(response, ROBOTS_BYTES) if response.status else None
        redirect = reading.redirect if reading is not None else None
        if redirect is not None and errand.redirects < ROBOTS_REDIRECTS and _may_be_asked(redirect, errand.origin):
            self._keeper.follow(Errand(errand.origin, redirect, errand.redirects + 1), now)
            return 0.0
        return self._learn(errand, response, reading, now)

    def crawl_delay(self, errand: Errand, now: float) -> float:
        """What the site that an errand leads to asks for as far as is known, in seconds, 0 if nothing."""
        if site_of(errand.url) != site_of_origin(errand.origin):
            return errand.crawl_delay
        return self._keeper.crawl_delay(errand.origin, now)

    def unreachable(self, errand: Errand, error: str, now: float) -> None:
        """The site that a robots.txt lies on has no address that may be connected to, or a rule blocks it.

        If the rule is about the site that the file governs, nothing is wrong with the file, and nothing is remembered.
        """
        if error == RULE:
            if site_of(errand.url) == site_of_origin(errand.origin):
                self._keeper.robots_refused(errand.origin, now)
                return
            error = _ON_BLOCKED_SITE
        agent = self._rules.agent_of(site_of_origin(errand.origin))
        rules = outcome(agent or self._settings.agent, status=0, error=error)
        self._keeper.robots_known(errand.origin, replace(rules, agent=agent), now)

    def _learn(self, errand: Errand, response: Response, reading: Reading | None, now: float) -> float:
        # Half a robots.txt might allow what the whole one forbids, unless it was cut at the length that counts.
        is_cut = response.error == "size" or (reading is not None and reading.error == TOO_LARGE)
        error = "" if is_cut else response.error
        if not error and reading is not None and reading.error and not is_cut:
            error = _ENCODING
        has_failed = bool(error) or response.status >= 500 or response.status == 429 or not response.status
        headers = reading.headers if reading is not None else {}
        retry_after = seconds_to_wait(headers, response.started)
        rounds, outage = 0, 0.0
        if has_failed:
            if error:
                self._counters.errors[response.error or "other"] += 1
            tries, rounds, outage = self._keeper.robots_failed(errand.origin, now)
            wait = max(self._settings.retry_wait * 2.0 ** min(tries - 1, 20), retry_after)
            is_hopeless = response.is_hopeless or error == _ENCODING
            if not is_hopeless and self._is_worth_another_try(error, tries, outage + wait):
                self._keeper.run_later(Errand(errand.origin, f"{errand.origin}/robots.txt"), now + wait)
                return 0.0
        agent = self._rules.agent_of(site_of_origin(errand.origin))
        rules = outcome(
            agent or self._settings.agent,
            status=response.status,
            body=reading.document if reading is not None else b"",
            error=error,
            headers=headers,
            is_cut=is_cut,
            max_crawl_delay=self._settings.max_crawl_delay,
            tries=rounds,
            outage=outage,
            retry_after=retry_after,
            previous=self._keeper.last_rules(errand.origin) if has_failed else None,
        )
        if rules.agent != agent:
            rules = replace(rules, agent=agent)
        self._record(errand, response, error, self._keeper.robots_known(errand.origin, rules, now))
        return rules.crawl_delay

    def _record(self, errand: Errand, response: Response, error: str, known: Remembered) -> None:
        rules, fetched = known.rules, datetime.fromtimestamp(response.started, UTC)
        answer = {"status": response.status or None, "error": error or None, "bytes": len(response.body)}
        say("robots.txt fetched", origin=errand.origin, **answer, unreachable=rules.unreachable or None)
        lasting = known._replace(unreachable_since=None)  # which is a reading of this run's clock
        self._recorder.robots(
            RobotsRow(
                origin=errand.origin,
                url=response.request.url,
                status=response.status or None,
                error=error or None,
                ip=response.ip or None,
                fetched=fetched,
                bytes=len(response.body),
                crawl_delay=rules.crawl_delay or None,
                sitemaps=rules.sitemaps,
                rank=self._rank,
                rules=packed(remembered_as(errand.origin, rules.agent), lasting),
                expires=fetched + timedelta(seconds=rules.seconds),
            )
        )

    def _is_worth_another_try(self, error: str, tries: int, outage: float) -> bool:
        if error:
            return tries <= self._settings.retries
        return outage <= self._settings.patience


def _may_be_asked(url: str, origin: str) -> bool:
    """Whether a redirect of a robots.txt leads to no port that browsers refuse, but perhaps the site's own."""
    return not has_bad_port(url) or url.startswith(f"{origin}/")
