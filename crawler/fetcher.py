"""Visiting sites: pick one that is ready, ask for its robots.txt first, fetch its next page, record what came.

A site that was picked from the workbench stays the fetcher's until its answer is there.  Nothing is requested without
a credit where the session has a page limit, and nothing that robots.txt forbids.
"""

from dataclasses import dataclass, replace

from crawler.counters import Counters
from crawler.credits import Credits
from crawler.discovery import Discovery
from crawler.links import resolve
from crawler.pagerow import page_row
from crawler.reading import Reading, read, references_in
from crawler.robots import ROBOTS_BYTES, ROBOTS_REDIRECTS, Robots, Rules
from crawler.stages import StageClock
from crawler.web import Request, Response, Web
from crawler.workbench import Entry, Site, Workbench
from sessions.recorder import Recorder
from sessions.schema import FAILED, FILTERED, REDIRECT
from sessions.url import origin_of, site_of
from sessions.warc import Exchange, protocol_of, stored_head

_HOPELESS = {"url", "encoding"}
"""Errors that another try will not mend."""


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """``connections`` is transfers at once; times in seconds, sizes in bytes.  The wait before a retry doubles."""

    connections: int = 64
    delay: float = 1.0
    retries: int = 2
    retry_wait: float = 2.0
    document_limit: int = 64 << 20


@dataclass(frozen=True, slots=True)
class _PageVisit:
    site: Site
    entry: Entry
    crawl_delay: float


@dataclass(frozen=True, slots=True)
class _RobotsVisit:
    """A request for a site's robots.txt: for which ``origin``, where, after how many redirects, on which try."""

    site: Site
    origin: str
    url: str
    redirects: int = 0
    tries: int = 0


