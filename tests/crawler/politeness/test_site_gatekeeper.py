"""The gatekeeper of sites, question by question."""

from typing import Any, cast

import pytest

from crawler.network.web import Endpoint, Found, Lookup
from crawler.politeness.entry import Errand
from crawler.politeness.messages import Ask, Facts, Forget, Forgotten, Unreached
from crawler.politeness.robots.rules import ALLOW_ALL, Rules
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from tests.crawler.politeness.support.null_mailbox import Letters
from tests.crawler.support.site_memory import SITES_IN_MEMORY

HTTP, HTTPS = "http://a.example", "https://a.example"
RULES = Rules(packed=b"x", seconds=600.0)
FIRST, SECOND, THIRD = (Endpoint(f"192.0.2.{number}", 80) for number in (1, 2, 3))
FIRST_TLS = Endpoint(FIRST.ip, 443)
SECOND_TLS = Endpoint(SECOND.ip, 443)


class Keeper:
    """A gatekeeper, what it looks up, what it has fetched, what it says."""

    def __init__(self, by_address: bool = True, **limits: Any) -> None:
        self.letters = Letters()
        self.lookups: list[Lookup] = []
        self.errands: list[Errand] = []
        limits = SITES_IN_MEMORY | limits
        self.sites = SiteGatekeeper(self.letters, cast(Any, self), self.errands.append, by_address=by_address, **limits)

    def look_up(self, lookup: Lookup) -> None:
        self.lookups.append(lookup)

    def ask(self, rank: int, now: float = 0.0, origin: str = HTTP, robots: bool = True) -> list[tuple[int, object]]:
        self.sites.asked(rank, Ask(origin, robots), now)
        return list(self.letters.take())

    def find(
        self, *endpoints: Endpoint, now: float = 0.0, seconds: float = 100.0, error: str = "", origin: str = HTTP
    ) -> list[tuple[int, object]]:
        lookup = self.lookups.pop()
        assert lookup.origin == origin
        self.sites.found(Found(lookup, endpoints, error, seconds), now)
        return list(self.letters.take())

    def learn(self, rules: Rules = RULES, now: float = 0.0, origin: str = HTTP) -> list[tuple[int, object]]:
        assert self.errands.pop() == Errand(origin, f"{origin}/robots.txt")
        self.sites.robots_known(origin, rules, now)
        return list(self.letters.take())

    def tell(self, *ranks: int, endpoints: tuple[Endpoint, ...] = (FIRST, SECOND, THIRD)) -> None:
        for rank in ranks:
            self.ask(rank)
        self.find(*endpoints)
        assert {rank for rank, _ in self.learn()} == set(ranks)

    def unreached(self, endpoint: Endpoint, now: float = 0.0, origin: str = HTTP) -> list[tuple[int, object]]:
        self.sites.unreached(Unreached(origin, endpoint), now)
        return list(self.letters.take())

    def forgotten(self, rank: int, rest: float = 0.0, now: float = 0.0) -> list[tuple[int, object]]:
        self.sites.forgotten(rank, Forgotten("a.example", rest), now)
        return list(self.letters.take())

    def meet(self, number: int) -> set[str]:
        """Rank 0 gets to know a site, and leaves those that it is told to forget: which they were."""
        origin = f"http://s{number}.example"
        told = self.ask(0, origin=origin, robots=False) + self.find(FIRST, origin=origin)
        left = {message.site for _, message in told if isinstance(message, Forget)}
        for site in left:
            self.sites.forgotten(0, Forgotten(site, 0.0), 0.0)
        return left


@pytest.fixture
def keeper() -> Keeper:
    return Keeper()


def test_one_lookup_and_one_robots_txt_however_many_ask(keeper: Keeper) -> None:
    for rank in (3, 1, 2, 1):
        assert keeper.ask(rank) == []
    assert len(keeper.lookups) == keeper.sites.lookups == 1
    assert keeper.find(FIRST) == []
    assert keeper.sites.lookups == 0
    assert keeper.ask(0) == []
    assert len(keeper.errands) == 1
    facts = Facts(HTTP, FIRST.ip, FIRST, RULES, "", 100.0, 0.0)
    assert keeper.learn() == [(rank, facts) for rank in (3, 1, 2, 0)]
    assert keeper.ask(3, now=40.0) == [(3, facts._replace(seconds=60.0))]
    assert not keeper.lookups
    assert not keeper.errands


