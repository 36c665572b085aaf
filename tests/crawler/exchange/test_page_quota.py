"""The page limit shared out."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.exchange.page_quota import Credits, shares
from crawler.exchange.verdict import EndConditions, Status, judge
from crawler.network.web import ERROR_KINDS

DEMANDS = st.lists(st.integers(0, 30), min_size=1, max_size=8)


def poured(pool: int, demands: list[int]) -> list[int]:
    """Water poured into glasses, drop by drop into the emptiest that is not full; what is over, one by one to all."""
    given_out = [0] * len(demands)
    for _ in range(min(pool, sum(demands))):
        unmet = [rank for rank, demand in enumerate(demands) if given_out[rank] < demand]
        given_out[min(unmet, key=given_out.__getitem__)] += 1
    over = pool - sum(given_out)
    return [share + over // len(demands) + (rank < over % len(demands)) for rank, share in enumerate(given_out)]


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 100), DEMANDS)
def test_credits_go_where_they_can_be_used_and_as_evenly_as_that_allows(pool: int, demands: list[int]) -> None:
    given_out = shares(pool, demands)
    assert sum(given_out) == pool
    if pool <= sum(demands):
        assert all(share <= demand for share, demand in zip(given_out, demands, strict=True))
        assert sorted(given_out) == sorted(poured(pool, demands))
    else:
        assert given_out == poured(pool, demands)


@pytest.mark.parametrize(
    ("pool", "demands", "expected"),
    [
        (10, [100, 0], [10, 0]),
        (10, [100, 3], [7, 3]),
        (10, [0, 0], [5, 5]),
        (3, [0, 0, 0, 0], [1, 1, 1, 0]),
        (10, [2, 0, 1], [5, 2, 3]),
        (0, [5, 5], [0, 0]),
        (7, [9], [7]),
    ],
)
def test_shares_in_plain_cases(pool: int, demands: list[int], expected: list[int]) -> None:
    assert shares(pool, demands) == expected


def test_without_a_limit_there_is_always_a_credit() -> None:
    credits = Credits(is_limited=False)
    for _ in range(5):
        credits.take()
        assert credits.available
    credits.replace(None)
    assert credits.available


def test_with_a_limit_there_are_none_until_they_are_shared_out() -> None:
    credits = Credits(is_limited=True)
    assert not credits.available
    credits.replace(2)
    credits.take()
    assert credits.available
    credits.take()
    assert not credits.available
    credits.give_back()
    assert credits.available
    credits.replace(0)
    assert not credits.available


def test_as_many_pages_may_be_requested_as_there_are_credits() -> None:
    credits = Credits(is_limited=True)
    assert credits.at_most(5) == 0
    credits.replace(3)
    assert [credits.at_most(wanted) for wanted in (0, 2, 3, 4)] == [0, 2, 3, 3]
    credits.take()
    assert credits.at_most(5) == 2
    assert credits.at_most(5) == 2, "asking uses none up"
    credits.replace(-1)  # more is in flight than there are credits
    assert credits.at_most(5) == 0
    assert Credits(is_limited=False).at_most(5) == 5


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 100), DEMANDS)
def test_equal_ranks_differ_by_one_at_most_and_who_wants_more_gets_no_less(pool: int, demands: list[int]) -> None:
    given_out = shares(pool, demands)
    assert given_out == shares(pool, tuple(demands)), "every rank computes the same"
    pairs = [(wanted, got) for wanted, got in zip(demands, given_out, strict=True)]
    for wanted, got in pairs:
        for other_wanted, other_got in pairs:
            if wanted == other_wanted:
                assert abs(got - other_got) <= 1
            if wanted > other_wanted and pool <= sum(demands):
                assert got >= other_got


class SimulatedRank:
    """A rank that fetches ``queued`` pages as far as its credits go."""

    def __init__(self, queued: int) -> None:
        self.credits = Credits(is_limited=True)
        self.free = 0  # counted apart from `Credits`
        self.queued = queued
        self.in_flight = self.pages = 0

    def start(self) -> None:
        assert self.credits.available == (self.free > 0)
        if self.queued and self.credits.available:
            self.credits.take()
            self.free -= 1
            self.queued -= 1
            self.in_flight += 1

    def finish(self, *, is_good: bool) -> None:
        if self.in_flight:
            self.in_flight -= 1
            if is_good:
                self.pages += 1
            else:
                self.credits.give_back()
                self.free += 1

    def status(self) -> Status:
        zeros = Status._make([*[0] * (len(Status._fields) - 1), (0,) * len(ERROR_KINDS)])
        return zeros._replace(
            queued=self.queued, in_flight=self.in_flight, pages_in_flight=self.in_flight, pages=self.pages
        )


def share_out(ranks: list[SimulatedRank], limit: int) -> bool:
    """An exchange; True if the crawl ends."""
    verdict = judge([rank.status() for rank in ranks], EndConditions(max_pages=limit))
    assert verdict.credits is not None
    for rank, free in zip(ranks, verdict.credits, strict=True):
        rank.credits.replace(free)
        rank.free = free
    return verdict.ending is not None


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=5), st.integers(0, 60), st.integers(0, 2**32))
def test_a_crawl_ends_at_the_limit_exactly_and_never_passes_it(queues: list[int], limit: int, seed: int) -> None:
    dice = random.Random(seed)
    ranks = [SimulatedRank(queued) for queued in queues]
    failed = 0
    for _ in range(1000):
        if share_out(ranks, limit):
            break
        for _ in range(dice.randrange(30)):
            rank = dice.choice(ranks)
            if dice.random() < 0.5:
                rank.start()
            else:
                is_good = dice.random() < 0.7
                failed += bool(rank.in_flight and not is_good)
                rank.finish(is_good=is_good)
            assert sum(rank.pages + rank.in_flight + rank.free for rank in ranks) == limit
    else:
        raise AssertionError("no end")
    assert sum(rank.pages for rank in ranks) == min(limit, sum(queues) - failed)