class Fetcher:
    """Fetches what lies ready on the workbench and hands on what came of it."""

    def __init__(
        self,
        rank: int,
        run: str,
        settings: FetchSettings,
        *,
        web: Web,
        workbench: Workbench,
        robots: Robots,
        credits: Credits,
        discovery: Discovery,
        recorder: Recorder,
        counters: Counters,
        clock: StageClock,
    ) -> None:
        self._rank = rank
        self._run = run
        self._settings = settings
        self._web = web
        self._workbench = workbench
        self._robots = robots
        self._credits = credits
        self._discovery = discovery
        self._recorder = recorder
        self._counters = counters
        self._clock = clock
        self._robots_to_come: dict[str, _RobotsVisit] = {}
        self.pages_in_flight = 0

    @property
    def connections(self) -> int:
        """How many transfers there may be at once."""
        return self._settings.connections

    @property
    def has_free_connection(self) -> bool:
        """Could a request be started if a site were ready?"""
        return self._web.in_flight < self._settings.connections and self._credits.available

    def start(self) -> bool:
        """Start as many requests as may be; True if some connection found no site to visit."""
        web, workbench = self._web, self._workbench
        while self.has_free_connection:
            site = workbench.pick(web.now())
            if site is None:
                return True
            self._visit(site)
        return False

    def finish(self, response: Response) -> None:
        """Deal with what came of a request."""
        visit = response.request.purpose
        if isinstance(visit, _RobotsVisit):
            self._finish_robots(visit, response)
        else:
            self.pages_in_flight -= 1
            self._finish_page(visit, response)

    def abandon(self) -> None:
        """Break off everything in flight; its URLs go back to the workbench."""
        for request in self._web.cancel():
            visit = request.purpose
            if isinstance(visit, _PageVisit):
                self.pages_in_flight -= 1
                self._workbench.put_back(visit.site, visit.entry)
            self._workbench.release(visit.site, self._web.now())

    def _visit(self, site: Site) -> None:
        """Request the site's next page that may be fetched, or the robots.txt that has to be known first."""
        while (entry := self._workbench.next_entry(site)) is not None:
            origin = origin_of(entry.url)
            rules = self._robots.rules_for(origin)
            if rules is None:
                self._workbench.put_back(site, entry)
                self._request_robots(site, origin)
                return
            if rules.allow(entry.url):
                self._credits.take()
                self.pages_in_flight += 1
                self._web.start(Request(entry.url, _PageVisit(site, entry, rules.crawl_delay)))
                return
            self._refuse(entry, rules)
        self._workbench.release(site, self._web.now())

    def _refuse(self, entry: Entry, rules: Rules) -> None:
        """A page whose site cannot be reached has failed; one whose rules cannot be had, or forbid it, is filtered."""
        if rules.unreachable and not rules.status:
            self._end(entry, FAILED, rules.unreachable)
        else:
            self._end(entry, FILTERED, rules.unreachable or "robots")

    def _end(self, entry: Entry, state: str, reason: str) -> None:
        self._recorder.outcome(entry.hash, state, reason)
        (self._counters.failed if state == FAILED else self._counters.filtered)[reason] += 1

    def _retry_wait(self, tries: int) -> float:
        return max(self._settings.delay, self._settings.retry_wait * 2.0**tries)

    def _request_robots(self, site: Site, origin: str) -> None:
        visit = self._robots_to_come.pop(origin, None) or _RobotsVisit(site, origin, f"{origin}/robots.txt")
        self._web.start(Request(visit.url, visit, ROBOTS_BYTES))

    def _finish_robots(self, visit: _RobotsVisit, response: Response) -> None:
        """Learn the rules, or have them asked for again: elsewhere after a redirect, later after an error."""
        self._counters.robots_fetched += 1
        rest = self._settings.delay
        reading = read(response, ROBOTS_BYTES) if response.status else None
        # Half a robots.txt might allow what the whole one forbids, unless it was cut at the length that counts.
        error = response.error if response.error != "size" else ""
        error = error or ("encoding" if reading is not None and reading.error and not reading.document else "")
        if reading is None or error:
            self._counters.errors[response.error or "other"] += 1
            if visit.tries < self._settings.retries and error not in _HOPELESS:
                self._robots_to_come[visit.origin] = replace(visit, tries=visit.tries + 1)
                rest = self._retry_wait(visit.tries)
            else:
                self._robots.learn_unreachable(visit.origin, error)
        else:
            if reading.redirect is not None and visit.redirects < ROBOTS_REDIRECTS:
                onward = replace(visit, url=reading.redirect, redirects=visit.redirects + 1)
                self._robots_to_come[visit.origin] = onward
            else:
                rules = self._robots.learn(visit.origin, response.status, reading.document)
                rest = max(rest, rules.crawl_delay)
        ip = response.ip if site_of(visit.url) == visit.site.name else ""
        self._workbench.release(visit.site, self._web.now(), rest=rest, ip=ip or visit.site.server.ip)

    def _finish_page(self, visit: _PageVisit, response: Response) -> None:
        """Record the page and hand on its links; or have it fetched again later, if no response came."""
        entry = visit.entry
        rest = max(self._settings.delay, visit.crawl_delay)
        if response.status:
            self._record(entry, response)
        else:
            self._credits.give_back()
            self._counters.errors[response.error] += 1
            if entry.tries < self._settings.retries and response.error not in _HOPELESS:
                self._workbench.put_back(visit.site, entry._replace(tries=entry.tries + 1))
                rest = max(rest, self._retry_wait(entry.tries))
            else:
                self._end(entry, FAILED, response.error)
        self._workbench.release(visit.site, self._web.now(), rest=rest, ip=response.ip or visit.site.server.ip)

    def _record(self, entry: Entry, response: Response) -> None:
        depth, hops = self._discovery.seen.way_to(entry.hash)
        self._clock.enter("parse")
        reading = read(response, self._settings.document_limit)
        references = references_in(response, reading)
        self._clock.enter("record")
        self._record_page(entry, response, reading, depth, hops)
        self._clock.enter("links")
        if reading.redirect is not None:
            self._discovery.links_of(entry.hash, depth, [reading.redirect], [REDIRECT], hops=hops + 1)
        elif references is not None:
            links = resolve(references)
            self._discovery.links_of(entry.hash, depth + 1, links.urls, links.flags)
        self._clock.enter("fetch")

    def _record_page(self, entry: Entry, response: Response, reading: Reading, depth: int, hops: int) -> None:
        body, counters = response.body, self._counters
        place = self._recorder.store(
            Exchange(
                url=entry.url,
                fetched=response.started,
                response_head=stored_head(response.head, len(body)),
                body=body,
                request_head=response.request_head,
                ip=response.ip,
                truncated=response.truncated,
                protocol=protocol_of(response.head),
            )
        )
        self._recorder.page(
            page_row(
                entry.hash,
                response,
                reading,
                run=self._run,
                rank=self._rank,
                superstep=counters.superstep,
                depth=depth,
                hops=hops,
                place=place,
            )
        )
        counters.fetched += 1
        counters.statuses[response.status] += 1
        counters.bytes += len(body)
        counters.decoded_bytes += len(reading.document)
