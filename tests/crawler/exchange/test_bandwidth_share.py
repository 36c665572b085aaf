"""Shares in a limit of bandwidth."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.exchange.bandwidth_share import NO_LIMIT, BandwidthShare, fair_rates, max_min_fair
from crawler.exchange.verdict import Status
from crawler.network.bandwidth import AS_MUCH_AS_IT_GETS, Bandwidth
from crawler.network.timetable import Timetable
from crawler.network.web import ERROR_KINDS

NEEDS = st.lists(st.one_of(st.floats(0, 1e9), st.just(inf)), min_size=1, max_size=9)


def state(need: int = AS_MUCH_AS_IT_GETS, *, host: int = 0, limit: int = 8_000_000, lost: int = 0) -> Status:
    nothing = dict.fromkeys(Status._fields, 0) | {"errors": (0,) * len(ERROR_KINDS)}
    told = {"bandwidth_need": need, "bandwidth_lost": lost, "host": host, "bandwidth_limit": limit}
    return Status(**nothing | told)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pool", "needs", "expected"),
    [
        (12.0, [inf, inf, inf], [4.0, 4.0, 4.0]),
        (12.0, [2.0, inf, inf], [2.0, 5.0, 5.0]),
        (12.0, [2.0, 4.5, inf], [2.0, 4.5, 5.5]),
        (12.0, [1.0, 2.0, 3.0], [3.0, 4.0, 5.0]),
        (12.0, [20.0, 2.0], [10.0, 2.0]),
        (inf, [1.0, inf], [inf, inf]),
    ],
)
def test_max_min_fair_in_plain_cases(pool: float, needs: list[float], expected: list[float]) -> None:
    assert max_min_fair(pool, needs) == pytest.approx(expected)


@given(st.floats(1, 1e9), NEEDS)
def test_shares_are_the_pool_and_no_small_need_goes_unmet_for_a_larger(pool: float, needs: list[float]) -> None:
    """The definition: who has less than it needs has no less than any other."""
    shares = max_min_fair(pool, needs)
    assert sum(shares) == pytest.approx(pool)
    for share, need in zip(shares, needs, strict=True):
        if share < need * (1 - 1e-9):
            assert share == pytest.approx(max(shares))


def test_ranks_that_wait_get_what_others_leave() -> None:
    rates = fair_rates([state(100_000), state(), state()])
    assert rates == pytest.approx([100_000, 450_000, 450_000])


def test_a_rank_without_need_can_begin() -> None:
    rates = fair_rates([state(0), state()])
    assert rates == pytest.approx([10_000, 990_000])


def test_what_a_rank_lost_is_made_up_for_if_another_waited() -> None:
    assert fair_rates([state(100_000, lost=50_000), state()]) == pytest.approx([100_000, 950_000])
    assert fair_rates([state(100_000, lost=500_000), state()]) == pytest.approx([100_000, 1_150_000])
    assert fair_rates([state(100_000, lost=50_000), state(100_000)]) == pytest.approx([500_000, 500_000])
    hosts = [state(50_000, lost=10_000), state(), state(host=1)]
    assert fair_rates(hosts, 400_000) == pytest.approx([50_000, 360_000, 400_000])


def test_rank_0_says_the_limit() -> None:
    assert fair_rates([state(limit=16_000_000), state(limit=8)]) == pytest.approx([1e6, 1e6])
    assert fair_rates([state(limit=NO_LIMIT), state()]) == [inf, inf]


@given(
    st.lists(st.tuples(st.integers(-1, 10**7), st.integers(0, 3)), min_size=1, max_size=12),
    st.one_of(st.just(NO_LIMIT), st.integers(10**5, 10**9)),
    st.one_of(st.just(inf), st.floats(1e4, 1e8)),
)
def test_no_host_and_not_all_ranks_get_more_than_they_may(
    ranks: list[tuple[int, int]], limit: int, host_limit: float
) -> None:
    states = [state(need, host=host, limit=limit) for need, host in ranks]
    rates = fair_rates(states, host_limit)
    assert all(rate > 0 for rate in rates)
    if limit != NO_LIMIT:
        assert sum(rates) <= limit / 8 * (1 + 1e-9)
    for host in {host for _, host in ranks}:
        its = [rate for rate, (_, where) in zip(rates, ranks, strict=True) if where == host]
        assert sum(its) <= host_limit * (1 + 1e-9)


def test_a_rank_begins_with_an_even_share_and_tells_what_it_needs() -> None:
    bandwidth = Bandwidth()
    share = BandwidthShare(bandwidth, Timetable(8_000_000), 4_000_000, 4, 0.0)
    assert bandwidth.rate == 125_000
    bandwidth.arrive(1000)
    told = share.state(1.0)
    assert (told.bandwidth_limit, told.bandwidth_need, told.network_bytes) == (8_000_000, 1100, 1000)
    states = [state(host=number // 2) for number in range(4)]
    share.take(states, 3, 1.0)
    assert bandwidth.rate == 250_000
    assert BandwidthShare(Bandwidth(), Timetable(), None, 4, 0.0).state(1.0).bandwidth_limit == NO_LIMIT


def test_hosts_have_numbers_that_travel() -> None:
    host = BandwidthShare(Bandwidth(), Timetable(), None, 1, 0.0).state(0.0).host
    assert 0 <= host < 1 << 63
