"""A cluster in one process and in virtual time: real workbenches, keepers and fetchers, a made-up web and mailbox.

Every rank has a clock of its own, whose zero lies anywhere.  What is judged is the true time of the web's log.
"""

import pickle
import random
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

import numpy as np

from crawler.exchange.page_quota import Credits
from crawler.fetching.fetcher import Fetcher, FetchSettings
from crawler.fetching.message_dispatch import MessageDispatch
from crawler.fetching.robots_fetcher import RobotsFetching, RobotsSettings
from crawler.fetching.rule_quotas import RuleQuotas
from crawler.fetching.site_rests import SiteRests
from crawler.fetching.workbench import Workbench
from crawler.monitoring.counters import Counters
from crawler.network.web import Endpoint, Found, Lookup, Request, Response
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.cap_gatekeeper import CapGatekeeper
from crawler.politeness.delays import Delays
from crawler.politeness.earlier_rests import EarlierRests, Standings, hashes_of_sites
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Message, keeper_of
from crawler.politeness.page_caps import Caps, PageCaps
from crawler.politeness.robots.rules import Rules
from crawler.politeness.server_gatekeeper import ServerGatekeeper
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from sessions.schema import RestRow
from sessions.url import origin_of, site_of
from tests.crawler.politeness.support.robots_on_disk import robots_cache
from tests.crawler.support.batches import batch_of
from tests.crawler.support.site_memory import SITE_MEMORY, site_facts

FOREVER = float("inf")
CLOCK_ZEROS = (1e6, -5.0, 0.0, 31536000.25)
_MOST_STEPS = 200_000
_MOST_MESSAGES = 50_000
_LEAST_STEP = 1e-5
NO_CAPS = PageCaps()
_LONGEST_REST = 1e5
_LONGEST_WAIT = 0.25


@dataclass
class SimulatedSite:
    """A site: where it lies, how it answers.  Of ``addresses`` those in ``dead`` refuse connections.

    ``fails`` is the share of its pages' answers that are 503 or none at all.  Its robots.txt redirects to
    ``robots_at``; another file lies at /shared-robots.txt.  That under https may ask for another crawl-delay.  Times in
    seconds.
    """

    name: str
    addresses: tuple[str, ...]
    response_seconds: float = 0.0
    crawl_delay: float = 0.0
    fails: float = 0.0
    dead: frozenset[str] = frozenset()
    dns_error: str = ""
    ttl: float = 3600.0
    robots_at: str = ""
    https_crawl_delay: float | None = None

    def crawl_delay_of(self, origin: str) -> float:
        """What the robots.txt of an origin asks for."""
        is_own = origin.startswith("https:") and self.https_crawl_delay is not None
        return (self.https_crawl_delay or 0.0) if is_own else self.crawl_delay


class LoggedRequest(NamedTuple):
    """A line of the web's log, in true time."""

    rank: int
    url: str
    ip: str
    began: float
    ended: float
    seconds: float
    status: int


@dataclass
class Plan:
    """What is simulated.  ``arrivals`` are (true time, rank, URLs); ``latency`` and ``loop`` bound random seconds.

    A gatekeeper of sites remembers ``most_sites``; its robots cache may have left the memory phase.  If it
    ``is_resumed``, each rank counts all as visited when it begins, and knows the rules of all sites, which may be old.
    ``earlier`` has sites that an earlier run has left to rest for so many seconds, with so many failures in a row.
    """

    sites: Sequence[SimulatedSite]
    arrivals: Sequence[tuple[float, int, list[str]]]
    ranks: int
    delays: Delays
    latency: tuple[float, float] = (0.0, 0.05)
    loop: tuple[float, float] = (0.0, 0.004)
    connections: int = 64
    retries: int = 1
    capacity: int = 1 << 16
    sites_of_a_server: int = 32
    most_sites: int = SITE_MEMORY.sites
    is_robots_on_disk: bool = False
    is_resumed: bool = False
    earlier: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    caps: PageCaps = NO_CAPS
    seed: int = 0


