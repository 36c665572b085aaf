"""The workbench under a simulated clock: any order of events, against a plain model of what politeness demands."""

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from crawler.fetching.workbench import Workbench
from crawler.politeness.entry import Entry, Errand
from crawler.politeness.messages import Ask
from crawler.politeness.site import Site
from sessions.url import origin_of, site_of, url_hash
from tests.crawler.support.batches import batch_of
from tests.crawler.support.single_rank_workbench import A_LONG_TIME, Desk

SITES = [f"s{number}.example" for number in range(6)]
IPS = ["192.0.2.1", "192.0.2.2"]
LEAST_SHARE = 8


def way_to(url: str) -> tuple[int, int]:
    """The depth and hops with which the model's URLs come."""
    return url_hash(url) % 0x10000, url_hash(url) % 0x100


def drained(bench: Workbench) -> list[tuple[int, int, int]]:
    """Hash, depth and hops of all URLs that are taken off a workbench, sorted."""
    return sorted(
        row for columns in bench.supply.drain() for row in zip(*(map(int, column) for column in columns), strict=True)
    )


class Knowledge(NamedTuple):
    """What was said of an origin, good until this time."""

    has_rules: bool
    until: float


@dataclass
class Known:
    """What the model knows of a site: its URLs in order with their tries, when it may be visited, where it is."""

    urls: deque[tuple[str, int]] = field(default_factory=deque)
    errands: deque[Errand] = field(default_factory=deque)
    rests_until: float = 0.0
    ip: str = ""
    facts: dict[str, Knowledge] = field(default_factory=dict)
    is_moving: bool = False
    was_given_up: bool = False


