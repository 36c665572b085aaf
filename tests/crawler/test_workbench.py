"""The workbench under a simulated clock: any order of events, against a plain model of what politeness demands."""

import random
from collections import deque
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from crawler import workbench as module
from crawler.urlqueue import UrlQueue
from crawler.workbench import Entry, Site, Workbench
from sessions.url import url_hash
from tests.crawler.batches import batch_of

SITES = [f"s{number}.example" for number in range(6)]
LEAST_SHARE = 8


@dataclass
class Known:
    """What the model knows of a site: its URLs in order with their tries, when it may be visited, where it is."""

    urls: deque[tuple[str, int]] = field(default_factory=deque)
    rests_until: float = 0.0
    ip: str = ""


class Politeness(RuleBasedStateMachine):
    """Rules are what a rank does; after each, what must hold is compared with the model."""

    server_delay = 0.0

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.capacity = 32
        self.bench = Workbench(
            UrlQueue(Path(self._folder.name), "parked", 8), server_delay=self.server_delay, capacity=self.capacity
        )
        self.now = 100.0
        self.sites = {name: Known() for name in SITES}
        self.servers: dict[str, float] = {}
        self.picked: dict[str, tuple[Site, list[tuple[Entry, str]]]] = {}
        self.made = 0

    # what a rank does

    @rule(names=st.lists(st.sampled_from(SITES), min_size=1, max_size=8), repeat=st.sampled_from([1, 1, 2, 5]))
    def put(self, names: list[str], repeat: int) -> None:
        urls = []
        for name in names * repeat:
            self.made += 1
            urls.append(f"http://{name}/{self.made}")
            self.sites[name].urls.append((urls[-1], 0))
        self.bench.put(batch_of(urls))

    @rule(seconds=st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0, 20.0]))
    def time_goes_by(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def sleep_until_the_next_release(self) -> None:
        release = self.bench.next_release()
        held = self.held()
        times = [
            self.ready_at(known)
            for name, known in self.sites.items()
            if name not in self.picked and known.ip not in held and self.waits_for_its_time(name)
        ]
        assert release == min(times, default=None)
        if release is not None:
            self.now = max(self.now, release)

    @rule(takes=st.sampled_from([0, 1, 1, 1, 3, 100]))
    def pick(self, takes: int) -> None:
        site = self.bench.pick(self.now)
        if site is None and self.bench.unpark():
            site = self.bench.pick(self.now)
        if site is None:
            self.nothing_is_withheld()
        else:
            self.visit(site, takes)

    @rule(takes=st.sampled_from([1, 2]))
    def pick_without_unparking(self, takes: int) -> None:
        site = self.bench.pick(self.now)
        if site is not None:
            self.visit(site, takes)

    @precondition(lambda self: self.picked)
    @rule(
        which=st.integers(0, 5),
        rest=st.sampled_from([0.0, 0.5, 1.0, 7.0]),
        ip=st.sampled_from(["", "192.0.2.1", "192.0.2.1", "192.0.2.2"]),
        puts_back=st.booleans(),
    )
    def release(self, which: int, rest: float, ip: str, puts_back: bool) -> None:
        name = list(self.picked)[which % len(self.picked)]
        site, taken = self.picked.pop(name)
        known = self.sites[name]
        if puts_back and taken:
            entry, _ = taken.pop()
            self.bench.put_back(site, entry._replace(tries=entry.tries + 1))
            known.urls.appendleft((entry.url, entry.tries + 1))
        self.bench.release(site, self.now, rest=rest, ip=ip)
        known.rests_until = self.now + rest
        known.ip = ip or known.ip
        if ip:
            self.servers[ip] = max(self.servers.get(ip, 0.0), self.now + self.server_delay)

    # what must hold

    def visit(self, site: Site, takes: int) -> None:
        known = self.sites[site.name]
        assert site.name not in self.picked, "two visits to a site at once"
        assert known.urls, "a site without URLs was picked"
        assert self.now >= known.rests_until, "a site was not left to rest"
        if self.server_delay and known.ip:
            assert self.now >= self.servers[known.ip], "a server was not left to rest"
            assert known.ip not in self.held(), "two visits to a server at once"
        taken = []
        for _ in range(takes):
            entry = self.bench.next_entry(site)
            if entry is None:
                break
            url, tries = known.urls.popleft()
            assert entry == Entry(url, url_hash(url), tries), "order within a site"
            taken.append((entry, url))
        assert takes == 0 or taken, "a site was picked that had all its URLs parked"
        self.picked[site.name] = (site, taken)

    def held(self) -> set[str]:
        """The servers that are being visited, as far as their sites' addresses are known."""
        return {self.sites[name].ip for name in self.picked} - {""} if self.server_delay else set()

    def ready_at(self, known: Known) -> float:
        return max(known.rests_until, self.servers.get(known.ip, 0.0)) if self.server_delay else known.rests_until

    def waits_for_its_time(self, name: str) -> bool:
        """Has the site URLs that are not parked, or nothing left but its rest?"""
        site = self.bench._sites.get(name)
        return site is not None and bool(site.queue or site.is_resting)

    def nothing_is_withheld(self) -> None:
        """No site that has URLs could be visited; and the workbench knows to the instant when one can be."""
        held = self.held()
        free = [known for name, known in self.sites.items() if name not in self.picked and known.ip not in held]
        assert not [known for known in free if known.urls and self.ready_at(known) <= self.now]
        times = [self.ready_at(known) for known in free if self.ready_at(known) > self.now]
        assert self.bench.next_release() == min(times, default=None)

    @invariant()
    def only_what_has_rested_is_forgotten(self) -> None:
        """A site that the workbench has dropped comes back as a new one, whose server is not known."""
        for name, known in self.sites.items():
            if name not in self.bench._sites:
                assert not known.urls
                assert name not in self.picked
                assert self.ready_at(known) <= self.now
                known.ip, known.rests_until = "", 0.0

    @invariant()
    def nothing_is_lost(self) -> None:
        assert len(self.bench) == sum(len(known.urls) for known in self.sites.values())

    @invariant()
    def memory_is_bounded(self) -> None:
        in_memory = sum(len(site.queue) for site in self.bench._sites.values())
        assert self.bench.room == self.capacity - in_memory
        put_back = len(SITES)
        assert in_memory <= max(self.capacity, LEAST_SHARE * len(SITES)) + put_back

    def teardown(self) -> None:
        """Everything left is drained, or visited in order; then nothing is remembered."""
        if self.made % 2:
            self.drain_all()
        else:
            self.visit_all()
        assert len(self.bench) == 0
        assert self.bench.room == self.capacity
        assert not list(Path(self._folder.name).iterdir())
        self._folder.cleanup()

    def drain_all(self) -> None:
        drained = [url_hash for hashes in self.bench.drain() for url_hash in hashes.tolist()]
        assert sorted(drained) == sorted(url_hash(url) for known in self.sites.values() for url, _ in known.urls)
        assert self.bench.pick(self.now + 1000.0) is None

    def visit_all(self) -> None:
        for name in list(self.picked):
            self.release(list(self.picked).index(name), 1.0, "192.0.2.1", False)
        for _ in range(10 * self.made + 100):
            site = self.bench.pick(self.now)
            if site is None and self.bench.unpark():
                site = self.bench.pick(self.now)
            if site is not None:
                self.visit(site, 1)
                self.release(0, 1.0, "192.0.2.1", False)
            elif (release := self.bench.next_release()) is not None:
                self.now = release
            else:
                break
        assert not any(known.urls for known in self.sites.values())
        assert not self.bench._sites
        assert not self.bench._servers
        assert not self.bench._ready


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


def crawl(bench: Workbench, rests: dict[str, float], ips: dict[str, str], connections: int, seed: int) -> list[Visit]:
    """Fetch everything; a request takes up to two seconds.  The log is in the order of the starts."""
    dice = random.Random(seed)
    log: list[Visit] = []
    in_flight: list[tuple[float, int, Site]] = []
    now = 0.0
    while True:
        while len(in_flight) < connections and (site := bench.pick(now) or (bench.unpark() and bench.pick(now))):
            entry = bench.next_entry(site)
            assert entry is not None
            end = now + dice.choice([0.0, 0.25, 2.0])
            in_flight.append((end, len(log), site))
            log.append(Visit(site.name, ips[site.name], now, end, entry.url))
        release = bench.next_release() if len(in_flight) < connections else None
        if not in_flight and release is None:
            return log
        ended = min(in_flight, default=None)
        if ended is not None and (release is None or ended[0] <= release):
            in_flight.remove(ended)
            now, number, site = ended
            bench.release(site, now, rest=rests[site.name], ip=log[number].ip)
        else:
            assert release is not None
            assert release > now, "the crawl would spin"
            now = release


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
        bench = Workbench(UrlQueue(Path(folder), "parked", 8), server_delay=server_delay, capacity=capacity)
        bench.put(batch_of(urls))
        log = crawl(bench, rests, ips, connections, seed)
        assert not bench._sites
        assert not bench._servers
        assert not list(Path(folder).iterdir())
    by_site = {name: [visit for visit in log if visit.site == name] for name in names}
    for name, visits in by_site.items():
        assert [visit.url for visit in visits] == [url for url in urls if f"/{name}/" in url]
        assert all(later.start >= earlier.end + rests[name] for earlier, later in pairwise(visits))
    if server_delay:
        firsts = {visits[0].url for visits in by_site.values() if visits}
        for earlier, later in combinations(log, 2):
            # Where a site lies is known from its first visit on.
            if (
                earlier.ip == later.ip
                and later.url not in firsts
                and (earlier.url not in firsts or earlier.end <= later.start)
            ):
                assert later.start >= earlier.end + server_delay


# plain cases, so that a failure above is easily understood


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(UrlQueue(tmp_path, "parked", 100), server_delay=2.0, capacity=64)


def put(bench: Workbench, *urls: str) -> None:
    bench.put(batch_of(urls))


def picked(bench: Workbench, now: float) -> Site:
    site = bench.pick(now)
    assert site is not None
    return site


def test_a_site_rests_after_a_visit(bench: Workbench) -> None:
    put(bench, "http://a.example/1", "http://a.example/2")
    site = picked(bench, 5.0)
    assert bench.pick(5.0) is None
    entry = bench.next_entry(site)
    assert entry is not None
    assert entry.url == "http://a.example/1"
    bench.release(site, 6.0, rest=3.0)
    assert bench.pick(8.9) is None
    assert bench.next_release() == 9.0
    assert picked(bench, 9.0).name == "a.example"


def test_a_server_rests_whichever_of_its_sites_was_visited(bench: Workbench) -> None:
    put(bench, *(f"http://{name}.example/{page}" for page in range(3) for name in "ab"))
    for _ in "ab":
        site = picked(bench, 0.0)
        bench.next_entry(site)
        bench.release(site, 0.0, rest=0.5, ip="192.0.2.1")
    assert bench.next_release() == 2.0
    site = picked(bench, 2.0)
    assert bench.pick(50.0) is None, "a server is visited by one request at a time"
    bench.release(site, 60.0, ip="192.0.2.1")
    assert bench.next_release() == 62.0


def test_what_is_put_back_comes_first(bench: Workbench) -> None:
    put(bench, "http://a.example/1", "http://a.example/2")
    site = picked(bench, 0.0)
    entry = bench.next_entry(site)
    assert entry is not None
    bench.put_back(site, entry._replace(tries=1))
    assert bench.next_entry(site) == entry._replace(tries=1)


def test_one_site_takes_a_fair_share_of_memory_and_the_rest_lies_on_disk(bench: Workbench, tmp_path: Path) -> None:
    for start in range(0, 5000, 50):
        put(bench, *(f"http://a.example/{number}" for number in range(start, start + 50)))
    assert bench.room == 64 - 64 // 4
    assert len(bench) == 5000
    assert list(tmp_path.iterdir())
    put(bench, "http://b.example/")
    assert {picked(bench, 0.0).name, picked(bench, 0.0).name} == {"a.example", "b.example"}


@pytest.mark.parametrize("batch", [3, 4096])
def test_order_is_kept_through_parking(bench: Workbench, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BATCH", batch)
    urls = [f"http://a.example/{number}" for number in range(300)]
    for start in range(0, 300, 7):
        put(bench, *urls[start : start + 7])
    site = picked(bench, 0.0)
    order = []
    while (entry := bench.next_entry(site)) is not None or bench.unpark():
        order += [entry.url] if entry else []
    assert order == urls


def test_parked_urls_wait_until_their_site_has_run_out(bench: Workbench) -> None:
    put(bench, *(f"http://a.example/{number}" for number in range(100)))
    assert not bench.unpark()
    site = picked(bench, 0.0)
    for _ in range(15):
        bench.next_entry(site)
        assert not bench.unpark()
    bench.next_entry(site)
    assert not site.queue
    assert bench.unpark()
    assert site.queue
    assert not bench.unpark()


def test_a_site_that_runs_out_with_nothing_parked_brings_nothing_back(bench: Workbench) -> None:
    put(bench, *(f"http://a.example/{number}" for number in range(100)), "http://b.example/")
    first, second = picked(bench, 0.0), picked(bench, 0.0)
    assert second.name == "b.example"
    bench.next_entry(second)
    assert not bench.unpark()
    assert len(first.queue) == 16


def test_a_site_with_parked_urls_is_remembered_and_what_comes_later_waits_behind_them(bench: Workbench) -> None:
    put(bench, *(f"http://a.example/{number}" for number in range(100)))
    site = picked(bench, 0.0)
    while bench.next_entry(site):
        pass
    bench.release(site, 0.0)
    assert bench.pick(0.0) is None
    put(bench, "http://a.example/later")
    assert bench.pick(0.0) is None
    order = []
    while bench.unpark():
        site = picked(bench, 0.0)
        while entry := bench.next_entry(site):
            order.append(entry.url)
        bench.release(site, 0.0)
    assert order == [*(f"http://a.example/{number}" for number in range(16, 100)), "http://a.example/later"]


def test_a_site_without_urls_that_need_not_rest_is_forgotten_at_once(bench: Workbench) -> None:
    put(bench, "http://a.example/")
    site = picked(bench, 0.0)
    bench.next_entry(site)
    bench.release(site, 1.0)
    assert bench.next_release() is None
    assert not bench._sites


def test_the_heap_of_servers_does_not_grow_with_the_visits(bench: Workbench) -> None:
    now = 0.0
    for number in range(500):
        put(bench, f"http://a.example/{number}", f"http://b.example/{number}")
        for _ in "ab":
            now = max(now, bench.next_release() or 0.0)
            site = picked(bench, now)
            bench.next_entry(site)
            bench.release(site, now, rest=1.0, ip="192.0.2.1")
    assert len(bench._ready) < 10


def test_draining_gives_every_url_once(bench: Workbench) -> None:
    urls = [f"http://{name}.example/{number}" for name in "abc" for number in range(40)]
    put(bench, *urls)
    hashes = [url_hash for part in bench.drain() for url_hash in part.tolist()]
    assert sorted(hashes) == sorted(map(url_hash, urls))
    assert len(bench) == 0


def test_both_schemes_of_a_host_are_one_site_and_each_port_is_another(bench: Workbench) -> None:
    put(bench, "http://a.example/", "https://a.example/", "http://a.example:8080/")
    assert {picked(bench, 0.0).name, picked(bench, 0.0).name} == {"a.example", "a.example:8080"}
    assert bench.pick(0.0) is None


def test_a_site_that_comes_back_is_still_held_to_its_servers_rest(tmp_path: Path) -> None:
    bench = Workbench(UrlQueue(tmp_path, "parked", 64), server_delay=5.0)
    put(bench, "http://gone.example/1", "http://stays.example/1", "http://stays.example/2")
    for name in ("gone.example", "stays.example"):
        site = picked(bench, 0.0)
        assert site.name == name
        bench.next_entry(site)
        bench.release(site, 0.0, ip="192.0.2.1")
    assert bench.pick(4.9) is None
    held = picked(bench, 5.0)
    assert held.name == "stays.example"
    put(bench, "http://gone.example/2")
    assert bench.pick(5.0) is None, "its server is being visited"
    bench.next_entry(held)
    bench.release(held, 6.0, ip="192.0.2.1")
    assert bench.pick(10.9) is None
    assert picked(bench, 11.0).name == "gone.example"