class SimulatedPost(Mailbox):
    """A rank's end of a mailbox whose letters take their time, and stay in order for each pair of ranks."""

    def __init__(self, rank: int, cluster: "Cluster") -> None:
        self.rank = rank
        self.ranks = cluster.plan.ranks
        self.sent = self.received = 0
        self._cluster = cluster
        self._outgoing = {}
        self._to_self = deque()
        self._arrived = deque()
        self.coming: list[tuple[float, int, int, bytes]] = []
        self._last: dict[int, float] = {}

    def send(self, rank: int, message: Message) -> None:
        """Have a message delivered."""
        assert self.sent < _MOST_MESSAGES, "messages go round in circles"
        super().send(rank, message)

    def dispatch(self) -> None:
        """Put what there is to say into the mail."""
        for rank, messages in self._outgoing.items():
            due = self._cluster.time + self._cluster.dice.uniform(*self._cluster.plan.latency)
            due = self._last[rank] = max(due, self._last.get(rank, 0.0))
            letter = (due, next(self._cluster.number), self.rank, pickle.dumps(messages))
            heappush(self._cluster.ranks[rank].mailbox.coming, letter)
        self._outgoing.clear()

    def _collect(self) -> None:
        while self.coming and self.coming[0][0] <= self._cluster.time:
            _, _, sender, letter = heappop(self.coming)
            messages: list[Message] = pickle.loads(letter)
            self._arrived.extend((sender, message) for message in messages)


class SimulatedWeb:
    """The web as one rank sees it."""

    def __init__(self, rank: int, cluster: "Cluster") -> None:
        self._rank = rank
        self._cluster = cluster
        self._coming: list[tuple[float, int, Response | Found]] = []
        self.in_flight = 0

    def now(self) -> float:
        """The rank's clock."""
        return self._cluster.time + CLOCK_ZEROS[self._rank]

    def look_up(self, lookup: Lookup) -> None:
        """Find a site's addresses."""
        site = self._cluster.sites[site_of(f"{lookup.origin}/")]
        self._cluster.lookups[lookup.origin] += 1
        port = 443 if lookup.origin.startswith("https") else 80
        endpoints = () if site.dns_error else tuple(Endpoint(ip, port) for ip in site.addresses)
        self._come(self._cluster.dice.uniform(0.0, 0.02), Found(lookup, endpoints, site.dns_error, site.ttl))

    def start(self, request: Request) -> None:
        """Ask for a page."""
        assert request.endpoint is not None
        assert isinstance(self._cluster.sites[site_of(request.url)], SimulatedSite)
        response, seconds = self._cluster.answer(request)
        began = self._cluster.time
        self._cluster.log.append(
            LoggedRequest(
                self._rank, request.url, request.endpoint.ip, began, began + seconds, seconds, response.status
            )
        )
        self.in_flight += 1
        self._come(seconds, response)

    def arrived(self) -> list[Response | Found]:
        """What has come by now."""
        came = []
        while self._coming and self._coming[0][0] <= self._cluster.time:
            came.append(heappop(self._coming)[2])
        self.in_flight -= sum(isinstance(one, Response) for one in came)
        return came

    def next_time(self) -> float:
        """When something comes next, in true time."""
        return self._coming[0][0] if self._coming else FOREVER

    def _come(self, seconds: float, what: Response | Found) -> None:
        heappush(self._coming, (self._cluster.time + seconds, next(self._cluster.number), what))


