"""How many URLs a workbench takes whose crawl keeps to an order."""

from crawler.fetching.look_ahead import LookAhead


def test_without_an_order_they_come_by_the_thousand_or_not_at_all() -> None:
    anything = LookAhead()
    assert anything.room(5000, 3) == 1024
    assert anything.room(1023, 3) == 0
    assert not anything.widen(3)


def test_with_one_there_are_never_more_than_that() -> None:
    few = LookAhead(10)
    assert few.room(5000, 3) == 7
    assert few.room(5, 3) == 5
    assert few.room(5000, 12) == 0


def test_more_come_while_all_of_them_rest() -> None:
    few = LookAhead(10)
    assert not few.widen(9)  # some are still to come
    assert few.widen(10)
    assert few.room(5000, 10) == 10


def test_some_come_in_any_case() -> None:
    assert LookAhead(0).room(5000, 0) > 0
