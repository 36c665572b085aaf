"""Shares of the workbench, against a plain list of what was put: nothing is lost, and sites' URLs keep their order."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.fetching.server_shares import Shares
from crawler.fetching.site_table import SiteTable
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.entry import Entry
from crawler.politeness.site import OUTSIDE, Share, Site
from sessions.url import origin_of, site_of, url_hash
from tests.crawler.support.farm import FARM_SERVER, FarmRace
from tests.crawler.support.single_rank_workbench import A_LONG_TIME, Desk

DOMAINS = ("one.example", "two.example", "three.example")
IPS = ("192.0.2.1", "192.0.2.2", "192.0.2.3")


class Crowd:
    """Hosts of a few domains on a few servers, of which each may have ``most_sites`` here; events come in any order.

    ``urls`` are those that wait, by site.  Facts hold for ``seconds``, so some are out of date when URLs come back.
    """

    def __init__(self, folder: Path, dice: random.Random, most_sites: int, seconds: float, server_delay: float) -> None:
        self.dice = dice
        self.most_sites = most_sites
        self.seconds = seconds
        self.server_delay = server_delay
        self.hosts = [f"h{number}.{dice.choice(DOMAINS)}" for number in range(dice.randint(1, 24))]
        self.ips = {host: dice.choice(IPS) for host in self.hosts}
        self.gone = {host for host in self.hosts if dice.random() < 0.1}
        capacity = dice.choice([4, 64])
        self.desk = Desk(folder, server_delay=server_delay, capacity=capacity, most_sites=most_sites)
        self.urls: dict[str, list[str]] = defaultdict(list)
        self.made = 0

    def put(self) -> None:
        """URLs are found."""
        batch = []
        for _ in range(self.dice.randint(1, 30)):
            self.made += 1
            host = self.dice.choice(self.hosts)
            batch.append(f"http://{host}/{self.made}")
            self.urls[host].append(batch[-1])
        self.desk.put(*batch)

    def answer(self) -> None:
        """A gatekeeper says where a site is, or that it is nowhere."""
        questions = list(self.desk.questions.open)
        if questions:
            ask = self.dice.choice(questions)
            host = site_of(f"{ask.origin}/")
            if host in self.gone:
                self.desk.questions.refuse(ask.origin, "dns")
            else:
                self.desk.questions.answer(ask, self.ips[host], self.desk.now, self.seconds)
            self.desk.carry()
            for entry, _ in self.desk.bench.picker.hopeless():
                assert self.urls[site_of(entry.url)].pop(0) == entry.url

    def visit(self) -> None:
        """A site that may be visited is; it takes some of its URLs."""
        desk = self.desk
        site = desk.pick() or (desk.bench.supply.unpark() and desk.pick())
        if not site:
            return
        for _ in range(self.dice.randint(1, 5)):
            entry = desk.bench.picker.next_entry(site)
            if entry is None:
                break
            if desk.bench.knowledge.facts_of(origin_of(entry.url)) is None:
                desk.bench.picker.put_back(site, entry)
                break
            assert self.urls[site.name][0] == entry.url, "order within a site"
            if self.dice.random() < 0.1:
                desk.bench.picker.put_back(site, entry._replace(tries=entry.tries + 1))
                break
            self.urls[site.name].pop(0)
        desk.release(site, rest=self.dice.choice([0.0, 1.0]), server_rest=self.server_delay)

    def move(self) -> None:
        """The address of a site is looked for again; it is the same."""
        self.desk.questions.move(self.dice.choice(self.hosts))
        self.desk.carry()

    def check(self) -> None:
        """Nothing is lost, and nobody has more than his share."""
        bench = self.desk.bench
        assert len(bench.supply) == sum(map(len, self.urls.values()))
        assert bench.room.waiting == sum(len(site.queue) for site in bench.sites.values())
        sites: dict[int, int] = defaultdict(int)
        for site in bench.sites.values():
            assert site.parked == (len(site.backlog) if site.backlog is not None else 0)
            if site.share is not OUTSIDE:
                sites[id(site.share)] += 1
                assert site.share.sites <= self.most_sites
        for share in (*bench.shares._servers.values(), *bench.shares._domains.values()):
            assert share.sites == sites[id(share)]
            assert share.is_open == (not share.backlog)
            assert share.sites or share.backlog or share.is_listed, "what has nothing is forgotten"

    def finish(self) -> None:
        """All is visited, or drained."""
        if self.dice.random() < 0.3:
            left = [int(value) for columns in self.desk.bench.supply.drain() for value in columns[0]]
            assert sorted(left) == sorted(url_hash(url) for urls in self.urls.values() for url in urls)
            return
        self.seconds = A_LONG_TIME
        for _ in range(60 * self.made + 300):
            if not any(self.urls.values()):
                break
            self.answer()
            self.visit()
            self.desk.now += 0.5
        assert not any(self.urls.values()), "a site waits for ever"
        for _ in range(100):
            self.answer()
            self.visit()
            self.desk.now += 0.5
        assert not self.desk.bench.sites
        assert not len(self.desk.bench.shares)
        assert not self.desk.bench.shares._awaiting
        assert not self.desk.bench.backlogs.queues


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32),
    most_sites=st.sampled_from([1, 2, 5]),
    seconds=st.sampled_from([3.0, A_LONG_TIME]),
    server_delay=st.sampled_from([0.0, 1.0]),
)
def test_nothing_is_lost_and_order_is_kept_however_crowded_it_is(
    seed: int, most_sites: int, seconds: float, server_delay: float
) -> None:
    dice = random.Random(seed)
    with TemporaryDirectory() as folder:
        crowd = Crowd(Path(folder), dice, most_sites, seconds, server_delay)
        for _ in range(dice.randint(1, 80)):
            step = dice.choice([crowd.put, crowd.answer, crowd.answer, crowd.visit, crowd.visit, crowd.visit])
            (crowd.move if dice.random() < 0.03 else step)()
            crowd.check()
            crowd.desk.now += dice.choice([0.0, 0.5, 2.0])
        crowd.finish()
        assert not list(Path(folder).iterdir())
        crowd.desk.close()


@pytest.mark.parametrize("domains", [1, 2000])
def test_a_farm_starves_nobody(domains: int, tmp_path: Path) -> None:
    """Its 2,000 hosts would fill the workbench, its URLs stand before all others, and each page brings 120 more."""
    race = FarmRace(tmp_path, 2000, 60_000, 6000, others=10, domains=domains, capacity=4096)
    race.run(6.0)
    assert race.longest_wait < 0.1
    assert race.visits_of_others >= 10 * 6.0 / 0.055
    assert race.visits_of_farm >= 0.9 * 6.0 / 0.011
    assert race.most_sites <= 10 + 2 * 32
    race.close()
    assert race.longest_wait < 0.1


def test_hosts_of_one_server_are_looked_up_only_some_at_a_time(tmp_path: Path) -> None:
    desk = Desk(tmp_path, server_delay=1.0, capacity=4096, most_sites=8, address_of=None)
    desk.put(*(f"http://h{number}.farm.example/" for number in range(500)))
    robots = 0
    for _ in range(300):
        assert len(desk.questions.open) <= 8
        for ask in list(desk.questions.open):
            robots += ask.robots
            desk.questions.answer(ask, FARM_SERVER, desk.now)
        desk.carry()
        desk.bench.supply.unpark()
        assert len(desk.bench.sites) <= 2 * 8
    assert robots <= 2 * 8, "nobody asks for the robots.txt of a host that is far from its turn"
    assert len(desk.bench.supply) == 500
    desk.close()


def visited(desk: Desk, seconds: float, rest_of: Callable[[str], float], server_rest: float) -> Counter[str]:
    """Visits by site within so many seconds of a workbench's time; a site that rests an hour keeps its URL."""
    visits: Counter[str] = Counter()
    while desk.now < seconds:
        site = desk.pick()
        if site is None:
            desk.bench.supply.unpark()
            site = desk.pick()
        if site is None:
            due = desk.bench.picker.next_release()
            if due is None:
                return visits
            desk.now = max(desk.now, due)
            continue
        entry, rest = desk.bench.picker.next_entry(site), rest_of(site.name)
        if entry is not None:
            visits[site.name] += 1
            if rest >= 3600:
                desk.bench.picker.put_back(site, entry)
        desk.release(site, rest=rest, server_rest=server_rest)
    return visits


