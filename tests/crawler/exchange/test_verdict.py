"""What the ranks decide together."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.exchange.verdict import STATUS_NUMBERS, EndConditions, Ending, Status, as_row, judge, statuses_from
from crawler.network.web import ERROR_KINDS

IDLE = Status._make([*[0] * (len(Status._fields) - 1), (0,) * len(ERROR_KINDS)])
BUSY = IDLE._replace(queued=5)
ALL = EndConditions(max_pages=10, max_seconds=60.0, max_wait=2.0)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2**63 - 1), min_size=STATUS_NUMBERS, max_size=STATUS_NUMBERS), min_size=1))
def test_a_state_arrives_as_it_was_sent(numbers: list[list[int]]) -> None:
    count = len(ERROR_KINDS)
    states = [Status._make([*row[:-count], tuple(row[-count:])]) for row in numbers]
    assert statuses_from(np.stack([as_row(state) for state in states])) == states


@pytest.mark.parametrize(
    ("ranks", "ending"),
    [
        ([IDLE, IDLE], Ending.COMPLETE),
        ([IDLE, IDLE._replace(is_stopping=1)], Ending.COMPLETE),
        ([IDLE._replace(pages=10), IDLE], Ending.COMPLETE),
        ([IDLE, IDLE._replace(in_flight=1)], None),
        ([IDLE, IDLE._replace(undelivered=1)], None),
        ([IDLE._replace(sent=7), IDLE._replace(received=6)], None),
        ([IDLE._replace(sent=7), IDLE._replace(received=7)], Ending.COMPLETE),
        ([IDLE, BUSY], None),
        ([BUSY, BUSY._replace(is_stopping=1)], Ending.SIGNAL),
        ([BUSY._replace(pages=10, is_stopping=1), BUSY], Ending.SIGNAL),
        ([BUSY._replace(pages=4), BUSY._replace(pages=5)], None),
        ([BUSY._replace(pages=4), BUSY._replace(pages=6)], Ending.MAX_PAGES),
        ([BUSY._replace(pages=4, pages_in_flight=3), BUSY._replace(pages=5, pages_in_flight=1)], None),
        ([BUSY._replace(pages=10, milliseconds=99_000), BUSY], Ending.MAX_PAGES),
        ([BUSY._replace(milliseconds=59_999), BUSY], None),
        ([BUSY._replace(milliseconds=60_000), BUSY], Ending.MAX_SECONDS),
        ([BUSY, BUSY._replace(milliseconds=60_000)], None),
        ([BUSY._replace(milliseconds=60_000, wait_milliseconds=9000)], Ending.MAX_SECONDS),
        ([BUSY._replace(wait_milliseconds=2000), BUSY._replace(wait_milliseconds=9000)], None),
        ([BUSY._replace(wait_milliseconds=2001), BUSY._replace(wait_milliseconds=9000)], Ending.MAX_WAIT),
        ([BUSY._replace(wait_milliseconds=2001), BUSY], None),
        ([BUSY._replace(wait_milliseconds=2001), BUSY._replace(wait_milliseconds=9000, in_flight=1)], None),
        ([BUSY._replace(wait_milliseconds=2001), BUSY._replace(wait_milliseconds=9000, undelivered=1)], None),
    ],
)
def test_how_a_crawl_ends(ranks: list[Status], ending: Ending | None) -> None:
    """Complete before signal, signal before pages, pages before seconds, seconds before wait; rank 0 has the clock."""
    verdict = judge(ranks, ALL)
    assert verdict.ending == ending
    assert verdict.closes_epoch == (ending is not None)


REASONS = {
    Ending.SIGNAL: {"is_stopping": 1},
    Ending.MAX_PAGES: {"pages": 10},
    Ending.MAX_SECONDS: {"milliseconds": 60_000},
    Ending.MAX_WAIT: {"wait_milliseconds": 2001},
}


@pytest.mark.parametrize("holds", list(product([False, True], repeat=len(REASONS))))
def test_of_several_reasons_the_first_is_given_and_every_rank_says_the_same(holds: tuple[bool, ...]) -> None:
    reasons = [ending for ending, does_hold in zip(REASONS, holds, strict=True) if does_hold]
    state = BUSY
    for ending in reasons:
        state = state._replace(**REASONS[ending])
    assert judge([state], ALL).ending == next(iter(reasons), None)
    nothing_left = state._replace(queued=0)
    assert judge([nothing_left], ALL).ending == Ending.COMPLETE
    states = [state, BUSY._replace(wait_milliseconds=5000)]
    verdict = judge(states, ALL)
    assert verdict.ending == next(iter(reasons), None)
    assert judge(statuses_from(np.stack([as_row(each) for each in states])), ALL) == verdict


UNDER_WAY = [{"in_flight": 1}, {"undelivered": 1}, {"sent": 1}, {"mail_sent": 1}, {"lookups": 1}]


@pytest.mark.parametrize("under_way", UNDER_WAY)
def test_a_wait_is_none_while_something_is_under_way(under_way: dict[str, int]) -> None:
    waiting = BUSY._replace(wait_milliseconds=9000)
    assert judge([waiting, waiting], ALL).ending == Ending.MAX_WAIT
    assert judge([waiting, waiting._replace(**under_way)], ALL).ending is None


def test_what_gatekeepers_have_to_say_yet_holds_up_no_end() -> None:
    """When nothing is left to fetch nobody waits for it; what one rank sent and another received is not under way."""
    talking = IDLE._replace(mail_sent=3, lookups=1)
    assert judge([talking, IDLE], ALL).ending == Ending.COMPLETE
    waiting = BUSY._replace(wait_milliseconds=9000)
    assert judge([waiting._replace(mail_sent=3), waiting._replace(mail_received=3)], ALL).ending == Ending.MAX_WAIT


def test_every_number_of_a_state_travels_in_its_own_place() -> None:
    state = Status._make([*range(len(Status._fields) - 1), tuple(range(100, 100 + len(ERROR_KINDS)))])
    row = as_row(state)
    assert (row.dtype, row.shape) == (np.int64, (STATUS_NUMBERS,))
    assert statuses_from(row[None]) == [state]
    assert all(type(number) is int for number in (*statuses_from(row[None])[0][:-1], *state.errors))


def test_credits_go_to_ranks_that_wait_for_anothers_word_too() -> None:
    """Without a credit a rank could not use the visit that it is given, and keep the server from the others."""
    ready = IDLE._replace(queued=900, wait_milliseconds=0)
    waiting = IDLE._replace(queued=4, wait_milliseconds=1 << 60)
    assert judge([ready, waiting], EndConditions(max_pages=20)).credits == [20, 0]
    assert judge([ready, waiting._replace(is_asking=1)], EndConditions(max_pages=20)).credits == [16, 4]


def test_credits_go_to_ranks_that_have_urls() -> None:
    ranks = [IDLE._replace(queued=3, wait_milliseconds=0), IDLE._replace(queued=4, wait_milliseconds=0), IDLE]
    assert judge(ranks, EndConditions(max_pages=7)).credits == [3, 4, 0]


def test_the_last_credit_goes_to_a_rank_that_can_use_it() -> None:
    """A long queue of resting sites on one rank must not hold up another for ever."""
    resting = IDLE._replace(queued=302, wait_milliseconds=100_000_000)
    ready = IDLE._replace(queued=23, wait_milliseconds=0)
    assert judge([resting, ready], EndConditions(max_pages=1)).credits == [0, 1]
    assert judge([resting, resting], EndConditions(max_pages=1, max_wait=1e9)).credits in ([1, 0], [0, 1])


def test_limits_that_are_not_set_end_nothing() -> None:
    much = BUSY._replace(pages=10**9, milliseconds=10**12, wait_milliseconds=299_999)
    verdict = judge([much], EndConditions())
    assert verdict.ending is None
    assert verdict.credits is None


def test_an_epoch_closes_when_rank_0_says_so() -> None:
    assert judge([BUSY._replace(is_epoch_due=1), BUSY], EndConditions()).closes_epoch
    assert not judge([BUSY, BUSY._replace(is_epoch_due=1)], EndConditions()).closes_epoch


def test_an_epoch_that_is_due_waits_for_early_merges_and_the_last_one_does_not() -> None:
    due, merges = {"is_epoch_due": 1}, {"merges_early": 1}
    assert not judge([BUSY._replace(**due), BUSY._replace(**merges)], EndConditions()).closes_epoch
    stopping = BUSY._replace(**merges, is_stopping=1)
    assert judge([BUSY._replace(**due), stopping], EndConditions()).closes_epoch


def test_an_epoch_closes_early_for_a_long_rest_if_rank_0_says_that_it_may() -> None:
    may, has = {"may_epoch_be_early": 1}, {"has_long_rest": 1}
    assert judge([BUSY._replace(**may), BUSY._replace(**has)], EndConditions()).closes_epoch
    assert judge([BUSY._replace(**may, **has), BUSY], EndConditions()).closes_epoch
    assert not judge([BUSY._replace(**may), BUSY], EndConditions()).closes_epoch
    assert not judge([BUSY, BUSY._replace(**may, **has)], EndConditions()).closes_epoch


STATES = st.builds(
    lambda queued, undelivered, pages, in_flight: IDLE._replace(
        queued=queued, undelivered=undelivered, pages=pages, pages_in_flight=in_flight, in_flight=in_flight
    ),
    *[st.integers(0, 20)] * 4,
)


@settings(derandomize=True, deadline=None)
@given(st.lists(STATES, min_size=1, max_size=6), st.integers(0, 50))
def test_recorded_and_in_flight_and_free_are_the_limit(ranks: list[Status], spare: int) -> None:
    used = sum(rank.pages + rank.pages_in_flight for rank in ranks)
    credits = judge(ranks, EndConditions(max_pages=used + spare)).credits
    assert credits is not None
    assert used + sum(credits) == used + spare
    demands = [rank.queued + rank.undelivered for rank in ranks]
    if spare <= sum(demands):
        assert all(share <= demand for share, demand in zip(credits, demands, strict=True))