class SimulatedRank:
    """The parts of a rank that visit sites, wired as `crawler.rank.visits_assembly` does it."""

    def __init__(self, rank: int, cluster: "Cluster", folder: Path) -> None:
        plan = cluster.plan
        self._cluster = cluster
        self.mailbox = SimulatedPost(rank, cluster)
        self.web = web = SimulatedWeb(rank, cluster)
        queue, server_delay = Backlogs(folder / f"parked-{rank}", 64), plan.delays.server_delay
        self.leases = Leases(self.mailbox, server_delay=server_delay)
        self.bench = Workbench(
            queue,
            self.mailbox,
            self.leases,
            web.now,
            caps=plan.caps,
            capacity=plan.capacity,
            known=site_facts(),
            most_sites=plan.sites_of_a_server,
        )
        by_address = server_delay > 0
        self.sites = SiteGatekeeper(
            self.mailbox,
            cast(Any, web),
            self.bench.picker.run_errand,
            by_address=by_address,
            fetch_robots=self.bench.answers.fetch_robots,
            cache=robots_cache(folder / f"robots-{rank}", is_on_disk=plan.is_robots_on_disk),
            most_sites=plan.most_sites,
            most_bytes=SITE_MEMORY.rules,
            earlier=_earlier_rests(plan, web.now()),
        )
        self.servers = ServerGatekeeper(self.mailbox, server_delay=server_delay)
        self.message_dispatch = MessageDispatch(
            self.mailbox,
            self.bench.answers,
            self.leases,
            self.sites,
            self.servers,
            CapGatekeeper(self.mailbox, Caps(plan.caps)),
        )
        settings = RobotsSettings("Cutweb", retries=plan.retries, retry_wait=plan.delays.retry_wait)
        counters = Counters()
        delays = replace(plan.delays, visited_at=web.now() if plan.is_resumed else None)
        self.fetcher = Fetcher(
            FetchSettings(connections=plan.connections, retries=plan.retries),
            web=cast(Any, web),
            picker=self.bench.picker,
            knowledge=self.bench.knowledge,
            mailbox=self.mailbox,
            rests=SiteRests(delays, self.bench.picker, cast(Any, cluster), web.now),
            robots=RobotsFetching(rank, settings, self.sites, cast(Any, cluster), counters),
            credits=Credits(is_limited=False),
            intake=cast(Any, cluster),
            recorder=cast(Any, cluster),
            counters=counters,
            rules=self.bench.rules,
            quotas=RuleQuotas(self.bench.rules, rank, self.mailbox.ranks),
        )

    def step(self) -> float:
        """What a rank does in one turn of its loop; when the next is due, in true time."""
        for arrival in self.web.arrived():
            if isinstance(arrival, Found):
                self.sites.found(arrival, self.web.now())
            else:
                self.fetcher.finish(arrival)
        self.message_dispatch.carry(self.web.now)
        if self.fetcher.start():
            self.bench.supply.unpark()
            self.fetcher.start()
        return self._next_time()

    def _next_time(self) -> float:
        now, zero = self.web.now(), self.web.now() - self._cluster.time
        said = self.message_dispatch.next_event(now)
        if not self.mailbox.is_idle:
            assert said <= now, "what is in the mailbox is to leave at once"
            return self._cluster.time
        times = [self.bench.picker.next_release()] if self.fetcher.has_free_connection else []
        times += [self.message_dispatch.next_due(), self.leases.next_end()]
        due = min((time for time in times if time is not None), default=FOREVER)
        mail = FOREVER
        if self.mailbox.coming:
            mail = max(self._cluster.time, self.mailbox.coming[0][0]) + self._cluster.dice.uniform(0.0, 0.008)
        if self.mailbox.ranks > 1:
            assert said <= now + 0.01, "others may write"
        look = self._cluster.time + _LONGEST_WAIT if len(self.bench.supply) else FOREVER
        return min(due - zero, mail, self.web.next_time(), look)


def _earlier_rests(plan: Plan, now: float) -> EarlierRests:
    """What all gatekeepers know of earlier rests, each for its sites; that others know them, too, does not matter."""
    rests = np.array([rest for rest, _ in plan.earlier.values()], np.float64)
    failures = np.array([failures for _, failures in plan.earlier.values()], np.uint16)
    return EarlierRests(Standings(hashes_of_sites(list(plan.earlier)), now + rests, failures))