def test_who_fetches_a_robots_txt_is_told_where_the_site_is_and_need_not_ask() -> None:
    fetched: list[tuple[Errand, Facts, float]] = []
    keeper = Keeper(fetch_robots=lambda *asked: fetched.append(asked))
    assert keeper.ask(1) == []
    assert keeper.find(FIRST, SECOND, now=5.0) == []  # who asks waits for the rules
    assert fetched == [(Errand(HTTP, f"{HTTP}/robots.txt"), Facts(HTTP, FIRST.ip, FIRST, seconds=100.0), 5.0)]
    assert keeper.errands == []
    assert keeper.unreached(FIRST, 6.0) == [(keeper.letters.rank, Forget("a.example"))]


def test_who_asks_for_the_address_alone_does_not_wait_for_the_rules(keeper: Keeper) -> None:
    keeper.ask(0)
    keeper.ask(1, robots=False)
    assert keeper.find(FIRST) == [(1, Facts(HTTP, FIRST.ip, FIRST, None, "", 100.0, 0.0))]
    assert [rank for rank, _ in keeper.learn()] == [0]


def test_where_servers_have_no_delay_the_site_is_its_own_gate() -> None:
    keeper = Keeper(by_address=False)
    keeper.ask(0, robots=False)
    assert keeper.find(FIRST) == [(0, Facts(HTTP, "a.example", FIRST, None, "", 100.0, 0.0))]


def test_an_address_is_looked_up_again_when_its_time_is_over(keeper: Keeper) -> None:
    keeper.tell(0, endpoints=(FIRST,))
    assert keeper.ask(0, now=99.9) != []
    assert keeper.ask(0, now=100.0) == []
    ((_, facts),) = keeper.find(FIRST, now=100.0)
    assert facts == Facts(HTTP, FIRST.ip, FIRST, RULES, "", 100.0, 0.0)


def test_a_name_server_that_fails_moves_no_site(keeper: Keeper) -> None:
    keeper.tell(0, endpoints=(FIRST,))
    assert keeper.ask(0, now=100.0) == []
    ((_, facts),) = keeper.find(now=100.0, seconds=30.0, error="dns")
    assert facts == Facts(HTTP, FIRST.ip, FIRST, RULES, "", 30.0, 0.0)
    assert keeper.ask(0, now=130.0) == []
    ((_, facts),) = keeper.find(now=130.0, error="internal-address")
    assert isinstance(facts, Facts)
    assert facts.error == "internal-address"


def test_rules_are_fetched_again_when_their_time_is_over(keeper: Keeper) -> None:
    keeper.ask(0)
    keeper.find(FIRST, seconds=1e6)
    keeper.learn(Rules(seconds=50.0))
    assert keeper.ask(0, now=50.0) == []
    assert [facts.rules for _, facts in cast(Any, keeper.learn(ALLOW_ALL, now=50.0))] == [ALLOW_ALL]


@pytest.mark.parametrize("now", [1e6, -5.0, 0.1])
def test_facts_hold_long_enough_to_be_used(keeper: Keeper, now: float) -> None:
    keeper.ask(0, now=now, robots=False)
    ((_, facts),) = cast(Any, keeper.find(FIRST, now=now, seconds=0.0))
    assert facts.seconds >= 1.0
    ((_, facts),) = cast(Any, keeper.ask(1, now=now + 0.999, robots=False))
    assert facts.seconds >= 1.0


def test_a_name_without_address_is_an_answer_too_and_is_remembered(keeper: Keeper) -> None:
    keeper.ask(0)
    keeper.ask(1)
    no_address = Facts(HTTP, error="dns")
    assert keeper.find(error="dns", seconds=30.0) == [(0, no_address), (1, no_address)]
    assert keeper.ask(2, now=29.0) == [(2, no_address)]
    assert keeper.ask(2, now=30.0) == []
    assert len(keeper.lookups) == 1


def test_a_site_moves_only_when_all_who_visit_it_have_left(keeper: Keeper) -> None:
    keeper.tell(0, 1, 2)
    assert keeper.unreached(FIRST) == [(rank, Forget("a.example")) for rank in (0, 1, 2)]
    assert keeper.unreached(FIRST) == [], "another rank has seen the same"
    assert keeper.ask(1, now=1.0) == []
    assert keeper.ask(3, now=1.0) == []
    assert keeper.forgotten(0, rest=4.0, now=2.0) == []
    assert keeper.forgotten(2, rest=1.0, now=3.0) == []
    facts = Facts(HTTP, SECOND.ip, SECOND, RULES, "", 96.0, 2.0)
    assert keeper.forgotten(1, now=4.0) == [(1, facts), (3, facts)]
    assert keeper.unreached(SECOND, now=5.0) == [(rank, Forget("a.example")) for rank in (1, 3)]


