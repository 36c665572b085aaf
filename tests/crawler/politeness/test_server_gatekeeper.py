"""The gatekeeper of servers, message by message."""

import pytest

from crawler.politeness.messages import Lease, Recall, Return, Standing, Visit, Want
from crawler.politeness.server_gatekeeper import (
    MOST_SLICES_A_SECOND,
    SECONDS_AHEAD,
    SLICE_SECONDS,
    VISITS_A_TURN,
    ServerGatekeeper,
)
from tests.crawler.politeness.support.null_mailbox import Letters

IP = "192.0.2.1"
FOREVER = float("inf")


class Gate:
    """A gatekeeper of one server, and what it says."""

    def __init__(self, server_delay: float) -> None:
        self.letters = Letters()
        self.keeper = ServerGatekeeper(self.letters, server_delay=server_delay)

    def want(self, rank: int, site: str, weight: int, now: float) -> list[tuple[int, object]]:
        self.keeper.wanted(rank, Want(IP, site, weight), now)
        return self.at(now)

    def back(
        self,
        rank: int,
        now: float,
        rest: float = 0.0,
        standings: dict[str, Standing] | None = None,
        **weights: int,
    ) -> list[tuple[int, object]]:
        self.keeper.returned(rank, Return(IP, rest, standings or {}, weights), now)
        return self.at(now)

    def at(self, now: float) -> list[tuple[int, object]]:
        self.keeper.give_out(now)
        return list(self.letters.take())


@pytest.fixture
def gate() -> Gate:
    return Gate(0.5)


@pytest.fixture
def slices() -> Gate:
    return Gate(0.0)


def test_who_is_alone_holds_a_lease_without_end_and_hears_no_more(gate: Gate) -> None:
    assert gate.want(2, "a", 1, 0.0) == [(2, Lease(IP, FOREVER, 0.0, {}))]
    assert gate.want(2, "b", 5, 0.1) == []
    assert gate.at(1e6) == []
    assert gate.keeper.next_time() is None


def test_a_lease_is_recalled_once_when_another_rank_comes(gate: Gate) -> None:
    gate.want(2, "a", 3, 0.0)
    assert gate.want(1, "a", 1, 1.0) == [(2, Recall(IP))]
    assert gate.want(3, "b", 1, 1.1) == []
    standings = {"a": Standing(1.0, 0)}
    assert gate.back(2, 2.0, rest=0.5, standings=standings, a=3) == []
    assert gate.keeper.next_time() == 2.5 - SECONDS_AHEAD
    assert gate.at(2.47) == []
    assert gate.at(2.49) == [(3, Visit(IP, "b", pytest.approx(0.01), Standing()))]


def test_visits_go_round_the_ranks(gate: Gate) -> None:
    now = 0.0
    given = gate.want(0, "a", 9, now)
    for rank in (1, 2):
        given += gate.want(rank, "a", 9, now)
    given = gate.back(0, now, a=9)
    order = []
    for _ in range(9):
        ((rank, visit),) = given
        assert isinstance(visit, Visit)
        order.append(rank)
        now += 10.0
        assert gate.at(now) == [], "a server is visited by one request at a time"
        given = gate.back(rank, now, standings={"a": Standing(0.0, 0)}, a=9)
    assert [set(order[start : start + 3]) for start in (0, 3, 6)] == [{0, 1, 2}] * 3