@dataclass
class Cluster:
    """A crawl of all ranks.  ``done`` counts what came of each URL, ``log`` has every request."""

    plan: Plan
    time: float = 0.0
    log: list[LoggedRequest] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    lookups: Counter[str] = field(default_factory=Counter)
    rests: list[RestRow] = field(default_factory=list)
    steps: int = 0

    def __post_init__(self) -> None:
        self.dice = random.Random(self.plan.seed)
        self.number = count()
        self.sites: Mapping[str, SimulatedSite] = {site.name: site for site in self.plan.sites}
        self.ranks: list[SimulatedRank] = []
        self._urls: dict[int, str] = {}

    def answer(self, request: Request) -> tuple[Response, float]:
        """What a site answers, and after how long."""
        site = self.sites[site_of(request.url)]
        assert request.endpoint is not None
        assert request.endpoint.ip in site.addresses
        dice = self.dice
        if request.endpoint.ip in site.dead:
            return Response(request, error="connect"), 0.001
        seconds = site.response_seconds * dice.uniform(0.5, 1.0)
        milliseconds = 1000 * seconds
        if request.url.endswith("/robots.txt") and site.robots_at:
            head = [b"HTTP/1.1 302 Whatever\r\n", f"Location: {site.robots_at}\r\n".encode()]
            return Response(request, 302, head, milliseconds=milliseconds), seconds
        if request.url.endswith("robots.txt"):
            crawl_delay = site.crawl_delay_of(origin_of(request.url))
            text = f"User-agent: *\nDisallow: /shared\nCrawl-delay: {crawl_delay}\n".encode()
            status = 200 if crawl_delay else 404
            head = [b"HTTP/1.1 %d Whatever\r\n" % status]
            return Response(request, status, head, text, milliseconds=milliseconds), seconds
        if dice.random() < site.fails:
            if dice.random() < 0.5:
                return Response(request, 503, [b"HTTP/1.1 503 Busy\r\n"], milliseconds=milliseconds), seconds
            return Response(request, error="disconnect", milliseconds=milliseconds), seconds
        return Response(request, 200, [b"HTTP/1.1 200 OK\r\n"], b"x", milliseconds=milliseconds), seconds

    def take(self, entry: Any, _response: Response) -> None:
        """As the intake of a rank."""
        self.done[entry.url] += 1

    def request_headers(self, _url_hash: int) -> tuple[str, ...]:
        """As the intake of a rank."""
        return ()

    def outcome(self, url_hash: int, _state: str, reason: str) -> None:
        """As the recorder of a rank."""
        self.done[self._urls[url_hash]] += 1
        self.reasons[reason] += 1

    def keep(self, _exchange: object) -> None:
        pass

    def robots(self, _row: object) -> None:
        """As the recorder of a rank."""

    def rest(self, row: RestRow) -> None:
        """As the recorder of a rank."""
        self.rests.append(row)

    def run(self) -> None:
        """Crawl until nothing can happen any more."""
        with TemporaryDirectory() as folder:
            self.ranks += [SimulatedRank(rank, self, Path(folder)) for rank in range(self.plan.ranks)]
            if self.plan.is_resumed:
                self._know_rules()
            self._run_until_quiet()
            self.time += _LONGEST_REST
            self._run_until_quiet()
            self._assert_at_rest()

    def _know_rules(self) -> None:
        """What an earlier run has learned of robots.txt files; some of it is out of date."""
        for site in self.plan.sites:
            keeper = self.ranks[keeper_of(site.name, self.plan.ranks)]
            for scheme in ("http", "https"):
                rules = Rules(crawl_delay=site.crawl_delay, seconds=self.dice.choice([0.0, 3600.0]))
                keeper.sites.robots_known(f"{scheme}://{site.name}", rules, keeper.web.now())

    def _run_until_quiet(self) -> None:
        arrivals = deque(sorted(self.plan.arrivals) if not self.time else ())
        due = [self.time] * self.plan.ranks
        while arrivals or min(due) < FOREVER:
            first = min(due)
            if arrivals and arrivals[0][0] <= first:
                self.time, rank, urls = arrivals.popleft()
                self._put(rank, urls)
                due[rank] = self.time
                continue
            rank = due.index(first)
            self.time = max(self.time, first)
            self._step(rank, due)

    def _step(self, rank: int, due: list[float]) -> None:
        self.steps += 1
        assert self.steps < _MOST_STEPS, "the ranks go round in circles"
        later = self.ranks[rank].step()
        loop = self.time + _LEAST_STEP + self.dice.uniform(*self.plan.loop)
        due[rank] = max(later, loop)
        for other, one in enumerate(self.ranks):
            if other != rank and one.mailbox.coming:
                due[other] = min(due[other], max(one.mailbox.coming[0][0], self.time) + self.dice.uniform(0.0, 0.008))

    def _put(self, rank: int, urls: list[str]) -> None:
        batch = batch_of(urls)
        self._urls.update(zip(batch.hashes.tolist(), urls, strict=True))
        self.ranks[rank].bench.supply.put(batch)

    def _assert_at_rest(self) -> None:
        """Nothing is left: no URL, no message, and, when all have rested, nothing that anybody remembers."""
        assert sum(rank.mailbox.sent for rank in self.ranks) == sum(rank.mailbox.received for rank in self.ranks)
        for rank in self.ranks:
            assert rank.mailbox.is_idle
            assert not rank.mailbox.coming
            assert not rank.web.in_flight
            assert rank.sites.lookups == 0
            assert rank.sites.waiting == 0
            assert len(rank.bench.supply) == 0, "a lease was lost"
            assert not rank.bench.sites
            assert not rank.leases._servers
            assert not rank.servers._gates
            assert not any(site.is_busy for site in rank.sites._sites.values())
            assert not len(rank.sites.hops)