class Politeness(RuleBasedStateMachine):
    """Rules are what a rank does, and what gatekeepers say; after each, what must hold is compared with the model."""

    server_delay = 0.0

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.capacity = 32
        self.desk = Desk(Path(self._folder.name), server_delay=self.server_delay, capacity=self.capacity, now=100.0)
        self.bench = self.desk.bench
        self.sites = {name: Known() for name in SITES}
        self.servers: dict[str, float] = {}
        self.picked: dict[str, tuple[Site, list[Entry]]] = {}
        self.made = 0

    @property
    def now(self) -> float:
        return self.desk.now

    # what a rank does

    @rule(names=st.lists(st.sampled_from(SITES), min_size=1, max_size=8), repeat=st.sampled_from([1, 1, 2, 5]))
    def put(self, names: list[str], repeat: int) -> None:
        urls = []
        for name in names * repeat:
            self.made += 1
            urls.append(f"{'http' if self.made % 7 else 'https'}://{name}/{self.made}")
            self.sites[name].urls.append((urls[-1], 0))
        self.bench.supply.put(batch_of(urls, *zip(*map(way_to, urls), strict=True)))

    @rule(name=st.sampled_from(SITES))
    def run_errand(self, name: str) -> None:
        self.made += 1
        errand = Errand(f"http://{self.made}.example", f"http://{name}/robots.txt")
        self.bench.picker.run_errand(errand)
        self.sites[name].errands.append(errand)

    @rule(seconds=st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0, 20.0]))
    def time_goes_by(self, seconds: float) -> None:
        self.desk.now += seconds

    @rule()
    def sleep_until_the_next_release(self) -> None:
        self.desk.carry()
        times = [self.ready_at(name) for name in SITES if self.is_free(name) and self.is_wanted(name)]
        release = self.bench.picker.next_release()
        if times:
            assert release is not None
            assert release <= max(self.now, min(times) + self.server_delay), "a site would be visited too late"
        if release is not None and release > self.now:
            assert release in {self.ready_at(name) for name in SITES}, "nothing happens then"
            self.desk.now = release

    @rule(takes=st.sampled_from([0, 1, 1, 1, 3, 100]))
    def pick(self, takes: int) -> None:
        while True:
            site = self.desk.pick()
            if site is None and self.bench.supply.unpark():
                site = self.desk.pick()
            if site is None:
                self.nothing_is_withheld()
                return
            if self.visit(site, takes):
                return

    @rule(takes=st.sampled_from([1, 2]))
    def pick_without_unparking(self, takes: int) -> None:
        site = self.desk.pick()
        if site is not None:
            self.visit(site, takes)

    @precondition(lambda self: self.picked)
    @rule(
        which=st.integers(0, 5),
        rest=st.sampled_from([0.0, 0.5, 1.0, 7.0]),
        puts_back=st.booleans(),
    )
    def release(self, which: int, rest: float, puts_back: bool) -> None:
        name = list(self.picked)[which % len(self.picked)]
        site, taken = self.picked.pop(name)
        known = self.sites[name]
        if puts_back and taken:
            entry = taken.pop()
            self.bench.picker.put_back(site, entry._replace(tries=entry.tries + 1))
            known.urls.appendleft((entry.url, entry.tries + 1))
        self.bench.picker.release(site, self.now, rest=rest, server_rest=self.server_delay)
        known.rests_until = self.now + rest
        self.servers[self.gate(name)] = self.now + self.server_delay

    # what gatekeepers say

    @precondition(lambda self: self.desk.questions.open)
    @rule(which=st.integers(0, 9), ip=st.sampled_from(IPS), seconds=st.sampled_from([A_LONG_TIME, A_LONG_TIME, 2.0]))
    def a_gatekeeper_answers(self, which: int, ip: str, seconds: float) -> None:
        ask = self.an_open_question(which)
        name = site_of(f"{ask.origin}/")
        known = self.sites[name]
        if known.is_moving:
            return
        known.ip = known.ip or ip
        before = known.facts.get(ask.origin)
        if ask.robots or before is None or not before.has_rules or before.until <= self.now:
            known.facts[ask.origin] = Knowledge(ask.robots, self.now + seconds)
        self.desk.questions.answer(ask, known.ip, self.now, seconds)
        self.desk.carry()

    @precondition(lambda self: self.desk.questions.open)
    @rule(which=st.integers(0, 9), error=st.sampled_from(["dns", "internal-address"]))
    def a_gatekeeper_knows_no_address(self, which: int, error: str) -> None:
        origin = self.an_open_question(which).origin
        name = site_of(f"{origin}/")
        known = self.sites[name]
        if known.is_moving:
            return
        site = self.bench.sites[name]
        waiting: list[Errand | Entry] = [*site.errands, *site.queue]
        lost = [item for item in waiting if origin_of(item.url) == origin]
        self.desk.questions.refuse(origin, error)
        self.desk.carry()
        assert list(self.bench.picker.hopeless()) == [(item, error) for item in lost]
        known.errands = deque(errand for errand in known.errands if errand not in lost)
        gone = {item.url for item in lost if isinstance(item, Entry)}
        known.urls = deque(entry for entry in known.urls if entry[0] not in gone)
        known.was_given_up = True

    @precondition(lambda self: any(known.ip and not known.is_moving for known in self.sites.values()))
    @rule(which=st.integers(0, 5))
    def a_site_moves(self, which: int) -> None:
        there = [name for name, known in self.sites.items() if known.ip and not known.is_moving]
        name = there[which % len(there)]
        self.sites[name].is_moving = True
        self.desk.questions.move(name)
        self.desk.carry()

    def an_open_question(self, which: int) -> Ask:
        questions = list(self.desk.questions.open)
        return questions[which % len(questions)]

    # what must hold

    def visit(self, site: Site, takes: int) -> bool:
        """Take URLs, or an errand; False if nothing could be, because what is known of the site is out of date."""
        name, known = site.name, self.sites[site.name]
        assert name not in self.picked, "two visits to a site at once"
        assert known.urls or known.errands, "a site without URLs was picked"
        assert not known.is_moving, "a site whose address changes was picked"
        assert self.now >= known.rests_until, "a site was not left to rest"
        if self.server_delay:
            assert self.now >= self.servers.get(known.ip, 0.0), "a server was not left to rest"
            assert known.ip not in self.held(), "two visits to a server at once"
        assert bool(site.errands) == bool(known.errands)
        if known.errands:
            return self.visit_on_errand(site, known)
        taken: list[Entry] = []
        for _ in range(takes):
            entry = self.bench.picker.next_entry(site)
            if entry is None:
                break
            assert self.is_known(entry.url, with_rules=True) == (
                self.bench.knowledge.facts_of(origin_of(entry.url)) is not None
            )
            if self.bench.knowledge.facts_of(origin_of(entry.url)) is None:
                self.bench.picker.put_back(site, entry)
                if taken:
                    break
                self.bench.picker.release(site, self.now)
                return False
            assert entry == Entry(entry.url, url_hash(entry.url), *way_to(entry.url), tries=entry.tries)
            assert (entry.url, entry.tries) == known.urls.popleft(), "order within a site"
            taken.append(entry)
        assert takes == 0 or taken, "a site was picked that had all its URLs parked"
        self.picked[name] = (site, taken)
        return True

    def visit_on_errand(self, site: Site, known: Known) -> bool:
        errand = self.bench.picker.next_errand(site)
        assert errand == known.errands[0]
        if self.bench.knowledge.facts_of(origin_of(errand.url), with_rules=False) is None:
            assert not self.is_known(errand.url, with_rules=False)
            self.bench.picker.put_back_errand(site, errand)
            self.bench.picker.release(site, self.now)
            return False
        known.errands.popleft()
        self.picked[site.name] = (site, [])
        return True

    def gate(self, name: str) -> str:
        return self.desk.questions.gate(name, self.sites[name].ip)

    def held(self) -> set[str]:
        """What is being visited: servers, or, without a delay between two visits to one, sites."""
        return {self.gate(name) for name in self.picked}

    def is_free(self, name: str) -> bool:
        return name not in self.picked and self.gate(name) not in self.held()

    def ready_at(self, name: str) -> float:
        return max(self.sites[name].rests_until, self.servers.get(self.gate(name), 0.0))

    def is_known(self, url: str, *, with_rules: bool) -> bool:
        said = self.sites[site_of(url)].facts.get(origin_of(url))
        return said is not None and said.until > self.now and (said.has_rules or not with_rules)

    def is_wanted(self, name: str) -> bool:
        """Has the site something to fetch of which all is known that has to be?"""
        known = self.sites[name]
        if known.is_moving:
            return False
        if known.errands:
            return self.is_known(known.errands[0].url, with_rules=False)
        site = self.bench.sites.get(name)
        return site is not None and bool(site.queue) and self.is_known(known.urls[0][0], with_rules=True)

    def nothing_is_withheld(self) -> None:
        """No site that has something to fetch could be visited; and the workbench knows to the instant when one can."""
        free = [name for name in SITES if self.is_free(name) and self.is_wanted(name)]
        release = self.bench.picker.next_release()
        if any(self.ready_at(name) <= self.now for name in free):
            assert release is not None
            assert release < self.now + self.server_delay, "a server waits for one of its sites, but not for long"
        assert release is None or release > self.now, "the rank would spin"
        assert release is not None or not free
        for name, known in self.sites.items():
            if known.urls and not known.was_given_up and name not in self.picked:
                assert self.bench.sites[name].queue, "a site has all its URLs parked"

    @invariant()
    def what_is_not_known_was_asked(self) -> None:
        """Somebody will do something about every site that has something to fetch."""
        self.desk.carry()
        for name, known in self.sites.items():
            site = self.bench.sites.get(name)
            if site is None or name in self.picked or known.is_moving:
                continue
            first: Errand | Entry | None = known.errands[0] if known.errands else site.queue[0] if site.queue else None
            if first is not None and not self.is_known(first.url, with_rules=not known.errands):
                ask = Ask(origin_of(first.url), not known.errands)
                assert ask in self.desk.questions.open or not site.is_idle, "nobody is asked"

    @invariant()
    def a_site_that_moves_is_left_and_still_rests(self) -> None:
        self.desk.carry()
        for message in self.desk.questions.left:
            known = self.sites[message.site]
            assert message.site not in self.picked
            assert known.is_moving
            assert message.rest == max(0.0, known.rests_until - self.now)
            known.is_moving, known.ip = False, ""
            known.facts.clear()
        self.desk.questions.left.clear()
        assert all(name in self.picked for name, known in self.sites.items() if known.is_moving)

    @invariant()
    def a_server_has_the_weight_of_its_sites(self) -> None:
        for server in self.desk.leases._servers.values():
            assert server.weight == sum(site.weight for site in server.sites.values())

    @invariant()
    def what_is_forgotten_has_nothing_to_fetch(self) -> None:
        for name, known in self.sites.items():
            if name not in self.bench.sites:
                assert not known.urls
                assert not known.errands
                assert name not in self.picked

    @invariant()
    def nothing_is_lost(self) -> None:
        assert len(self.bench.supply) == sum(len(known.urls) for known in self.sites.values())
        assert self.bench.picker.has_errands == any(known.errands for known in self.sites.values())

    @invariant()
    def memory_is_bounded(self) -> None:
        in_memory = sum(len(site.queue) for site in self.bench.sites.values())
        assert self.bench.supply.room == max(0, self.capacity - in_memory)
        put_back = len(SITES)
        assert in_memory <= max(self.capacity, LEAST_SHARE * len(SITES)) + put_back

    def teardown(self) -> None:
        """Everything left is drained, or visited in order; then nothing is remembered."""
        if self.made % 2:
            self.drain_all()
        else:
            self.visit_all()
        assert len(self.bench.supply) == 0
        assert self.bench.supply.room == self.capacity
        assert not list(Path(self._folder.name).iterdir())
        self._folder.cleanup()
        self.desk.close()

    def drain_all(self) -> None:
        assert drained(self.bench) == sorted(
            (url_hash(url), *way_to(url)) for known in self.sites.values() for url, _ in known.urls
        )

    def visit_all(self) -> None:
        for _ in range(10 * self.made + 100):
            while self.picked:
                self.release(0, 1.0, False)
                self.a_site_that_moves_is_left_and_still_rests()
            while self.desk.questions.open:
                self.a_gatekeeper_answers(0, IPS[0], A_LONG_TIME)
            site = self.desk.pick()
            if site is None and self.bench.supply.unpark():
                site = self.desk.pick()
            if site is not None:
                self.visit(site, 1)
            elif (release := self.bench.picker.next_release()) is not None:
                self.desk.now = release
            elif not self.desk.questions.open:
                break
        assert not any(known.urls or known.errands for known in self.sites.values())
        assert not self.bench.sites
        assert not self.desk.leases._servers
        self.desk.carry()
        while (due := self.desk.servers.next_time()) is not None:
            self.desk.now = max(self.now, due)
            self.desk.carry()
        assert not self.desk.servers._gates


