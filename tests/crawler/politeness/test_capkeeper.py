"""The account of capped sites: as many pages as the cap allows are fetched, if there are as many, and never more."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.caps import SITE_CAP, Caps
from crawler.politeness.capkeeper import CapKeeper
from crawler.politeness.messages import Allowance, Spend, Spent
from tests.crawler.politeness.letters import Letters

SITE = "a.example"


@settings(deadline=None, derandomize=True, max_examples=100)
@given(seed=st.integers(0, 2**32), cap=st.integers(1, 30), pages=st.lists(st.integers(0, 20), min_size=1, max_size=4))
def test_the_number_of_pages_is_exact_though_some_are_not_fetched(seed: int, cap: int, pages: list[int]) -> None:
    dice = random.Random(seed)
    letters = Letters()
    keeper = CapKeeper(letters, Caps(cap, None))
    left = {rank: count for rank, count in enumerate(pages) if count}
    good = {rank: {number for number in range(count) if dice.random() < 0.7} for rank, count in left.items()}
    waiting: set[int] = set()
    allowed: dict[int, int] = {}
    fetched = 0
    while left or allowed:
        rank = dice.choice(sorted({*left, *allowed}))
        if rank in allowed:
            left[rank] -= 1
            is_fetched = left[rank] in good[rank]
            fetched += is_fetched
            keeper.spent(Spent(SITE, SITE, int(is_fetched), int(not is_fetched)))
            allowed[rank] -= 1
            if not allowed[rank]:
                del allowed[rank]
            if not left[rank]:
                del left[rank]
        elif rank not in waiting:
            waiting.add(rank)
            keeper.asked(rank, Spend(SITE, SITE, min(left[rank], dice.randint(1, 5))))
        for to, message in letters.take():
            assert isinstance(message, Allowance)
            waiting.remove(to)
            if message.pages:
                allowed[to] = message.pages
            else:
                assert message.reached == SITE_CAP
                assert fetched == cap
                del left[to]
    assert fetched == min(cap, sum(map(len, good.values())))
    assert not keeper._allowed
    assert not keeper._waiting


def test_who_comes_first_is_answered_first() -> None:
    letters = Letters()
    keeper = CapKeeper(letters, Caps(2, None))
    for rank in (3, 1, 2):
        keeper.asked(rank, Spend(SITE, SITE, 2))
    assert letters.take() == [(3, Allowance(SITE, SITE, 2, ""))]
    keeper.spent(Spent(SITE, SITE, 0, 1))
    assert letters.take() == [(1, Allowance(SITE, SITE, 1, ""))]
    keeper.spent(Spent(SITE, SITE, 1, 0))
    assert letters.take() == []
    keeper.spent(Spent(SITE, SITE, 1, 0))
    assert letters.take() == [(2, Allowance(SITE, SITE, 0, SITE_CAP))]


def test_more_than_was_allowed_cannot_be_spent() -> None:
    with pytest.raises(KeyError):
        CapKeeper(Letters(), Caps(2, None)).spent(Spent(SITE, SITE, 1, 0))
