"""A rank's end of the leases, message by message."""

import pytest

from crawler.politeness.leases import LONGEST_TURN_SECONDS, UNUSED_SECONDS, Leases
from crawler.politeness.messages import Lease, Recall, Return, Standing, Turn, Want, keeper_of
from crawler.politeness.site import NOWHERE, Site
from tests.crawler.politeness.support.null_mailbox import Letters

IP = "192.0.2.1"
RANKS = 4
KEEPER = keeper_of(IP, RANKS)
FOREVER = float("inf")


def _without_pace(message: object) -> object:
    if not isinstance(message, Return):
        return message
    return message._replace(standings={name: Standing(*said[:2]) for name, said in message.standings.items()})


class Visitor:
    """A rank with sites on one server; sites that are idle are put down."""

    def __init__(self, **weights: int) -> None:
        self.letters = Letters(ranks=RANKS)
        self.idle: list[str] = []
        self.leases = Leases(self.letters, server_delay=0.5)
        self.leases.tell_of_idle(lambda site: self.idle.append(site.name))
        self.sites = {name: Site(name) for name in weights}
        for name, weight in weights.items():
            self.want(name, weight)

    def want(self, name: str, weight: int) -> None:
        site = self.sites[name]
        if site.server is NOWHERE:
            self.leases.place(site, IP)
        site.weigh(weight)
        self.leases.want(site)

    def take(self) -> list[object]:
        """What it has told the server's gatekeeper, of visits and their pace nothing."""
        written = self.letters.take()
        assert all(rank == KEEPER for rank, _ in written)
        return [_without_pace(message) for _, message in written]

    def lease(
        self, now: float, seconds: float = FOREVER, rest: float = 0.0, visits: int = 0, **standings: Standing
    ) -> None:
        self.leases.lease_given(Lease(IP, seconds, rest, standings, visits), now)

    def visit(self, name: str, now: float, wait: float = 0.0, failures: int = 0, visits: int = 1) -> None:
        """A turn for one site, which alone is wanted."""
        self.turn(now, visits, wait, may_wait=True, **{name: Standing(0.0, failures)})

    def turn(
        self, now: float, visits: int, rest: float = 0.0, *, may_wait: bool = False, **standings: Standing
    ) -> None:
        self.leases.turn_given(Turn(IP, rest, standings, visits, may_wait), now)

    def pick(self, now: float) -> str | None:
        site = self.leases.pick(now)
        return site.name if site is not None else None

    def release(self, name: str, now: float, weight: int, rest: float = 1.0) -> None:
        self.sites[name].weigh(weight)
        self.leases.release(self.sites[name], now, site_rest=rest, server_rest=0.5)


def test_a_rank_is_asking_as_long_as_a_gatekeeper_has_not_let_it_visit_what_it_wants() -> None:
    visitor = Visitor(a=3, b=1)
    assert visitor.leases.is_asking
    visitor.visit("a", 0.0)
    assert visitor.leases.is_asking
    visitor.visit("b", 0.0)
    assert not visitor.leases.is_asking
    visitor = Visitor(a=3, b=1)
    visitor.lease(0.0)
    assert not visitor.leases.is_asking
    visitor.leases.recalled(Recall(IP), 1.0)
    assert visitor.leases.is_asking
    visitor.want("a", 0)
    visitor.leases.remove(visitor.sites["b"], 2.0)
    assert not visitor.leases.is_asking


def test_nothing_is_visited_without_a_lease() -> None:
    visitor = Visitor(a=3)
    assert visitor.take() == [Want(IP, "a", 3)]
    assert visitor.pick(1e9) is None
    assert visitor.leases.next_time() is None


def test_the_gatekeeper_hears_when_the_urls_have_doubled_or_are_gone() -> None:
    visitor = Visitor(a=3)
    visitor.take()
    for weight in (4, 6, 1):
        visitor.want("a", weight)
    assert visitor.take() == []
    visitor.want("a", 7)
    visitor.want("a", 0)
    assert visitor.take() == [Want(IP, "a", 7), Want(IP, "a", 0)]