def assert_polite(cluster: Cluster) -> None:
    """The log shows every rest between two requests to one site, and to one server, and none at the same time."""
    delays = cluster.plan.delays
    log = sorted(cluster.log, key=lambda visited: (visited.began, visited.ended))
    _assert_rests(log, lambda one: site_of(one.url), _site_rests(cluster, log))
    if delays.server_delay:
        own = [delays.rests.server_rest(visited.ip, ()) for visited in log]
        _assert_rests(log, lambda one: one.ip, [max(delays.server_delay, rest) for rest in own])
    if cluster.plan.is_resumed:
        _assert_first_rests(cluster, log)


def _assert_first_rests(cluster: Cluster, log: list[LoggedRequest]) -> None:
    """All counts as visited when the run began."""
    for visited in log:
        delays, site = cluster.plan.delays, cluster.sites[site_of(visited.url)]
        rest = delays.site_rest(site.name, site.crawl_delay, 0.0, 0)
        if delays.server_delay:
            rest = max(rest, delays.server_rest(visited.ip, ()))
        assert visited.began >= rest - 1e-6, f"{rest - visited.began:.6f} s too early after the run began\n{visited}"


def _site_rests(cluster: Cluster, log: list[LoggedRequest]) -> list[float]:
    """How long a site has to rest after each request."""
    rests = []
    failures: Counter[str] = Counter()
    asks_for_delay = set()
    for visited in log:
        site = cluster.sites[site_of(visited.url)]
        is_good = visited.status not in (0, 429, 503)
        is_page = not visited.url.endswith("robots.txt")
        # How often a site has failed is not handed on when its address changes.
        failures[site.name] = 0 if is_good else 1 if site.dead else failures[site.name] + 1
        if is_good and visited.url.endswith("/robots.txt") and not site.robots_at:
            asks_for_delay.add(origin_of(visited.url))
        origin = origin_of(visited.url)
        crawl_delay = site.crawl_delay_of(origin) if origin in asks_for_delay else 0.0
        delays = cluster.plan.delays
        rests.append(delays.site_rest(site.name, crawl_delay, visited.seconds, failures[site.name], is_page=is_page))
    return rests


def _assert_rests(log: list[LoggedRequest], key: Callable[[LoggedRequest], str], rests: Sequence[float]) -> None:
    free: dict[str, tuple[float, LoggedRequest]] = {}
    for visited, rest in zip(log, rests, strict=True):
        time, before = free.get(key(visited), (-FOREVER, visited))
        assert visited.began >= time - 1e-6, (
            f"{key(visited)}: {time - visited.began:.6f} s too early\n{before}\n{visited}"
        )
        free[key(visited)] = visited.ended + rest, visited


def assert_complete(cluster: Cluster) -> None:
    """Every URL has come to one end, and was requested no more often than it may be."""
    urls = [url for _, _, urls in cluster.plan.arrivals for url in urls]
    assert cluster.done == Counter(urls)
    requests = Counter(visited.url for visited in cluster.log)
    good = Counter(visited.url for visited in cluster.log if visited.status not in (0, 503))
    for url in urls:
        assert requests[url] <= 1 + cluster.plan.retries
        assert good[url] <= 1
    origins = {origin_of(url) for url in urls}
    for origin in origins:
        site = cluster.sites[site_of(f"{origin}/")]
        if not site.dead and not any(other.robots_at for other in cluster.plan.sites):
            assert requests[f"{origin}/robots.txt"] <= 1


def least_seconds(cluster: Cluster) -> float:
    """The least time that the delays force: over sites and servers, requests less one, and what they took."""
    delays = cluster.plan.delays
    by_site: dict[str, list[LoggedRequest]] = {}
    by_server: dict[str, list[LoggedRequest]] = {}
    for visited in cluster.log:
        by_site.setdefault(site_of(visited.url), []).append(visited)
        by_server.setdefault(visited.ip, []).append(visited)
    least = 0.0
    for name, visits in by_site.items():
        rest = max(delays.delay, cluster.sites[name].crawl_delay)
        least = max(least, (len(visits) - 1) * rest + sum(visited.seconds for visited in visits))
    for visits in by_server.values():
        seconds = sum(visited.seconds for visited in visits)
        least = max(least, (len(visits) - 1) * delays.server_delay + seconds if delays.server_delay else 0.0)
    return least


def makespan(cluster: Cluster) -> float:
    """How long the crawl took, from the first request to the end of the last."""
    return max(visited.ended for visited in cluster.log) - min(visited.began for visited in cluster.log)
