"""The gatekeeper of sites with few sites in memory and the cache behind it: no robots.txt is asked for too soon."""

import random
from collections import deque
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.network.web import Endpoint, Found, Lookup
from crawler.politeness.entry import Errand
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Ask, Facts, Forget, Forgotten, Message
from crawler.politeness.robots.rules import ALLOW_ALL, Rules
from crawler.politeness.robots_cache import RobotsCache
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from tests.crawler.politeness.support.robots_on_disk import robots_cache

ORIGINS = [f"{scheme}://{name}.example" for name in "abcde" for scheme in ("http", "https")]
RANKS = 3
FIRST = Endpoint("192.0.2.1", 80)
_MOST_STEPS = 10_000


def some_rules(dice: random.Random) -> Rules:
    seconds = dice.choice([0.0, 5.0, 60.0, 900.0])
    if dice.random() < 0.3:
        return Rules(unreachable="robots-503", status=503, seconds=seconds)
    packed = dice.randbytes(dice.choice([0, 3, 2000]))
    return Rules(packed, dice.choice([0.0, 7.5]), ("http://a.example/map.xml",), status=200, seconds=seconds)


class World(Mailbox):
    """All that a gatekeeper has to do with, and what is known to be true of each origin.

    ``until`` is when its robots.txt may be asked for again, ``learnt`` what it said last.
    """

    def __init__(self, seed: int, cache: RobotsCache, *, most_sites: int, most_bytes: int) -> None:
        self.dice = random.Random(seed)
        self.now = self.dice.choice([-7.0, 0.0, 1e6])
        self.rank, self.ranks = 0, RANKS
        self.leaving: deque[tuple[int, str]] = deque()
        self.lookups: list[Lookup] = []
        self.errands: list[Errand] = []
        self.under_way: set[str] = set()
        self.until: dict[str, float] = {}
        self.learnt: dict[str, Rules] = {}
        self.failures: dict[str, list[float]] = {}
        self.waiting: set[tuple[int, str, bool]] = set()
        self.requests = 0
        self.keeper = SiteGatekeeper(
            self,
            cast(Any, self),
            self.run_errand,
            by_address=True,
            cache=cache,
            most_sites=most_sites,
            most_bytes=most_bytes,
        )

    def look_up(self, lookup: Lookup) -> None:
        self.lookups.append(lookup)

    def run_errand(self, errand: Errand) -> None:
        self.errands.append(errand)
        if errand.redirects:
            return
        assert errand.origin not in self.under_way
        assert self.now >= self.until.get(errand.origin, self.now), "its rules still hold"
        self.under_way.add(errand.origin)
        self.requests += 1

    def step(self) -> None:
        """Something happens."""
        self.now += self.dice.choices([0.0, 0.1, 1.0, 100.0], [50, 20, 20, 1])[0]
        act = self.dice.choice([self.ask, self.answer_lookup, self.answer_errand, self.leave])
        act()
        if self.dice.random() < 0.1:
            self.keeper.wake(self.now)
        if self.dice.random() < 0.05:
            self.keeper.flush(self.now)

    def ask(self) -> None:
        question = rank, origin, robots = (
            self.dice.randrange(RANKS),
            self.dice.choice(ORIGINS),
            self.dice.random() < 0.8,
        )
        if question not in self.waiting:
            self.waiting.add(question)
            self.keeper.asked(rank, Ask(origin, robots), self.now)

    def answer_lookup(self) -> None:
        if not self.lookups:
            return
        lookup = self.lookups.pop(self.dice.randrange(len(self.lookups)))
        if self.dice.random() < 0.1:
            found = Found(lookup, (), "dns", self.dice.choice([1.0, 300.0]))
        else:
            endpoint = Endpoint(f"192.0.2.{self.dice.choice([1, 1, 1, 2])}", 80)
            found = Found(lookup, (endpoint,), "", self.dice.choice([1.0, 300.0]))
        self.keeper.found(found, self.now)

    def answer_errand(self) -> None:
        if not self.errands:
            return
        errand = self.errands.pop(self.dice.randrange(len(self.errands)))
        fate = self.dice.random()
        if fate < 0.2 and errand.redirects < 5:
            elsewhere = Errand(errand.origin, "http://elsewhere.example/robots.txt", errand.redirects + 1)
            self.keeper.run_later(elsewhere, self.now + self.dice.choice([0.0, 3.0]))
            return
        rules = some_rules(self.dice)
        if rules.unreachable:
            failures = self.failures.setdefault(errand.origin, [])
            _, rounds, outage = self.keeper.robots_failed(errand.origin, self.now)
            assert rounds == len(failures)
            assert outage == (self.now - failures[0] if failures else 0.0)
            failures.append(self.now)
        else:
            self.failures.pop(errand.origin, None)
        last = self.keeper.last_rules(errand.origin)
        learnt = self.learnt.get(errand.origin)
        assert (last and last.without_sitemaps()) == (learnt and learnt.without_sitemaps())
        self.bring(errand.origin, rules)

    def bring(self, origin: str, rules: Rules) -> None:
        """A robots.txt has come."""
        self.under_way.discard(origin)
        self.learnt[origin] = rules
        self.until[origin] = self.now + max(1.0, rules.seconds)
        self.keeper.robots_known(origin, rules, self.now)

    def wait_for(self, origin: str) -> None:
        """A rank asks for the rules of an origin, and all that can be answered is, but for its robots.txt."""
        self.keeper.asked(0, Ask(origin, True), self.now)
        while self.lookups:
            self.keeper.found(Found(self.lookups.pop(), (FIRST,), "", 300.0), self.now)
        self.keeper.flush(self.now)
        while self.leaving:
            self.leave()

    def learn(self, origin: str, rules: Rules) -> None:
        """A rank asks for the rules of an origin, and gets them."""
        self.wait_for(origin)
        assert self.errands.pop().origin == origin
        self.bring(origin, rules)

    def send(self, rank: int, message: Message) -> None:
        """What the gatekeeper says is true when it says it."""
        if isinstance(message, Forget):
            self.leaving.append((rank, message.site))
            return
        assert isinstance(message, Facts)
        if message.error:
            self.waiting -= {(rank, message.origin, True), (rank, message.origin, False)}
            return
        self.waiting.discard((rank, message.origin, message.rules is not None))
        if message.rules is not None:
            learnt = self.learnt[message.origin].without_sitemaps()
            assert replace(message.rules, crawl_delay=learnt.crawl_delay) == learnt
            assert message.rules.crawl_delay >= learnt.crawl_delay  # or longer under the other scheme
            assert self.now < self.until[message.origin]
            assert message.seconds <= max(1.0, self.until[message.origin] - self.now)

    def leave(self) -> None:
        """A rank confirms that it has forgotten a site."""
        if self.leaving:
            rank, site = self.leaving.popleft()
            self.keeper.forgotten(rank, Forgotten(site, 0.0), self.now)

    def settle(self) -> None:
        """Nobody asks any more: all that is asked is answered."""
        for _ in range(_MOST_STEPS):
            if not (self.lookups or self.errands or self.leaving or self.keeper.next_time() is not None):
                break
            self.answer_lookup()
            self.answer_errand()
            self.leave()
            self.now = max(self.now, self.keeper.next_time() or self.now)
            self.keeper.wake(self.now)
        assert not self.waiting
        assert not self.keeper.waiting
        assert not any(site.is_busy for site in self.keeper._sites.values())


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    most_sites=st.sampled_from([1, 2, 5, 100]),
    most_bytes=st.sampled_from([1000, 1 << 20]),
    is_on_disk=st.booleans(),
)
def test_no_robots_txt_is_asked_for_while_its_rules_hold(
    seed: int, most_sites: int, most_bytes: int, is_on_disk: bool
) -> None:
    with TemporaryDirectory() as folder:
        cache = robots_cache(Path(folder), is_on_disk=is_on_disk)
        world = World(seed, cache, most_sites=most_sites, most_bytes=most_bytes)
        for _ in range(world.dice.choice([20, 400])):
            world.step()
        world.settle()
        assert world.keeper._bytes == sum(rules.bytes for rules in rules_in_memory(world.keeper))
        cache.close()