def test_a_lease_is_used_until_it_is_recalled() -> None:
    visitor = Visitor(a=2, b=2)
    visitor.take()
    visitor.lease(10.0, rest=1.0, a=Standing(5.0, 2))
    assert visitor.pick(10.9) is None
    assert visitor.pick(11.0) == "b"
    visitor.release("b", 12.0, weight=1)
    assert visitor.take() == []
    visitor.leases.recalled(Recall(IP), 12.25)
    returned = Return(IP, 0.25, {"a": Standing(2.75, 2), "b": Standing(0.75, 0)}, {"a": 2, "b": 1})
    assert visitor.take() == [returned]
    assert visitor.pick(1e9) is None
    visitor.leases.recalled(Recall(IP), 13.0)
    assert visitor.take() == [], "it has been given back"


def test_a_lease_that_is_in_use_is_given_back_after_the_visit() -> None:
    visitor = Visitor(a=2)
    visitor.lease(0.0)
    assert visitor.pick(0.0) == "a"
    visitor.take()
    visitor.leases.recalled(Recall(IP), 1.0)
    assert visitor.take() == []
    visitor.release("a", 2.0, weight=1)
    assert visitor.take() == [Return(IP, 0.5, {"a": Standing(1.0, 0)}, {"a": 1})]


def test_a_slice_ends_with_its_time_or_when_nothing_can_be_done_in_it() -> None:
    visitor = Visitor(a=5)
    visitor.lease(0.0, seconds=2.0)
    visitor.take()
    visitor.pick(0.0)
    visitor.release("a", 0.5, weight=4, rest=1.0)
    assert visitor.take() == []
    assert visitor.pick(1.5) == "a"
    visitor.release("a", 1.6, weight=3, rest=1.0)
    assert visitor.take() == [Return(IP, 0.5, {"a": Standing(1.0, 0)}, {"a": 3})]
    visitor.lease(10.0, seconds=2.0)
    assert visitor.leases.next_end() is not None
    visitor.leases.give_back_in_time(12.0)
    assert visitor.take() == [Return(IP, 0.0, {}, {"a": 3}, late=2.0)]


def test_one_visit_is_one_visit() -> None:
    visitor = Visitor(a=2, b=2)
    visitor.take()
    visitor.visit("a", 0.0, wait=0.5, failures=3)
    assert visitor.sites["a"].failures == 3
    assert visitor.pick(0.4) is None
    assert visitor.pick(0.5) == "a"
    visitor.sites["a"].failures = 0
    visitor.release("a", 1.0, weight=1)
    assert visitor.take() == [Return(IP, 0.5, {"a": Standing(1.0, 0)}, {"a": 1})]
    assert visitor.pick(1e9) is None


def visited(visitor: Visitor, now: float, weight: int, rest: float = 1.0) -> list[object]:
    """A visit of no time to the only site; what is said about it."""
    assert visitor.pick(now) == "a"
    visitor.release("a", now, weight=weight, rest=rest)
    return visitor.take()


def test_several_visits_at_once_are_made_without_a_word_between() -> None:
    visitor = Visitor(a=9, b=2)
    visitor.take()
    visitor.visit("a", 0.0, visits=3)
    assert visited(visitor, 0.0, weight=8) == []
    assert visitor.pick(0.999) is None, "it rests between them"
    assert visited(visitor, 1.0, weight=7) == []
    assert visited(visitor, 2.0, weight=6) == [Return(IP, 0.5, {"a": Standing(1.0, 0)}, {"a": 6})]
    assert visitor.pick(1e9) is None


def made(visitor: Visitor, now: float) -> list[object]:
    """A visit of no time to whatever site comes next, which has one URL less then; what is said about it."""
    name = visitor.pick(now)
    assert name is not None
    visitor.release(name, now, weight=visitor.sites[name].weight - 1)
    return visitor.take()


