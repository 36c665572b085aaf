"""The domain that has most of the pages in a row."""

from itertools import cycle, islice

from crawler.intake.largest_domain import PAGES_AT_A_TIME, LargestDomain


def shares(sites: list[str], lots: int = 2) -> list[int]:
    largest = LargestDomain()
    told = [largest.page(site) for site in islice(cycle(sites), lots * PAGES_AT_A_TIME)]
    return [most for most in told if most]


def test_a_farm_of_hosts_is_one_domain() -> None:
    farm = [f"h{number}.farm.example" for number in range(30)]
    others = [f"other{number}.example" for number in range(10)]
    assert shares([*farm, *others], 1) == [196]  # three quarters, and four more, since the circle ends within the farm


def test_it_is_told_with_the_last_page_of_each_lot_and_begins_anew() -> None:
    largest = LargestDomain()
    first = [largest.page("a.example") for _ in range(PAGES_AT_A_TIME)]
    second = [largest.page(f"site{number}.example") for number in range(PAGES_AT_A_TIME)]
    assert first == [0] * (PAGES_AT_A_TIME - 1) + [PAGES_AT_A_TIME]
    assert second == [0] * (PAGES_AT_A_TIME - 1) + [1]