class PolitenessToServersToo(Politeness):
    """The same with a delay between two visits to one server."""

    server_delay = 2.0


STEPS = settings(max_examples=150, stateful_step_count=40, deadline=None, derandomize=True)
TestPoliteness = Politeness.TestCase
TestPoliteness.settings = STEPS
TestPolitenessToServersToo = PolitenessToServersToo.TestCase
TestPolitenessToServersToo.settings = STEPS


# a whole crawl, judged by its log alone


class Visit(NamedTuple):
    """A line of the log."""

    site: str
    ip: str
    start: float
    end: float
    url: str


def crawl(desk: Desk, rests: dict[str, float], ips: dict[str, str], connections: int, dice: random.Random,
          server_delay: float) -> list[Visit]:  # fmt: skip
    """Fetch everything; a request takes up to two seconds.  The log is in the order of the starts."""
    bench = desk.bench
    log: list[Visit] = []
    in_flight: list[tuple[float, int, Site]] = []
    while True:
        while len(in_flight) < connections and (site := desk.pick() or (bench.supply.unpark() and desk.pick())):
            entry = bench.picker.next_entry(site)
            assert entry is not None
            end = desk.now + dice.choice([0.0, 0.25, 2.0])
            in_flight.append((end, len(log), site))
            log.append(Visit(site.name, ips[site.name], desk.now, end, entry.url))
        release = bench.picker.next_release() if len(in_flight) < connections else None
        if not in_flight and release is None:
            return log
        ended = min(in_flight, default=None)
        if ended is not None and (release is None or ended[0] <= release):
            in_flight.remove(ended)
            now, _, site = ended
            desk.release(site, now, rest=rests[site.name], server_rest=server_delay)
        else:
            assert release is not None
            assert release > desk.now, "the crawl would spin"
            desk.now = release


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    server_delay=st.sampled_from([0.0, 0.5, 3.0]),
    capacity=st.sampled_from([1, 30, 500]),
    connections=st.sampled_from([1, 3, 50]),
)
def test_the_log_of_a_crawl_shows_every_rest(seed: int, server_delay: float, capacity: int, connections: int) -> None:
    dice = random.Random(seed)
    names = [f"s{number}.example" for number in range(dice.randint(1, 30))]
    rests = {name: dice.choice([0.0, 0.5, 1.0, 4.0]) for name in names}
    ips = {name: f"192.0.2.{dice.randrange(1, 6)}" for name in names}
    urls = [f"http://{dice.choice(names)}/{number}" for number in range(dice.randint(1, 250))]
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder), server_delay=server_delay, capacity=capacity, address_of=ips.__getitem__)
        desk.put(*urls)
        log = crawl(desk, rests, ips, connections, dice, server_delay)
        assert not desk.bench.sites
        assert not desk.leases._servers
        assert not list(Path(folder).iterdir())
        desk.close()
    by_site = {name: [visit for visit in log if visit.site == name] for name in names}
    for name, visits in by_site.items():
        assert [visit.url for visit in visits] == [url for url in urls if f"/{name}/" in url]
        assert all(later.start >= earlier.end + rests[name] for earlier, later in pairwise(visits))
    if server_delay:
        for earlier, later in combinations(log, 2):
            assert earlier.ip != later.ip or later.start >= earlier.end + server_delay