def test_a_visit_carries_what_server_and_site_still_have_to_rest_and_the_failures(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.want(1, "a", 1, 0.0)
    assert gate.back(0, 100.0, rest=0.5, standings={"a": Standing(7.0, 3)}, a=1) == []
    assert gate.at(106.97) == []
    ((_, visit),) = gate.at(106.99)
    assert visit == Visit(IP, "a", pytest.approx(0.01), Standing(0.0, 3), VISITS_A_TURN)


def test_many_visits_are_given_at_once_where_the_server_would_only_wait_between_them(gate: Gate) -> None:
    gate.want(0, "a", 9, 0.0)
    gate.want(1, "a", 9, 0.0)
    ((rank, visit),) = gate.back(0, 0.0, a=9)
    assert visit == Visit(IP, "a", 0.0, Standing(), VISITS_A_TURN)
    assert gate.want(2, "a", 9, 0.1) == [], "who wants the same site waits for its turn"
    assert gate.want(2, "b", 1, 0.2) == [(rank, Recall(IP))], "another could be visited meanwhile"
    assert gate.want(3, "c", 1, 0.3) == []
    ((_, visit),) = gate.back(rank, 1.0, rest=0.0, standings={"a": Standing(1.0)}, a=8)
    assert visit in (Visit(IP, "b", 0.0, Standing(), 1), Visit(IP, "c", 0.0, Standing(), 1))


def test_many_visits_are_given_at_once_to_a_site_that_rests_no_longer_than_its_server(gate: Gate) -> None:
    gate.want(0, "a", 9, 0.0)
    gate.want(1, "b", 9, 0.0)
    ((rank, visit),) = gate.back(0, 0.0, a=9)
    for now in (1.0, 2.0):
        assert visit.visits == 1, "nobody knows yet how long it rests"
        ((rank, visit),) = gate.back(rank, now, rest=0.0, standings={visit.site: Standing()}, **{visit.site: 9})
    standings = {visit.site: Standing(0.5)}
    assert gate.back(rank, 3.0, rest=0.5, standings=standings, **{visit.site: 9}) == []
    visits = {}
    for now in (4.0, 6.0, 8.0, 10.0):
        ((rank, visit),) = gate.at(now)
        visits[visit.site] = visit.visits
        assert gate.back(rank, now, 0.5, {visit.site: Standing(0.5)}, **{visit.site: 9}) == []
    assert visits == {"a": VISITS_A_TURN, "b": VISITS_A_TURN}


def test_rests_count_from_the_return_s_receipt(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.want(1, "b", 1, 0.0)
    gate.back(0, 50.0, rest=2.0, a=1)
    assert gate.keeper.next_time() == 52.0 - SECONDS_AHEAD


def test_an_unused_visit_comes_back_and_goes_to_the_next(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.want(1, "a", 1, 0.0)
    ((first, _),) = gate.back(0, 0.0, a=1)
    ((second, visit),) = gate.back(first, 0.3, a=1)
    assert {first, second} == {0, 1}
    assert visit == Visit(IP, "a", 0.0, Standing(), VISITS_A_TURN)


def test_the_last_rank_gets_a_lease_again_with_what_still_rests(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.want(1, "b", 2, 0.0)
    ((rank, lease),) = gate.back(0, 0.0, rest=0.5, standings={"a": Standing(3.0, 1)}, a=0)
    assert (rank, lease) == (1, Lease(IP, FOREVER, 0.5, {"a": Standing(3.0, 1)}))


def test_a_want_that_crosses_its_lease_recalls_nothing(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    assert gate.want(0, "a", 4, 0.01) == []
    assert gate.back(0, 1.0, a=0) == []
    assert gate.at(1e4) == []
    assert not gate.keeper._gates


def test_after_a_return_that_crossed_the_recall_the_lease_is_given_anew(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    assert gate.want(1, "a", 1, 1.0) == [(0, Recall(IP))]
    assert gate.back(0, 1.0, standings={"a": Standing(2.0, 0)}, a=0) == [
        (1, Lease(IP, FOREVER, 0.0, {"a": Standing(2.0, 0)}))
    ]
    assert gate.want(0, "a", 1, 1.5) == [(1, Recall(IP))]


def test_a_want_that_is_taken_back_leaves_the_lease_to_the_other(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.want(1, "b", 1, 1.0)
    assert gate.want(1, "b", 0, 1.1) == []
    assert gate.back(0, 1.2, a=1) == [(0, Lease(IP, FOREVER, 0.0, {}))]


def test_short_delays_are_kept_by_who_holds_a_slice(slices: Gate) -> None:
    slices.want(0, "a", 9, 0.0)
    slices.want(1, "a", 9, 0.0)
    given = slices.back(0, 0.0, a=9)
    order = []
    for turn in range(6):
        ((rank, lease),) = given
        assert lease == Lease(IP, SLICE_SECONDS, 0.0, {})
        order.append(rank)
        assert slices.at(turn + 0.9) == []
        given = slices.back(rank, turn + 1.0, a=9)
    assert order in ([0, 1] * 3, [1, 0] * 3)


def test_slices_are_longer_where_many_servers_are_shared() -> None:
    letters = Letters()
    keeper = ServerGatekeeper(letters, server_delay=0.0)
    servers = [f"192.0.2.{number}" for number in range(100)]
    for server in servers:
        keeper.wanted(0, Want(server, "a", 9), 0.0)
        keeper.wanted(1, Want(server, "a", 9), 0.0)
    list(letters.take())
    given: list[tuple[int, object]] = []
    for _ in range(2):  # what comes back is given out again: as many are out at once as before
        for server in servers:
            keeper.returned(0, Return(server, 0.0, {}, {"a": 9}), 0.0)
        keeper.give_out(0.0)
        given = list(letters.take())
    lengths = [lease.seconds for _, lease in given if isinstance(lease, Lease)]
    assert lengths == [max(SLICE_SECONDS, out / MOST_SLICES_A_SECOND) for out in range(1, len(servers) + 1)]
    assert lengths[-1] > SLICE_SECONDS


def test_with_a_lease_comes_back_all_that_is_wanted(slices: Gate) -> None:
    """What a rank does not name it does not want, whatever it has said before."""
    slices.want(0, "a", 9, 0.0)
    slices.want(1, "a", 9, 0.0)
    ((rank, _),) = slices.back(0, 0.0, a=9)
    other = 1 - rank
    assert slices.back(rank, 1.0) == [(other, Lease(IP, FOREVER, 0.0, {}))]


def test_a_server_that_nobody_wants_is_forgotten_when_it_has_rested(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.back(0, 10.0, rest=0.5, standings={"a": Standing(5.0, 0)}, a=0)
    assert gate.at(14.9) == []
    assert gate.keeper._gates
    gate.at(15.0)
    gate.at(15.0)
    assert not gate.keeper._gates
    assert gate.keeper.next_time() is None


def test_a_rank_that_comes_while_a_server_rests_is_told_to_wait(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.back(0, 10.0, rest=0.5, standings={"a": Standing(5.0, 0)}, a=0)
    assert gate.want(1, "a", 1, 12.0) == [(1, Lease(IP, FOREVER, 0.0, {"a": Standing(3.0, 0)}))]


def test_failures_are_remembered_when_a_site_is_forgotten(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.back(0, 10.0, standings={"a": Standing(5.0, 4)}, a=0)
    for now in (15.0, 15.0, 16.0):
        gate.at(now)
    assert not gate.keeper._gates
    assert gate.want(1, "a", 1, 20.0) == [(1, Lease(IP, FOREVER, 0.0, {"a": Standing(0.0, 4)}))]


def test_other_servers_are_no_concern(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.keeper.wanted(1, Want("192.0.2.2", "b", 1), 0.0)
    assert gate.at(0.0) == [(1, Lease("192.0.2.2", FOREVER, 0.0, {}))]


@pytest.mark.parametrize("server_delay", [0.005, 0.5])
def test_a_server_rests_as_long_as_who_returns_it_says(server_delay: float) -> None:
    gate = Gate(server_delay)
    gate.want(2, "a", 3, 0.0)
    gate.want(1, "a", 1, 0.1)
    assert gate.back(2, 1.0, rest=7.0, a=3) == []
    assert gate.at(7.9) == []
    ((_, given),) = gate.at(8.0 - SECONDS_AHEAD)
    assert isinstance(given, Lease if server_delay < SECONDS_AHEAD else Visit)
    assert (given.rest if isinstance(given, Lease) else given.wait) == pytest.approx(SECONDS_AHEAD)
