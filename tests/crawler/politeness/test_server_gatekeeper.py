"""The gatekeeper of servers, message by message."""

import pytest

from crawler.politeness.messages import HANDOVER_SECONDS, Lease, Recall, Return, Standing, Turn, Want
from crawler.politeness.server_gatekeeper import (
    MOST_SLICES_A_SECOND,
    SITES_A_TURN,
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
        late: float = 0.0,
        **weights: int,
    ) -> list[tuple[int, object]]:
        self.keeper.returned(rank, Return(IP, rest, standings or {}, weights, late), now)
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
    assert gate.keeper.next_time() == 2.5 - HANDOVER_SECONDS
    assert gate.at(2.47) == []
    ((rank, turn),) = gate.at(2.49)
    assert (rank, turn) == (3, Turn(IP, pytest.approx(0.01), {"b": Standing(pace=1.0)}, 2, may_wait=False))


def test_turns_go_round_the_ranks(gate: Gate) -> None:
    now = 0.0
    given = gate.want(0, "a", 9, now)
    for rank in (1, 2):
        given += gate.want(rank, "a", 9, now)
    given = gate.back(0, now, a=9)
    order = []
    for _ in range(9):
        ((rank, turn),) = given
        assert isinstance(turn, Turn)
        order.append(rank)
        now += 10.0
        assert gate.at(now) == [], "a server is visited by one request at a time"
        given = gate.back(rank, now, standings={"a": Standing(0.0, 0)}, a=9)
    assert [set(order[start : start + 3]) for start in (0, 3, 6)] == [{0, 1, 2}] * 3