def test_addresses_are_tried_in_turn(keeper: Keeper) -> None:
    keeper.tell(0)
    used = []
    for endpoint in (FIRST, SECOND, THIRD, FIRST):
        keeper.unreached(endpoint)
        keeper.forgotten(0)
        ((_, facts),) = cast(Any, keeper.ask(0))
        used.append(facts.endpoint)
    assert used == [SECOND, THIRD, FIRST, SECOND]


def test_a_site_with_one_address_stays(keeper: Keeper) -> None:
    keeper.tell(0, endpoints=(FIRST,))
    assert keeper.unreached(FIRST) == []
    assert keeper.unreached(SECOND) == []


def test_nobody_is_asked_twice_to_leave(keeper: Keeper) -> None:
    """Or the first confirmation would count for the second move too."""
    keeper.tell(0)
    keeper.unreached(FIRST)
    keeper.ask(1, now=100.0)
    assert keeper.unreached(SECOND, now=100.0) == []
    assert keeper.forgotten(0, now=100.0) == []
    ((rank, facts),) = cast(Any, keeper.find(FIRST, SECOND, THIRD, now=100.0))
    assert (rank, facts.endpoint) == (1, THIRD)


def test_an_address_that_still_holds_is_kept_in_whatever_order_they_come(keeper: Keeper) -> None:
    keeper.tell(0, endpoints=(FIRST, SECOND))
    keeper.ask(0, now=200.0)
    ((_, facts),) = cast(Any, keeper.find(SECOND, FIRST, now=200.0))
    assert facts.endpoint == FIRST


def test_an_address_that_is_gone_is_left(keeper: Keeper) -> None:
    keeper.tell(0, 1, endpoints=(FIRST,))
    keeper.ask(0, now=200.0)
    assert keeper.find(SECOND, now=200.0) == [(0, Forget("a.example")), (1, Forget("a.example"))]


def test_both_schemes_of_a_site_are_at_one_address(keeper: Keeper) -> None:
    keeper.tell(0, endpoints=(FIRST, SECOND))
    keeper.ask(0, origin=HTTPS, robots=False)
    ((_, facts),) = cast(Any, keeper.find(SECOND_TLS, FIRST_TLS, origin=HTTPS))
    assert (facts.gate, facts.endpoint) == (FIRST.ip, FIRST_TLS)
    keeper.unreached(FIRST)
    keeper.forgotten(0)
    ((_, facts),) = cast(Any, keeper.ask(0, origin=HTTPS, robots=False))
    assert (facts.gate, facts.endpoint) == (SECOND.ip, SECOND_TLS)


def test_the_site_asked_for_least_recently_is_forgotten() -> None:
    keeper = Keeper(most_sites=3)
    visited = set()
    for number in range(12):
        visited.add(f"s{number}.example")
        visited -= keeper.meet(number)
        assert visited <= set(keeper.sites._sites), "a rank visits a site that its gatekeeper knows nothing of"
    assert len(keeper.sites._sites) <= 3 + 2  # those that ranks are just leaving
    assert "s0.example" not in keeper.sites._sites


def test_a_site_that_somebody_waits_for_is_not_forgotten() -> None:
    keeper = Keeper(most_sites=2)
    keeper.ask(0)
    for number in range(12):
        keeper.meet(number)
    assert "a.example" in keeper.sites._sites
    assert len(keeper.sites._sites) <= 3 + 2


def test_errands_wait_for_their_time(keeper: Keeper) -> None:
    late, soon = Errand(HTTP, f"{HTTP}/late"), Errand(HTTP, f"{HTTP}/soon")
    keeper.sites.run_later(late, 9.0)
    keeper.sites.run_later(soon, 5.0)
    assert keeper.sites.next_time() == 5.0
    keeper.sites.wake(4.9)
    assert keeper.errands == []
    keeper.sites.wake(5.0)
    assert keeper.errands == [soon]
    keeper.sites.wake(9.0)
    assert keeper.errands == [soon, late]
    assert keeper.sites.next_time() is None


def test_tries_and_rounds_of_them_are_counted_until_the_file_comes(keeper: Keeper) -> None:
    keeper.tell(0)
    assert keeper.sites.robots_failed(HTTP, 10.0) == (1, 0, 0.0)
    assert keeper.sites.robots_failed(HTTP, 15.0) == (2, 0, 5.0)
    keeper.sites.robots_known(HTTP, Rules(unreachable="robots-500", seconds=60.0), 15.0)
    assert keeper.sites.robots_failed(HTTP, 75.0) == (1, 1, 65.0)
    keeper.sites.robots_known(HTTP, ALLOW_ALL, 80.0)
    assert keeper.sites.robots_failed(HTTP, 90.0) == (1, 0, 0.0)