def test_a_turn_is_for_all_sites_that_it_names_and_no_other() -> None:
    visitor = Visitor(a=9, b=9, c=9)
    visitor.take()
    visitor.turn(0.0, visits=4, a=Standing(), b=Standing(0.25, 2))
    visitor.want("c", 20)
    assert visitor.take() == [Want(IP, "c", 20)]
    assert [made(visitor, now) for now in (0.0, 0.5, 1.0)] == [[], [], []]
    (returned,) = made(visitor, 1.5)
    assert isinstance(returned, Return)
    assert returned.weights == {"a": 7, "b": 7}
    assert set(returned.standings) == {"a", "b"}


def test_a_turn_ends_when_the_server_would_wait_for_its_sites() -> None:
    visitor = Visitor(a=9, b=9)
    visitor.take()
    visitor.turn(0.0, visits=9, a=Standing(), b=Standing(0.75))
    assert [returned.weights for returned in made(visitor, 0.0) if isinstance(returned, Return)] == [{"a": 8, "b": 9}]
    assert visitor.pick(1e9) is None


def test_a_rank_that_is_late_may_let_a_server_wait_for_as_long() -> None:
    visitor = Visitor(a=9, b=9)
    visitor.take()
    visitor.turn(0.0, visits=9, a=Standing(), b=Standing(0.75))
    assert made(visitor, 0.25) == []
    assert visitor.pick(0.75) == "b"


def test_a_turn_ends_with_the_urls_of_the_site_that_will_take_longest() -> None:
    visitor = Visitor(a=2, b=1)
    visitor.take()
    known = Standing(visits=9, pace=1.0)
    visitor.turn(0.0, visits=9, may_wait=True, a=known, b=known)
    assert [made(visitor, now) for now in (0.0, 0.5)] == [[], []], "others may go on with what this rank has done"
    visitor.want("b", 1)
    (returned,) = made(visitor, 1.0)
    assert isinstance(returned, Return)
    assert returned.weights == {"a": 0, "b": 1}


def test_a_turn_goes_on_though_a_site_that_was_hardly_known_has_no_more_urls() -> None:
    visitor = Visitor(a=1, b=1, c=1)
    visitor.take()
    visitor.turn(0.0, visits=3, a=Standing(), b=Standing(), c=Standing())
    assert [made(visitor, now) for now in (0.0, 0.5)] == [[], []]
    (returned,) = made(visitor, 1.0)
    assert isinstance(returned, Return)
    assert returned.weights == {"a": 0, "b": 0, "c": 0}


def test_what_is_wanted_again_before_a_turn_ends_is_told_with_its_return() -> None:
    visitor = Visitor(a=3, b=3)
    visitor.take()
    visitor.turn(0.0, visits=9, a=Standing(), b=Standing())
    visitor.leases.remove(visitor.sites["a"], 0.0)
    visitor.sites["a"] = Site("a")
    visitor.want("a", 5)
    assert visitor.take() == []
    visitor.leases.recalled(Recall(IP), 0.0)
    assert visitor.take() == [Return(IP, 0.0, {}, {"a": 5, "b": 3})]


def test_a_slice_goes_on_while_the_server_hardly_waits() -> None:
    visitor = Visitor(a=99)
    visitor.take()
    visitor.lease(0.0, seconds=0.1, visits=4)
    for now in (0.0, 0.5, 1.0):  # a rank with so much to do that one visit takes a slice
        assert visitor.pick(now) == "a"
        visitor.sites["a"].weigh(9)
        visitor.leases.release(visitor.sites["a"], now, site_rest=0.015, server_rest=0.001)
        visitor.leases.give_back_in_time(now + 0.2)
        assert visitor.take() == []
    assert visitor.pick(1.5) == "a"
    visitor.leases.release(visitor.sites["a"], 1.5, site_rest=0.015, server_rest=0.001)
    rest, late = pytest.approx(0.001), pytest.approx(0.5 - 0.015)
    assert visitor.take() == [Return(IP, rest, {"a": Standing(pytest.approx(0.015))}, {"a": 9}, late)]


def test_several_visits_end_with_the_urls() -> None:
    visitor = Visitor(a=1)
    visitor.take()
    visitor.visit("a", 0.0, visits=9)
    assert visited(visitor, 0.0, weight=0) == [Return(IP, 0.5, {"a": Standing(1.0, 0)}, {"a": 0})]


