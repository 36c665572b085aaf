"""The agenda against a plain list that is scanned each time, whatever happens in whatever order."""

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from crawler.politeness.agenda import Agenda, ScheduledServer, ScheduledSite

SITES = st.integers(0, 6)
SERVERS = st.integers(0, 2)
SECONDS = st.sampled_from([0.0, 0.25, 1.0, 4.0])


class Order(RuleBasedStateMachine):
    """Three servers, seven sites."""

    server_delay = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.now = -7.0
        self.idle: list[ScheduledSite] = []
        self.agenda: Agenda[ScheduledSite] = Agenda(self.idle.append, self.server_delay)
        self.servers = [ScheduledServer(f"server {number}") for number in range(3)]
        self.sites = [ScheduledSite(f"site {number}", self.servers[number % 3]) for number in range(7)]
        self.entered: set[ScheduledSite] = set()
        self.picked: set[ScheduledSite] = set()

    @rule(number=SITES, weight=st.integers(0, 5))
    def weigh_and_enter(self, number: int, weight: int) -> None:
        site = self.sites[number]
        site.weigh(weight)
        self.agenda.enter(site)
        self.entered.add(site)

    @rule(number=SITES, seconds=SECONDS)
    def postpone(self, number: int, seconds: float) -> None:
        site = self.sites[number]
        self.agenda.postpone(site, self.now + seconds)
        assert site.not_before >= self.now + seconds
        self.entered.add(site)

    @rule(number=SITES)
    def leave(self, number: int) -> None:
        site = self.sites[number]
        self.agenda.leave(site)
        if site not in self.picked:
            self.entered.discard(site)

    @rule(number=SERVERS)
    def open(self, number: int) -> None:
        self.agenda.open(self.servers[number])

    @rule(number=SERVERS)
    def close(self, number: int) -> None:
        self.agenda.close(self.servers[number])

    @rule(seconds=SECONDS)
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def pick(self) -> None:
        may_be_picked = {site for site in self.entered if self.is_ready(site)}
        site = self.agenda.pick(self.now)
        for unwanted in self.idle:
            assert not unwanted.weight
            assert unwanted.not_before <= self.now
            assert unwanted.is_idle
            self.entered.remove(unwanted)
        self.idle.clear()
        if site is None:
            assert all(self.is_waited_for(ready.server) for ready in may_be_picked)
            assert self.agenda.next_time() is None or self.agenda.next_time() > self.now
        else:
            assert site in may_be_picked
            assert site.is_picked
            self.picked.add(site)

    @precondition(lambda self: self.picked)
    @rule(rest=SECONDS, server_rest=SECONDS, weight=st.integers(0, 5))
    def release(self, rest: float, server_rest: float, weight: int) -> None:
        site = min(self.picked, key=lambda site: site.name)
        self.picked.remove(site)
        site.weigh(weight)
        self.agenda.release(site, self.now + rest, self.now + server_rest)
        assert site.not_before >= self.now + rest
        assert site.server.not_before >= self.now + server_rest

    def is_ready(self, site: ScheduledSite) -> bool:
        server = site.server
        is_held = any(other.server is server for other in self.picked)
        has_rested = max(site.not_before, server.not_before) <= self.now
        return has_rested and server.is_open and not is_held and site.weight > 0

    def is_waited_for(self, server: ScheduledServer) -> bool:
        """Does a server that could be visited wait for a site with further to go?"""
        soon = self.now + self.server_delay
        return any(site.server is server and site.weight and self.now < site.not_before < soon for site in self.entered)

    @invariant()
    def one_visit_at_a_time(self) -> None:
        assert max(Counter(site.server.key for site in self.picked).values(), default=0) <= 1

    @invariant()
    def the_next_time_is_that_of_the_first_to_have_rested(self) -> None:
        held = {site.server for site in self.picked}
        times = [
            max(site.not_before, site.server.not_before)
            for site in self.entered - self.picked
            if site.server.is_open and site.server not in held
        ]
        said = self.agenda.next_time()
        if times:  # or it may be the time of a site that has left
            assert said is not None
            assert said <= max(min(times), self.now) + self.server_delay

    def teardown(self) -> None:
        """Whatever has happened, all that is wanted has its turn in the end."""
        for server in self.servers:
            self.agenda.open(server)
        while self.picked:
            self.release(0.0, 0.0, 0)
        wanted = {site for site in self.entered if site.weight}
        for _ in range(200):
            site = self.agenda.pick(self.now)
            if site is not None:
                site.weigh(0)
                self.agenda.release(site, self.now, self.now)
                wanted.discard(site)
            elif (time := self.agenda.next_time()) is not None:
                assert time > self.now
                self.now = time
        assert not wanted
        assert self.agenda.next_time() is None
        assert all(site.is_idle for site in self.sites)


