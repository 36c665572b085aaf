"""Visiting sites: pick one that may be visited, fetch its next page, record what came, leave it to rest.

A site that was picked from the workbench stays the fetcher's until its answer is there.  Nothing is requested without
a credit where the session has a page limit, and nothing that robots.txt forbids.  Where links are verified a URL is
requested twice, first by a HEAD; if a GET is to follow, it goes back to the front of its site's FIFO meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crawler.exchange.page_quota import Credits
from crawler.fetching.proxy_outage import ProxyOutages
from crawler.fetching.robots_fetcher import RobotsFetching
from crawler.fetching.rule_quotas import LATER, Quota, RuleQuotas, give_back, obstacle, spend, take
from crawler.fetching.site_knowledge import SiteKnowledge
from crawler.fetching.site_picker import SitePicker
from crawler.fetching.site_rests import TOO_BUSY, SiteRests
from crawler.intake.intake import Intake
from crawler.monitoring.counters import Counters
from crawler.monitoring.events import say
from crawler.network.bandwidth import Bandwidth
from crawler.network.web import GET, HEAD, PROXY, REFUSALS, Request, Response, Web
from crawler.pages.link_verification import NO_RULE, refusal
from crawler.pages.response_reader import headers_of
from crawler.politeness.entry import Entry, Errand
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Facts, Unreached, keeper_of
from crawler.politeness.page_caps import REACHED
from crawler.politeness.robots.rules import ROBOTS_BYTES, Rules
from crawler.politeness.site import Site
from crawler.site_rules.rule_book import Ruling
from crawler.site_rules.rules_in_force import RULE, RulesInForce
from crawler.urls.kinds import KINDS
from crawler.worklist.rows import OLD
from sessions.schema import FAILED, FILTERED
from sessions.url import origin_of
from sessions.writing.recorder import Recorder

_MOST_REFUSED_AT_ONCE = 64
_UNREACHED = {"connect", "connect-timeout"}
_REST_WITHOUT_CREDIT_SECONDS = 0.05
"""Until then a site is not picked again by a rank that may fetch robots.txt files only."""
_REST_WITHOUT_QUOTA_SECONDS = 0.25
"""Until then a site is not picked again of which a rule lets no more pages come for now."""
_REFUSED = {*REFUSALS, *REACHED, RULE}


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """``connections`` is transfers at once; ``retries`` is how often a page is asked for again.

    A site that did not answer well ``site_errors`` times in a row is given up.  ``verify_links`` is one of
    `crawler.pages.link_verification.RULES`.
    """

    connections: int = 64
    retries: int = 2
    site_errors: int = 8
    verify_links: str = NO_RULE


class _PageVisit(NamedTuple):
    site: Site
    entry: Entry
    facts: Facts
    quotas: tuple[Quota, ...]


class _RobotsVisit(NamedTuple):
    site: Site
    errand: Errand
    facts: Facts


class Fetcher:
    """Fetches what the ``picker`` says may be fetched, and hands on what came of it."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        web: Web,
        picker: SitePicker,
        knowledge: SiteKnowledge,
        mailbox: Mailbox,
        rests: SiteRests,
        robots: RobotsFetching,
        credits: Credits,
        intake: Intake,
        recorder: Recorder,
        counters: Counters,
        rules: RulesInForce,
        quotas: RuleQuotas,
        bandwidth: Bandwidth | None = None,
    ) -> None:
        self._settings = settings
        self._web = web
        self._picker = picker
        self._knowledge = knowledge
        self._mailbox = mailbox
        self._rests = rests
        self._robots = robots
        self._credits = credits
        self._intake = intake
        self._recorder = recorder
        self._counters = counters
        self._rules = rules
        self._quotas = quotas
        self._bandwidth = bandwidth
        self._outages = ProxyOutages(rests.retry_wait)
        self.pages_in_flight = 0

    @property
    def connections(self) -> int:
        """How many transfers there may be at once."""
        return self._settings.connections

    @property
    def has_free_connection(self) -> bool:
        """Could a request be started if a site were ready?"""
        is_useful = self._credits.available or self._picker.has_errands
        is_free = is_useful and self._web.in_flight < self._settings.connections
        return is_free and (self._bandwidth is None or not self._is_held(self._bandwidth))

    def free_from(self, now: float) -> float:
        """From when on bandwidth lets a request begin: ``now``, or later."""
        return now if self._bandwidth is None else self._bandwidth.starting_from(now)

    def _is_held(self, bandwidth: Bandwidth) -> bool:
        """Has so much arrived, or is about to, that nothing may be started now?  If that alone is why, it is noted."""
        now = self._web.now()
        free_from = bandwidth.starting_from(now)
        if free_from <= now:
            return False
        release = self._picker.next_release()
        if release is not None and release < free_from:
            bandwidth.hold(max(now, release), free_from)
        return True

    def start(self) -> bool:
        """Start as many requests as may be; True if some connection found no site to visit."""
        web, picker = self._web, self._picker
        self._end_all_hopeless()
        put_off: list[Site] = []
        found_none = False
        while self.has_free_connection and not found_none:
            site = picker.pick(web.now())
            if site is None:
                found_none = True
            elif site.errands or self._credits.available:
                self._visit(site)
            else:
                put_off.append(site)
        for site in put_off:
            picker.release(site, web.now(), rest=_REST_WITHOUT_CREDIT_SECONDS)
        return found_none

    def finish(self, response: Response) -> None:
        """Deal with what came of a request."""
        visit = response.request.purpose
        if response.error == PROXY:
            self._try_proxy_later(visit)
            return
        self._outages.is_over(visit.facts.proxy)
        if isinstance(visit, _RobotsVisit):
            self._finish_robots(visit, response)
        else:
            self.pages_in_flight -= 1
            ruling = visit.site.ruled(self._rules.book).at(visit.entry.url)
            if ruling.block:
                self._drop_page(visit, response, ruling)
            elif response.request.method == HEAD:
                self._finish_head(visit, response, ruling)
            else:
                self._finish_page(visit, response, ruling)

    def abandon(self) -> None:
        """Break off everything in flight; its URLs go back to the picker."""
        for request in self._web.cancel():
            visit = request.purpose
            if isinstance(visit, _PageVisit):
                self.pages_in_flight -= 1
                give_back(visit.quotas)
                self._picker.put_back(visit.site, visit.entry)
            self._rests.begin(visit.site, visit.facts, visit.site.ruled(self._rules.book))
        self._end_all_hopeless()

    def turn_away(self, entries: Sequence[Entry]) -> list[Entry]:
        """End those of some URLs that rules block, as far as their names say; the others."""
        blocked = self._rules.blocked([entry.url for entry in entries]).tolist()
        for entry, is_blocked in zip(entries, blocked, strict=True):
            if is_blocked:
                self._end(entry, FILTERED, RULE)
        return [entry for entry, is_blocked in zip(entries, blocked, strict=True) if not is_blocked]

    def _visit(self, site: Site) -> None:
        """Request what comes first of what the site is to be asked for."""
        picker = self._picker
        whole_site = site.ruled(self._rules.book)
        if wait := self._outages.rest_left(whole_site.proxy, self._web.now()):
            picker.release(site, self._web.now(), rest=wait)
        elif whole_site.block or whole_site.pause:
            picker.release(site, self._web.now())
        elif (errand := picker.next_errand(site)) is not None:
            self._visit_for_robots(site, errand, whole_site)
        else:
            self._visit_for_a_page(site, whole_site)

    def _visit_for_robots(self, site: Site, errand: Errand, whole_site: Ruling) -> None:
        """Request a robots.txt, unless the site has to rest first."""
        facts = self._knowledge.facts_of(origin_of(errand.url), with_rules=False)
        crawl_delay = self._robots.crawl_delay(errand, self._web.now()) if self._rests.may_be_left else 0.0
        rests = self._rests.left(site, facts, whole_site, crawl_delay)
        if facts is None or any(rests):
            self._picker.put_back_errand(site, errand)
            self._picker.release(site, self._web.now(), rest=rests[0], server_rest=rests[1])
            return
        visit = _RobotsVisit(site, errand, facts)
        of_rules = whole_site.user_agent, whole_site.secret_headers, facts.proxy
        self._web.start(Request(errand.url, visit, facts.endpoint, ROBOTS_BYTES, (), GET, *of_rules))

    def _visit_for_a_page(self, site: Site, whole_site: Ruling) -> None:
        """Request the first of the site's URLs that may be; release the site if none may, or if it has to rest."""
        picker = self._picker
        rests = 0.0, 0.0
        for _ in range(_MOST_REFUSED_AT_ONCE):  # meanwhile nobody looks at the network, or at other ranks
            entry = picker.next_entry(site)
            if entry is None:
                break
            ruling = whole_site.at(entry.url)
            if ruling.block:
                self._end_visited(site, entry, FILTERED, RULE)
                continue
            facts = self._knowledge.facts_of(origin_of(entry.url))
            if facts is None:
                picker.put_back(site, entry)
                break
            assert facts.rules is not None
            if not facts.rules.allow(entry.url):
                self._refuse(site, entry, facts.rules)
            elif site.failures >= self._settings.site_errors:
                self._end_visited(site, entry, FAILED, "site-errors")
            elif against := obstacle(quotas := self._quotas.of(ruling)):
                if against != LATER:
                    self._end_visited(site, entry, FILTERED, against)
                    continue
                picker.put_back(site, entry)
                rests = _REST_WITHOUT_QUOTA_SECONDS, 0.0
                break
            elif any(rests := self._rests.left(site, facts, whole_site)):
                picker.put_back(site, entry)
                break
            else:
                self._request_page(site, entry, facts, ruling, quotas)
                return
        picker.release(site, self._web.now(), rest=rests[0], server_rest=rests[1])

    def _request_page(self, site: Site, entry: Entry, facts: Facts, ruling: Ruling, quotas: tuple[Quota, ...]) -> None:
        self._credits.take()
        take(quotas)
        self.pages_in_flight += 1
        visit, headers = _PageVisit(site, entry, facts, quotas), self._intake.request_headers(entry.hash)
        if KINDS[entry.kind] == OLD and not (headers or entry.tries or entry.is_verified):
            self._counters.listed_unconditional += 1
        # A conditional GET of a page that has not changed costs no more than its HEAD would.
        is_due = self._settings.verify_links != NO_RULE and not (entry.is_verified or headers)
        method = HEAD if is_due else GET
        of_rules = ruling.user_agent, ruling.secret_headers, facts.proxy
        self._web.start(Request(entry.url, visit, facts.endpoint, None, headers, method, *of_rules))

    def _refuse(self, site: Site, entry: Entry, rules: Rules) -> None:
        """A page whose site cannot be reached has failed; one whose rules cannot be had, or forbid it, is filtered."""
        self._end_visited(site, entry, *(_outcome(rules.unreachable) if rules.unreachable else (FILTERED, "robots")))

    def _end_all_hopeless(self) -> None:
        for item, error in self._picker.hopeless():
            self._end_hopeless(item, error)

    def _end_hopeless(self, item: Entry | Errand, error: str) -> None:
        if isinstance(item, Errand):
            self._robots.unreachable(item, error, self._web.now())
        else:
            self._end(item, *_outcome(error))

    def _end_visited(self, site: Site, entry: Entry, state: str, reason: str) -> None:
        self._picker.spent(site, is_fetched=False)
        self._end(entry, state, reason)

    def _end(self, entry: Entry, state: str, reason: str) -> None:
        self._recorder.outcome(entry.hash, state, reason)
        counters = self._counters
        (counters.failed if state == FAILED else counters.filtered)[reason] += 1
        if entry.kind:
            (counters.listed_failed if state == FAILED else counters.listed_filtered)[KINDS[entry.kind]] += 1

    def _try_proxy_later(self, visit: _PageVisit | _RobotsVisit) -> None:
        """A proxy did not let a request through, of which the site knows nothing: nobody's failure counts."""
        self._counters.errors[PROXY] += 1
        proxy, now = visit.facts.proxy, self._web.now()
        self._outages.failed(proxy, now)
        if isinstance(visit, _RobotsVisit):
            self._picker.put_back_errand(visit.site, visit.errand)
        else:
            self.pages_in_flight -= 1
            self._credits.give_back()
            give_back(visit.quotas)
            self._picker.put_back(visit.site, visit.entry)
        self._picker.release(visit.site, now, rest=self._outages.rest_left(proxy, now))

    def _finish_robots(self, visit: _RobotsVisit, response: Response) -> None:
        failures = visit.site.failures
        self._judge(visit.site, visit.facts, response)
        self._robots.answered(visit.errand, response, self._web.now())
        crawl_delay = self._robots.crawl_delay(visit.errand, self._web.now())
        ruling = visit.site.ruled(self._rules.book)
        self._rests.after(visit.site, visit.facts, ruling, response, failures, crawl_delay=crawl_delay, is_page=False)

    def _drop_page(self, visit: _PageVisit, response: Response, ruling: Ruling) -> None:
        """A rule has blocked the page while it was requested: what came of that does not count."""
        failures = visit.site.failures
        self._judge(visit.site, visit.facts, response)
        self._credits.give_back()
        give_back(visit.quotas)
        self._end_visited(visit.site, visit.entry, FILTERED, RULE)
        self._rests.after(visit.site, visit.facts, ruling, response, failures, is_page=False)

    def _finish_page(self, visit: _PageVisit, response: Response, ruling: Ruling) -> None:
        """Record the page and hand on its links; or have it fetched again later, if nothing useful came."""
        failures = visit.site.failures
        is_good = self._judge(visit.site, visit.facts, response)
        if response.status and (is_good or not self._may_try_again(visit, response)):
            spend(visit.quotas, len(response.body))
            self._intake.take(visit.entry, response)
            self._picker.spent(visit.site, is_fetched=True)
        else:
            self._credits.give_back()
            give_back(visit.quotas)
            self._try_again_or_fail(visit, response)
        self._rests.after(visit.site, visit.facts, ruling, response, failures)

    def _finish_head(self, visit: _PageVisit, response: Response, ruling: Ruling) -> None:
        """Have the page itself requested next, unless the answer speaks against it, or none came."""
        failures = visit.site.failures
        is_good = self._judge(visit.site, visit.facts, response)
        self._credits.give_back()
        give_back(visit.quotas)
        self._count_head(response)
        against = self._refusal(response)
        if response.status and not against:
            self._picker.put_back(visit.site, visit.entry._replace(tries=0, is_verified=True))
        elif response.status and (is_good or not self._may_try_again(visit, response)):
            self._end_visited(visit.site, visit.entry, FILTERED, against)
        else:
            self._try_again_or_fail(visit, response)
        self._rests.after(visit.site, visit.facts, ruling, response, failures, is_page=False)

    def _refusal(self, response: Response) -> str:
        content_type = headers_of(response.head).get(b"content-type")
        return refusal(self._settings.verify_links, response.status, content_type)

    def _count_head(self, response: Response) -> None:
        self._counters.head_requests += 1
        self._counters.head_seconds += response.milliseconds / 1000
        self._counters.head_bytes += sum(map(len, response.head))

    def _may_try_again(self, visit: _PageVisit, response: Response) -> bool:
        return visit.entry.tries < self._settings.retries + response.is_unread and not response.is_hopeless

    def _try_again_or_fail(self, visit: _PageVisit, response: Response) -> None:
        """Have a request that brought nothing useful made again, as often as that may be."""
        self._counters.errors[response.error or str(response.status)] += 1
        if self._may_try_again(visit, response):
            self._picker.put_back(visit.site, visit.entry._replace(tries=visit.entry.tries + 1))
        else:
            self._end_visited(visit.site, visit.entry, FAILED, response.error)

    def _judge(self, site: Site, facts: Facts, response: Response) -> bool:
        """Did the site answer well?  Its gatekeeper is told if it could not be reached at this address."""
        is_good = bool(response.status) and response.status not in TOO_BUSY
        site.answered(is_good=is_good)
        if site.failures == self._settings.site_errors:
            say("site given up", site=site.name, reason="site-errors", errors=site.failures)
        if response.error in _UNREACHED and facts.endpoint is not None:
            keeper = keeper_of(site.name, self._mailbox.ranks)
            self._mailbox.send(keeper, Unreached(origin_of(response.request.url), facts.endpoint))
        return is_good


def _outcome(error: str) -> tuple[str, str]:
    """State and reason of a page that cannot be asked for: what we refuse is filtered, the rest has failed."""
    return (FILTERED if error in _REFUSED or error.startswith("robots-") else FAILED), error