def test_several_visits_end_with_the_turn_of_others() -> None:
    visitor = Visitor(a=9)
    visitor.take()
    visitor.visit("a", 0.0, visits=9)
    rest = 0.6 * LONGEST_TURN_SECONDS
    assert visited(visitor, 0.0, weight=8, rest=rest) == []
    assert visited(visitor, rest, weight=7, rest=rest) == [Return(IP, 0.5, {"a": Standing(rest, 0)}, {"a": 7})]


def test_several_visits_end_when_one_is_not_made_in_time() -> None:
    visitor = Visitor(a=9)
    visitor.take()
    visitor.visit("a", 0.0, visits=9)
    assert visited(visitor, 0.0, weight=8) == []
    assert visitor.leases.next_end() == 1.0 + UNUSED_SECONDS
    visitor.leases.give_back_in_time(1.0 + UNUSED_SECONDS - 0.001)
    assert visitor.take() == []
    visitor.leases.give_back_in_time(1.0 + UNUSED_SECONDS)
    assert visitor.take() == [Return(IP, 0.0, {}, {"a": 8}, late=UNUSED_SECONDS)]


def test_several_visits_end_when_they_are_recalled() -> None:
    visitor = Visitor(a=9)
    visitor.take()
    visitor.visit("a", 0.0, visits=9)
    assert visited(visitor, 0.0, weight=8) == []
    visitor.leases.recalled(Recall(IP), 0.5)
    assert visitor.take() == [Return(IP, 0.0, {"a": Standing(0.5, 0)}, {"a": 8})]
    visitor.visit("a", 1.0, visits=9)
    assert visitor.pick(1.0) == "a"
    visitor.leases.recalled(Recall(IP), 1.5)
    assert visitor.take() == [], "it is being visited"
    visitor.release("a", 2.0, weight=7)
    assert visitor.take() == [Return(IP, 0.5, {"a": Standing(1.0, 0)}, {"a": 7})]


def test_a_rank_need_not_look_at_the_end_of_what_came_back_or_got_more_time() -> None:
    visitor = Visitor(a=9)
    visitor.take()
    visitor.visit("a", 0.0, visits=2)
    assert visited(visitor, 0.0, weight=8) == []
    assert visited(visitor, 1.0, weight=7) == [Return(IP, 0.5, {"a": Standing(1.0, 0)}, {"a": 7})]
    assert visitor.leases.next_end() is None, "two visits were made, and the turn came back"
    visitor.visit("a", 2.0, visits=2)
    visitor.visit("a", 3.0, visits=2)
    assert visitor.leases.next_end() == 3.0 + UNUSED_SECONDS


def test_a_visit_that_is_not_made_in_time_is_given_back() -> None:
    visitor = Visitor(a=2)
    visitor.take()
    visitor.visit("a", 0.0, wait=0.5)
    visitor.leases.give_back_in_time(0.5 + UNUSED_SECONDS - 0.001)
    assert visitor.take() == []
    assert visitor.leases.next_end() == 0.5 + UNUSED_SECONDS
    visitor.leases.give_back_in_time(0.5 + UNUSED_SECONDS)
    assert visitor.take() == [Return(IP, 0.0, {}, {"a": 2}, late=UNUSED_SECONDS)]


def test_a_visit_to_a_site_that_has_to_rest_for_long_is_given_back_at_once() -> None:
    visitor = Visitor(a=2)
    visitor.take()
    visitor.sites["a"].not_before = 100.0
    visitor.visit("a", 0.0)
    assert visitor.take() == [Return(IP, 0.0, {"a": Standing(100.0, 0)}, {"a": 2})]


@pytest.mark.parametrize("name", ["a", "unknown"])
def test_a_turn_for_which_there_is_no_url_any_more_is_declined(name: str) -> None:
    visitor = Visitor(a=2)
    visitor.want("a", 0)
    visitor.take()
    visitor.visit(name, 5.0, wait=0.25, failures=2)
    assert visitor.take() == [Return(IP, 0.0, {}, {name: 0})]