def rules_in_memory(keeper: SiteGatekeeper) -> list[Rules]:
    origins = [origin for site in keeper._sites.values() for origin in site.origins]
    return [origin.rules for origin in origins if origin.rules is not None]


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_a_site_that_was_forgotten_comes_back_with_its_rules(tmp_path: Path, is_on_disk: bool) -> None:
    world = World(0, robots_cache(tmp_path, is_on_disk=is_on_disk), most_sites=1, most_bytes=1 << 20)
    world.learn("http://a.example", Rules(b"packed", seconds=1000.0))
    world.learn("http://b.example", ALLOW_ALL)
    world.learn("http://c.example", ALLOW_ALL)
    assert "a.example" not in world.keeper._sites
    world.wait_for("http://a.example")
    assert world.keeper.last_rules("http://a.example") == Rules(b"packed", seconds=1000.0)
    assert [origin.name for origin in world.keeper._sites["a.example"].origins] == ["http://a.example"]
    assert world.requests == 3


def test_while_the_cache_is_asked_a_site_is_not_forgotten_and_nothing_is_requested(tmp_path: Path) -> None:
    world = World(0, robots_cache(tmp_path, is_on_disk=True), most_sites=1, most_bytes=1 << 20)
    world.keeper.asked(0, Ask("http://a.example", True), world.now)
    world.keeper.found(Found(world.lookups.pop(), (), "dns", 300.0), world.now)
    for name in "bcdefg":
        world.keeper.asked(0, Ask(f"http://{name}.example", True), world.now)
        world.keeper.found(Found(world.lookups.pop(), (FIRST,), "", 300.0), world.now)
    world.keeper.wake(world.now)
    assert world.keeper.waiting == 14  # under http and https
    assert not world.errands
    assert "a.example" in world.keeper._sites
    world.keeper.flush(world.now)
    assert world.keeper.waiting == 0
    assert sorted(errand.origin for errand in world.errands) == [f"http://{name}.example" for name in "bcdefg"]
    world.keeper.flush(world.now)
    assert len(world.errands) == 6


def test_without_questions_nothing_is_due(tmp_path: Path) -> None:
    world = World(0, robots_cache(tmp_path, is_on_disk=True), most_sites=1, most_bytes=1 << 20)
    assert world.keeper.next_time() is None
    world.keeper.asked(0, Ask("http://a.example", False), world.now)
    assert world.keeper.next_time() is None, "the rules are not asked for"