# plain cases, so that a failure above is easily understood


Desks = Callable[..., Desk]


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[Desks]:
    """Makes desks: ``desks(server_delay=1.0)``; every site is on one server, unless ``address_of`` says otherwise."""
    made: list[Desk] = []

    def make(**settings: Any) -> Desk:
        usual: dict[str, Any] = {"server_delay": 2.0, "address_of": lambda _: IPS[0]}
        made.append(Desk(tmp_path, **(usual | settings)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def desk(desks: Desks) -> Desk:
    """One on which every site is a server of its own, which rests two seconds."""
    return desks(address_of=str)


def urls_of(site: str, count: int, start: int = 0) -> list[str]:
    return [f"http://{site}.example/{number}" for number in range(start, start + count)]


def taken(desk: Desk, site: Site) -> str:
    """The next URL of a picked site."""
    entry = desk.bench.picker.next_entry(site)
    assert entry is not None
    return entry.url


def test_a_site_rests_after_a_visit(desk: Desk) -> None:
    desk.put(*urls_of("a", 2))
    site = desk.picked(5.0)
    assert desk.pick(5.0) is None
    assert taken(desk, site) == "http://a.example/0"
    desk.release(site, 6.0, rest=3.0)
    assert desk.pick(8.9) is None
    assert desk.bench.picker.next_release() == 9.0
    assert desk.picked(9.0).name == "a.example"


def test_a_server_rests_whichever_of_its_sites_was_visited(desks: Desks) -> None:
    desk = desks()
    desk.put(*(f"http://{name}.example/{page}" for page in range(3) for name in "ab"))
    for start in (0.0, 2.0, 4.0, 6.0):
        assert desk.bench.picker.next_release() in (None, start)
        assert desk.pick(start - 0.1) is None or start == 0.0
        site = desk.picked(start)
        assert desk.pick(start) is None, "a server is visited by one request at a time"
        taken(desk, site)
        desk.release(site, start, rest=0.5, server_rest=2.0)
    assert desk.bench.picker.next_release() == 8.0


def test_without_a_delay_for_servers_its_sites_are_visited_at_once(desks: Desks) -> None:
    desk = desks(server_delay=0.0)
    desk.put("http://a.example/", "http://b.example/")
    assert {desk.picked(0.0).name, desk.picked(0.0).name} == {"a.example", "b.example"}


def test_what_is_put_back_comes_first(desk: Desk) -> None:
    desk.put(*urls_of("a", 2))
    site = desk.picked(0.0)
    entry = desk.bench.picker.next_entry(site)
    assert entry is not None
    desk.bench.picker.put_back(site, entry._replace(tries=1))
    assert desk.bench.picker.next_entry(site) == entry._replace(tries=1)


def test_one_site_takes_a_fair_share_of_memory_and_the_rest_lies_on_disk(desk: Desk, tmp_path: Path) -> None:
    for start in range(0, 3000, 50):
        desk.put(*urls_of("a", 50, start))
    assert desk.bench.supply.room == 64 - 64 // 4
    assert len(desk.bench.supply) == 3000
    assert list(tmp_path.iterdir())
    desk.put("http://b.example/")
    assert {desk.picked(0.0).name, desk.picked(0.0).name} == {"a.example", "b.example"}


def test_order_is_kept_through_parking(desk: Desk) -> None:
    urls = urls_of("a", 300)
    for start in range(0, 300, 7):
        desk.put(*urls[start : start + 7])
    site = desk.picked(0.0)
    order = []
    while (entry := desk.bench.picker.next_entry(site)) is not None or desk.bench.supply.unpark():
        order += [entry.url] if entry else []
    assert order == urls


def test_parked_urls_wait_until_their_site_has_run_out(desk: Desk) -> None:
    desk.put(*urls_of("a", 100))
    site = desk.picked(0.0)
    for left in range(15, 0, -1):
        taken(desk, site)
        assert len(site.queue) == left
    taken(desk, site)
    assert site.queue[0].url == "http://a.example/16"
    assert len(site.queue) + site.parked == 84
    assert not desk.bench.supply.unpark()


def test_while_the_workbench_is_full_parked_urls_wait_for_room(desk: Desk) -> None:
    desk.put(*urls_of("a", 100))
    site = desk.picked(0.0)
    for name in "bcdefghi":
        desk.put(*urls_of(name, 8))
    while desk.bench.picker.next_entry(site):
        pass
    assert (len(site.queue), site.parked) == (0, 84)
    assert not desk.bench.supply.unpark()
    for _ in "bcdefghi":
        other = desk.picked(0.0)
        while desk.bench.picker.next_entry(other):
            pass
    assert desk.bench.supply.unpark()
    assert site.queue[0].url == "http://a.example/16"


def test_a_site_that_runs_out_with_nothing_parked_brings_nothing_back(desk: Desk) -> None:
    desk.put(*urls_of("a", 100), "http://b.example/")
    first, second = desk.picked(0.0), desk.picked(0.0)
    assert (first.name, second.name) == ("a.example", "b.example")
    taken(desk, second)
    assert not desk.bench.supply.unpark()
    assert len(first.queue) == 16


def test_a_site_with_parked_urls_is_remembered_and_what_comes_later_waits_behind_them(desk: Desk) -> None:
    desk.put(*urls_of("a", 100))
    site = desk.picked(0.0)
    for _ in range(16):
        taken(desk, site)
    desk.release(site, 0.0)
    desk.put("http://a.example/later")
    site = desk.picked(0.0)
    assert [taken(desk, site) for _ in range(85)] == [*urls_of("a", 84, 16), "http://a.example/later"]


def test_a_site_without_urls_that_need_not_rest_is_forgotten_at_once(desk: Desk) -> None:
    desk.put("http://a.example/")
    site = desk.picked(0.0)
    taken(desk, site)
    desk.release(site, 1.0)
    assert desk.pick(1.0) is None
    assert desk.bench.picker.next_release() is None
    assert not desk.bench.sites


def test_what_is_kept_does_not_grow_with_the_visits(desks: Desks) -> None:
    desk = desks()
    for number in range(500):
        desk.put(f"http://a.example/{number}", f"http://b.example/{number}")
        for _ in "ab":
            site = desk.picked(max(desk.now, desk.bench.picker.next_release() or 0.0))
            taken(desk, site)
            desk.release(site, rest=1.0, server_rest=2.0)
    (server,) = desk.leases._servers.values()
    for kept in (desk.leases._agenda._servers, server._resting, server._by_way, server._by_age, server.news):
        assert len(kept) < 100


def test_draining_gives_every_url_once(desk: Desk) -> None:
    urls = [url for name in "abc" for url in urls_of(name, 40)]
    desk.put(*urls)
    assert drained(desk.bench) == sorted((url_hash(url), 0, 0) for url in urls)
    assert len(desk.bench.supply) == 0


def test_both_schemes_of_a_host_are_one_site_and_each_port_is_another(desk: Desk) -> None:
    desk.put("http://a.example/", "https://a.example/", "http://a.example:8080/")
    assert {desk.picked(0.0).name, desk.picked(0.0).name} == {"a.example", "a.example:8080"}
    assert desk.pick(0.0) is None


def test_a_site_that_comes_back_is_still_held_to_its_rest_and_its_servers(desks: Desks) -> None:
    desk = desks(server_delay=5.0)
    desk.put("http://gone.example/1")
    site = desk.picked(0.0)
    taken(desk, site)
    desk.release(site, 0.0, rest=12.0, server_rest=5.0)
    desk.put("http://stays.example/1")
    assert desk.pick(4.9) is None
    held = desk.picked(5.0)
    assert held.name == "stays.example"
    desk.put("http://gone.example/2")
    assert desk.pick(5.0) is None
    taken(desk, held)
    desk.release(held, 6.0, server_rest=5.0)
    assert desk.pick(11.9) is None
    assert desk.picked(12.0).name == "gone.example"


# what gatekeepers say


def test_a_site_is_not_visited_before_its_gatekeeper_has_answered(desks: Desks) -> None:
    desk = desks(address_of=None)
    desk.put("http://a.example/1", "http://a.example/2", "http://b.example/")
    assert list(desk.questions.open) == [Ask("http://a.example", True), Ask("http://b.example", True)]
    assert desk.pick(0.0) is None
    assert desk.bench.picker.next_release() is None
    desk.questions.answer(Ask("http://b.example", True), IPS[0], 0.0)
    assert desk.picked(0.0).name == "b.example"
    assert desk.pick(0.0) is None


def test_every_origin_of_a_site_is_asked_about_when_its_turn_comes(desks: Desks) -> None:
    desk = desks(address_of=None)
    desk.put("http://a.example/1", "https://a.example/2")
    (ask,) = desk.questions.open
    desk.questions.answer(ask, IPS[0], 0.0)
    site = desk.picked(0.0)
    assert taken(desk, site) == "http://a.example/1"
    desk.release(site)
    assert list(desk.questions.open) == [Ask("https://a.example", True)]
    assert desk.pick(50.0) is None
    desk.questions.answer(Ask("https://a.example", True), IPS[0], 50.0)
    assert taken(desk, desk.picked()) == "https://a.example/2"


def test_what_is_out_of_date_is_asked_again(desks: Desks) -> None:
    desk = desks(address_of=None)
    desk.put("http://a.example/1", "http://a.example/2")
    ask = Ask("http://a.example", True)
    desk.questions.answer(ask, IPS[0], 0.0, seconds=10.0)
    desk.carry()
    assert desk.bench.knowledge.facts_of(ask.origin) is not None
    desk.now = 10.0
    assert desk.bench.knowledge.facts_of(ask.origin) is None
    site = desk.picked()
    entry = desk.bench.picker.next_entry(site)
    assert entry is not None
    desk.bench.picker.put_back(site, entry)
    desk.release(site)
    assert list(desk.questions.open) == [ask]
    assert desk.pick() is None
    desk.questions.answer(ask, IPS[0], 10.0)
    assert taken(desk, desk.picked()) == "http://a.example/1"


def test_a_robots_txt_goes_before_pages_and_needs_only_an_address(desks: Desks) -> None:
    desk = desks(address_of=None)
    desk.put("http://a.example/1")
    errand = Errand("http://b.example", "http://a.example/robots.txt")
    desk.bench.picker.run_errand(errand)
    desk.carry()
    assert list(desk.questions.open) == [Ask("http://a.example", True), Ask("http://a.example", False)]
    assert len(desk.bench.supply) == 1
    assert desk.bench.picker.has_errands
    desk.questions.answer(Ask("http://a.example", False), IPS[0], 0.0)
    site = desk.picked(0.0)
    assert desk.bench.picker.next_errand(site) == errand
    assert desk.bench.picker.next_errand(site) is None
    assert not desk.bench.picker.has_errands
    desk.bench.picker.put_back_errand(site, errand)
    assert desk.bench.picker.next_errand(site) == errand
    desk.release(site)
    assert desk.pick(50.0) is None, "the rules are not known"
    desk.questions.answer(Ask("http://a.example", True), IPS[0], 50.0)
    assert taken(desk, desk.picked()) == "http://a.example/1"


def test_what_has_no_address_is_given_up_with_the_reason(desks: Desks) -> None:
    desk = desks(address_of=None)
    desk.put("http://a.example/1", "http://b.example/", "http://a.example/2", "https://a.example/3")
    errand = Errand("http://a.example", "http://a.example/robots.txt")
    desk.bench.picker.run_errand(errand)
    desk.carry()
    desk.questions.refuse("http://a.example", "internal-address")
    desk.carry()
    assert len(desk.bench.supply) == 4
    assert [(item.url, error) for item, error in desk.bench.picker.hopeless()] == [
        ("http://a.example/robots.txt", "internal-address"),
        ("http://a.example/1", "internal-address"),
        ("http://a.example/2", "internal-address"),
    ]
    assert len(desk.bench.supply) == 2
    assert not desk.bench.picker.has_errands
    assert not list(desk.bench.picker.hopeless())
    assert Ask("https://a.example", True) in desk.questions.open


def test_parked_urls_of_a_site_without_an_address_are_given_up_too(desks: Desks) -> None:
    desk = desks(address_of=None)
    desk.put(*urls_of("a", 50))
    given_up = 0
    for _ in range(10):
        desk.carry()
        if desk.questions.open:
            desk.questions.refuse("http://a.example", "dns")
        desk.carry()
        given_up += len(list(desk.bench.picker.hopeless()))
        desk.bench.supply.unpark()
    assert given_up == 50
    assert len(desk.bench.supply) == 0
    assert not desk.bench.sites


def test_a_site_whose_address_changes_is_left_and_rests_at_the_new_one_too(desks: Desks) -> None:
    desk = desks(address_of=None)
    desk.put(*urls_of("a", 3))
    ask = Ask("http://a.example", True)
    desk.questions.answer(ask, IPS[0], 0.0)
    site = desk.picked(0.0)
    taken(desk, site)
    desk.questions.move("a.example")
    desk.carry()
    assert not desk.questions.left, "it is being visited"
    desk.release(site, 1.0, rest=7.0, server_rest=2.0)
    assert [(message.site, message.rest) for message in desk.questions.left] == [("a.example", 7.0)]
    assert list(desk.questions.open) == [ask]
    desk.now = 2.0
    desk.questions.answer(ask, IPS[1], 2.0)
    desk.carry()
    assert desk.pick(7.9) is None
    assert taken(desk, desk.picked(8.0)) == "http://a.example/1"
    assert desk.bench.knowledge.facts_of(ask.origin) is not None


def test_a_site_whose_address_changed_still_rests(desks: Desks) -> None:
    desk = desks(address_of=None)
    desk.put("http://a.example/1")
    ask = Ask("http://a.example", True)
    desk.questions.answer(ask, IPS[0], 0.0)
    site = desk.picked(0.0)
    taken(desk, site)
    desk.questions.move("a.example")
    desk.carry()
    desk.release(site, 1.0, rest=7.0, server_rest=2.0)
    desk.put("http://a.example/2")
    desk.questions.answer(ask, IPS[1], 1.0)
    desk.carry()
    assert desk.pick(7.9) is None
    assert taken(desk, desk.picked(8.0)) == "http://a.example/2"