def test_sites_that_rest_for_long_leave_room_for_others_of_their_server(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path, server_delay=1.0, capacity=1 << 14, most_sites=32, address_of=lambda _: "192.0.2.1", memory=1 << 24
    )
    desk.put(*(f"http://busy{number}.example{number}.test/" for number in range(40)))
    desk.put(*(f"http://good{number}.other{number}.test/{page}" for number in range(10) for page in range(5)))
    visits = visited(desk, 1000.0, lambda name: 3600.0 if name.startswith("busy") else 1.0, 1.0)
    assert sum(count for name, count in visits.items() if name.startswith("good")) == 50
    desk.close()


def test_parked_urls_come_back_though_the_workbench_is_half_full_of_sites_that_rest(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path,
        server_delay=0.1,
        capacity=1 << 11,
        most_sites=32,
        address_of=lambda name: f"192.0.2.{int(name.split('.')[0][1:])}",
        memory=1 << 24,
    )
    desk.put(*(f"http://s0.fast.test/{page}" for page in range(5000)))
    desk.bench.supply.unpark()
    desk.put(*(f"http://s{number}.slow{number}.test/{page}" for number in range(1, 160) for page in range(8)))
    visits = visited(desk, 2000.0, lambda name: 0.1 if name == "s0.fast.test" else 3600.0, 0.1)
    assert visits["s0.fast.test"] == 5000
    desk.close()


def test_all_backlogs_in_which_a_site_waits_are_looked_at_when_it_has_left() -> None:
    sites = SiteTable()
    with TemporaryDirectory() as folder:
        shares = Shares(sites, Backlogs(Path(folder), 1 << 20), lambda *_: None, most_sites=1)
        site = sites["a.test"] = Site("a.test")
        site.share = Share("a.test", is_server=False)
        site.share.sites = 1
        entry = Entry("http://a.test/", 1)
        servers = [Share(f"192.0.2.{number}", is_server=True) for number in range(2)]
        for server in servers:
            shares._put_by(server, entry)
            assert not shares._may_be_read(server, entry)
        shares.leave(site)
        assert all(server.is_listed for server in servers)