def test_a_turn_carries_what_server_and_site_still_have_to_rest_and_the_failures(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.want(1, "a", 1, 0.0)
    assert gate.back(0, 100.0, rest=0.5, standings={"a": Standing(7.0, 3)}, a=1) == []
    assert gate.at(106.97) == []
    ((_, turn),) = gate.at(106.99)
    assert turn == Turn(IP, 0.0, {"a": Standing(pytest.approx(0.01), 3, 0, 1.0)}, VISITS_A_TURN, may_wait=True)


def known(rest: float = 0.0, pace: float = 1.0) -> Standing:
    return Standing(rest, 0, 9, pace)


def test_a_server_that_only_the_sites_of_a_turn_are_wanted_of_may_wait_for_them(gate: Gate) -> None:
    gate.want(0, "a", 9, 0.0)
    gate.want(1, "a", 9, 0.0)
    ((rank, turn),) = gate.back(0, 0.0, a=9)
    assert turn == Turn(IP, 0.0, {"a": Standing(pace=1.0)}, VISITS_A_TURN, may_wait=True)
    assert gate.want(2, "a", 9, 0.1) == [], "who wants the same site waits for its turn"
    assert gate.want(2, "b", 1, 0.2) == [(rank, Recall(IP))], "another could be visited meanwhile"
    assert gate.want(3, "c", 1, 0.3) == []
    ((_, turn),) = gate.back(rank, 1.0, rest=0.0, standings={"a": known(1.0)}, a=8)
    assert turn in [
        Turn(IP, 0.0, standings, 2, may_wait=False)
        for standings in ({"a": known(1.0), "b": Standing(pace=1.0)}, {"c": Standing(pace=1.0)})
    ]


def test_a_turn_is_for_all_sites_that_the_rank_wants(gate: Gate) -> None:
    gate.want(0, "a", 9, 0.0)
    gate.want(0, "b", 9, 0.0)
    gate.want(1, "b", 9, 0.0)
    standings = {"a": known(0.5), "b": known()}
    ((_, first),) = gate.back(0, 0.0, 0.0, standings, a=9, b=9)
    assert first == Turn(IP, 0.0, {"b": known()}, VISITS_A_TURN, may_wait=False), "it was the other's turn"
    ((_, second),) = gate.back(1, 1.0, 0.0, {"b": known(0.25, 0.5)}, b=5)
    assert second == Turn(IP, 0.0, {"a": known(), "b": Standing(0.25, 0, 10, 0.5)}, VISITS_A_TURN, may_wait=True)


@pytest.mark.parametrize(("weight", "visits"), [(9, VISITS_A_TURN), (99, 4)])
def test_a_turn_is_over_when_a_site_is_ready_that_the_crawl_will_last_wait_for(
    gate: Gate, weight: int, visits: int
) -> None:
    gate.want(0, "a", 9, 0.0)
    gate.want(1, "b", weight, 0.0)
    ((rank, turn),) = gate.back(0, 0.0, 0.0, {"a": known(), "b": known(2.0)}, a=9)
    assert (rank, turn) == (0, Turn(IP, 0.0, {"a": known()}, visits, may_wait=False))


@pytest.mark.parametrize(
    ("standing", "late", "visits"),
    [
        (Standing(2.0, 0, 9, 1.0), 1.0, 4),
        (Standing(2.0, 0, 9, 1.0), 1.1, VISITS_A_TURN),
        (Standing(2.0, 0, 1, 1.0), 0.5, 4),
        (Standing(2.0, 0, 1, 1.0), 0.6, VISITS_A_TURN),
    ],
    ids=["known, in time", "known, late", "hardly known, in time", "hardly known, late"],
)
def test_a_turn_is_for_all_visits_where_who_wants_the_other_site_is_late_anyway(
    gate: Gate, standing: Standing, late: float, visits: int
) -> None:
    """A rank that is later than its site, or server, has to rest has so much else to do that no delay binds."""
    gate.want(1, "b", 99, 0.0)
    gate.want(0, "a", 9, 0.0)
    ((rank, turn),) = gate.back(1, 0.0, standings={"b": standing}, late=late, b=99)
    assert (rank, turn) == (0, Turn(IP, 0.0, {"a": Standing(pace=1.0)}, visits, may_wait=False))


def test_while_sites_are_hardly_known_a_turn_is_for_what_the_rank_s_own_need(gate: Gate) -> None:
    """Two visits each, of which one may have been made; a rank that knows its own well has one visit."""
    gate.want(0, "a", 9, 0.0)
    for name in ("b", "c"):
        gate.want(1, name, 1, 0.0)
    ((rank, turn),) = gate.back(0, 0.0, 0.0, {"a": known()}, a=9)
    assert (rank, turn) == (1, Turn(IP, 0.0, {name: Standing(pace=1.0) for name in "bc"}, 4, may_wait=False))
    gate.want(2, "d", 1, 0.5)
    ((rank, turn),) = gate.back(1, 1.0, 0.0, {"c": Standing(0.0, 0, 1, 1.0)}, b=0, c=1)
    assert (rank, turn) == (0, Turn(IP, 0.0, {"a": known()}, 1, may_wait=False)), "it has waited longest"
    ((rank, turn),) = gate.back(0, 2.0, 0.0, {"a": known(1.0)}, a=8)
    assert (rank, turn) == (1, Turn(IP, 0.0, {"c": Standing(0.0, 0, 1, 1.0)}, 1, may_wait=False))


def test_a_turn_is_for_few_sites_however_many_there_are(gate: Gate) -> None:
    """The one whose turn it is, those with most to do, and of those that have rested, too; none that rests longer."""
    weights = {f"s{number}": 1 + number % 97 for number in range(20 * SITES_A_TURN)}
    rests = {97: 20.0, 96: 5.0, 95: 5.0, 94: 5.0}
    for name, weight in weights.items():
        gate.want(1, name, weight, 0.0)
    gate.want(0, "other", 1, 0.0)
    standings = {name: known(rests.get(weight, 0.0)) for name, weight in weights.items()}
    ((rank, turn),) = gate.back(1, 0.0, 0.0, standings, **weights)
    assert (rank, list(turn.standings)) == (0, ["other"]), "it is hardly known"
    ((rank, turn),) = gate.back(0, 1.0, 0.0, {"other": known()}, other=1)
    assert rank == 1
    assert "s0" in turn.standings, "it has waited longest"
    given = sorted((weights[name] for name in turn.standings if name != "s0"), reverse=True)
    most, rested = (
        sorted((weight for weight in weights.values() if rests.get(weight, 0.0) <= longest), reverse=True)
        for longest in (5.0, 0.0)
    )
    assert given == most[: SITES_A_TURN // 2 - 1] + rested[: SITES_A_TURN // 2 - 1]


def test_a_turn_is_for_no_site_twice(gate: Gate) -> None:
    """Those with most to do have all rested."""
    names = [f"s{number}" for number in range(2 * SITES_A_TURN)]
    for name in names:
        gate.want(1, name, 9, 0.0)
    gate.want(0, "other", 1, 0.0)
    gate.back(1, 0.0, 0.0, dict.fromkeys(names, known()), **dict.fromkeys(names, 9))
    ((rank, turn),) = gate.back(0, 1.0, 0.0, {"other": known()}, other=1)
    assert (rank, len(turn.standings)) == (1, SITES_A_TURN // 2)


def test_rests_count_from_the_return_s_receipt(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.want(1, "b", 1, 0.0)
    gate.back(0, 50.0, rest=2.0, a=1)
    assert gate.keeper.next_time() == 52.0 - HANDOVER_SECONDS


def test_an_unused_turn_comes_back_and_goes_to_the_next(gate: Gate) -> None:
    gate.want(0, "a", 1, 0.0)
    gate.want(1, "a", 1, 0.0)
    ((first, _),) = gate.back(0, 0.0, a=1)
    ((second, turn),) = gate.back(first, 0.3, a=1)
    assert {first, second} == {0, 1}
    assert turn == Turn(IP, 0.0, {"a": Standing(0.0, 0, 1, 1.0)}, VISITS_A_TURN, may_wait=True)


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
        assert lease == Lease(IP, SLICE_SECONDS, 0.0, {}, VISITS_A_TURN)
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
    ((_, given),) = gate.at(8.0 - HANDOVER_SECONDS)
    assert isinstance(given, Lease if server_delay < HANDOVER_SECONDS else Turn)
    assert given.rest == pytest.approx(HANDOVER_SECONDS)