def test_a_lease_for_which_there_is_no_site_any_more_goes_back_as_it_came() -> None:
    visitor = Visitor()
    visitor.lease(5.0, rest=0.25, other=Standing(3.0, 1))
    assert visitor.take() == [Return(IP, 0.25, {"other": Standing(3.0, 1)}, {})]
    assert not visitor.leases._servers


def test_what_rests_is_handed_on_though_this_rank_has_no_urls_for_it() -> None:
    visitor = Visitor(a=1, b=0)
    visitor.take()
    visitor.lease(0.0, b=Standing(9.0, 1), c=Standing(8.0, 0))
    visitor.leases.recalled(Recall(IP), 1.0)
    (returned,) = visitor.take()
    assert isinstance(returned, Return)
    assert returned.standings == {"b": Standing(8.0, 1), "c": Standing(7.0, 0)}


def test_a_site_that_is_left_to_rest_is_idle_once_more_when_it_has_rested() -> None:
    """Its address might change; then its gatekeeper will ask how long it has to rest."""
    visitor = Visitor(a=1)
    visitor.visit("a", 0.0)
    visitor.pick(0.0)
    visitor.release("a", 1.0, weight=0, rest=3.0)
    assert visitor.idle == ["a"]
    visitor.leases.let_rest(visitor.sites["a"])
    visitor.leases.give_back_in_time(3.9)
    assert visitor.idle == ["a"]
    visitor.leases.give_back_in_time(4.0)
    assert visitor.idle == ["a", "a"]


def test_a_site_without_urls_that_need_not_rest_is_idle_at_once_and_its_lease_goes_back_once() -> None:
    visitor = Visitor(a=1)
    visitor.leases.tell_of_idle(lambda site: visitor.leases.remove(site, 1.0))
    visitor.lease(0.0)
    assert visitor.pick(0.0) == "a"
    visitor.take()
    visitor.sites["a"].weigh(0)
    visitor.leases.release(visitor.sites["a"], 1.0, site_rest=0.0, server_rest=0.0)
    assert visitor.take() == [Return(IP, 0.0, {}, {"a": 0})]
    assert visitor.leases.next_time() is None


def test_the_last_site_takes_its_lease_along() -> None:
    visitor = Visitor(a=1, b=1)
    visitor.lease(0.0)
    visitor.take()
    visitor.leases.remove(visitor.sites["a"], 1.0)
    assert visitor.take() == []
    visitor.leases.remove(visitor.sites["b"], 1.0)
    (returned,) = visitor.take()
    assert isinstance(returned, Return)
    assert not visitor.leases._servers


def test_a_site_that_leaves_and_is_placed_elsewhere_is_wanted_there_alone() -> None:
    visitor = Visitor(a=5, b=5)
    visitor.lease(0.0, seconds=10.0)
    visitor.leases.remove(visitor.sites["a"], 1.0)
    visitor.letters.take()
    visitor.leases.place(visitor.sites["a"], "192.0.2.2")
    visitor.sites["a"].weigh(5)
    visitor.leases.want(visitor.sites["a"])
    assert visitor.letters.take() == [(keeper_of("192.0.2.2", RANKS), Want("192.0.2.2", "a", 5))]
    visitor.leases.give_back_in_time(10.0)
    assert visitor.take() == [Return(IP, 0.0, {}, {"a": 0, "b": 5}, late=10.0)]
    assert visitor.sites["a"].told == 5


def test_a_site_without_a_lease_that_leaves_is_wanted_no_more() -> None:
    visitor = Visitor(a=5)
    visitor.take()
    visitor.leases.remove(visitor.sites["a"], 0.0)
    assert visitor.take() == [Want(IP, "a", 0)]


def test_how_long_a_server_rested_is_remembered() -> None:
    visitor = Visitor(a=3)
    visitor.lease(0.0)
    server = visitor.sites["a"].server
    assert server.pace == 0.0
    visitor.pick(0.0)
    visitor.release("a", 0.1, 2)
    assert server.pace == 0.5
    visitor.pick(2.0)
    visitor.leases.release(visitor.sites["a"], 2.0, site_rest=0.0, server_rest=0.0)  # nothing was requested
    assert server.pace == 0.5