class OrderOnSlowServers(Order):
    """The same where a server may wait for a site."""

    server_delay = 1.0


STEPS = settings(max_examples=150, stateful_step_count=40, deadline=None, derandomize=True)
TestOrder = Order.TestCase
TestOrder.settings = STEPS
TestOrderOnSlowServers = OrderOnSlowServers.TestCase
TestOrderOnSlowServers.settings = STEPS


def agenda_of(weights: dict[str, int], server_delay: float) -> tuple[Agenda[ScheduledSite], ScheduledServer]:
    agenda: Agenda[ScheduledSite] = Agenda(lambda _: None, server_delay)
    server = ScheduledServer("server")
    agenda.open(server)
    for name, weight in weights.items():
        site = ScheduledSite(name, server)
        site.weigh(weight)
        agenda.enter(site)
    return agenda, server


def visited(agenda: Agenda[ScheduledSite], visits: int, *, rest: float, server_rest: float, uses_up: bool) -> list[str]:
    """The names of the sites in the order of their visits."""
    order: list[str] = []
    now = 0.0
    while len(order) < visits and (time := agenda.next_time()) is not None:
        now = max(now, time)
        site = agenda.pick(now)
        if site is not None:
            order.append(site.name)
            site.weigh(site.weight - uses_up)
            agenda.release(site, now + rest, now + server_rest)
    return order


@pytest.mark.parametrize("rest", [0.0, 0.5, 1.0])
def test_no_site_waits_for_ever_behind_those_with_more_urls(rest: float) -> None:
    agenda, _ = agenda_of({"heavy": 1000, "heavier": 2000, "light": 1, "lighter": 1}, 1.0)
    order = visited(agenda, 200, rest=rest, server_rest=1.0, uses_up=False)
    assert Counter(order)["light"] >= 10
    assert Counter(order)["lighter"] >= 10


def test_the_site_with_most_urls_is_visited_whenever_it_has_rested() -> None:
    agenda, _ = agenda_of({"large": 30, **{f"small {number}": 10 for number in range(5)}}, 0.3)
    order = visited(agenda, 80, rest=1.0, server_rest=0.3, uses_up=True)
    assert len(order) == 80
    assert Counter(order)["large"] == 30


def test_a_server_that_rests_longer_than_the_least_is_planned_by_how_long_it_last_rested() -> None:
    """It waits for the site with most URLs, as it does where all servers rest so long."""
    weights = {"large": 30, **{f"small {number}": 10 for number in range(5)}}
    agenda, server = agenda_of(weights, 0.001)
    server.pace = 0.3
    order = visited(agenda, 80, rest=1.0, server_rest=0.3, uses_up=True)
    agenda, _ = agenda_of(weights, 0.3)
    assert order == visited(agenda, 80, rest=1.0, server_rest=0.3, uses_up=True)
    agenda, _ = agenda_of(weights, 0.001)
    assert order != visited(agenda, 80, rest=1.0, server_rest=0.3, uses_up=True)


def test_what_is_out_of_date_does_not_pile_up() -> None:
    agenda, server = agenda_of({"stays": 1}, 1.0)
    site = ScheduledSite("comes and goes", server)
    site.weigh(3)
    for number in range(5000):
        agenda.postpone(site, 1e6 + number)
        agenda.close(server)
        agenda.open(server)
        agenda.leave(site)
        agenda.enter(site)
        agenda.next_time()
    assert len(agenda._servers) < 300
    assert len(server._resting) < 300
    assert len(server._resting_by_way) < 20000
    agenda.pick(0.0)
    assert len(server._resting_by_way) < 300


def test_a_site_that_loses_its_urls_while_it_is_ready_does_not_hold_up_the_others() -> None:
    idle: list[ScheduledSite] = []
    agenda: Agenda[ScheduledSite] = Agenda(idle.append, 1.0)
    server = ScheduledServer("server")
    agenda.open(server)
    sites = [ScheduledSite(name, server) for name in "abc"]
    for site in sites:
        site.weigh(5)
        agenda.enter(site)
    first = agenda.pick(0.0)
    assert first is not None
    agenda.release(first, 1.0, 1.0)
    others = [site for site in sites if site is not first]
    for site in others:
        site.weigh(0)
    assert agenda.pick(1.0) is first
    agenda.release(first, 50.0, 2.0)
    assert agenda.pick(2.0) is None
    assert agenda.next_time() == 50.0
    assert set(idle) == set(others)
