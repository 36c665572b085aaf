"""The thesis's figures, each from its definition."""

import pytest

from crawler.feasibility.volunteer_needs import (
    Traffic,
    crawl_seconds,
    machines_needed,
    ranking_seconds,
    rate_needed,
    url_store_bytes,
)

PAGES, SECONDS = 4e9, 15_552_000.0


def test_the_thesis_is_reckoned_again() -> None:
    rate = rate_needed(PAGES, SECONDS)
    assert rate == pytest.approx(257.2, abs=0.01)
    assert machines_needed(rate, 200, 0.1) == pytest.approx(5_144, abs=0.1)
    assert url_store_bytes(PAGES, 100, 3) == 1_200e9
    assert Traffic().down(PAGES, SECONDS) == pytest.approx(187_757, abs=0.5)
    assert Traffic().up(PAGES, SECONDS) == pytest.approx(5_151_749, abs=0.5)
    assert ranking_seconds(PAGES, 10_000) == 400_000
    assert ranking_seconds(PAGES, 10_000) / SECONDS == pytest.approx(0.0257, abs=0.0001)


def test_fetches_of_old_pages_lengthen_a_crawl() -> None:
    assert crawl_seconds(1_000, 10) == 100
    assert crawl_seconds(900, 10, 0.9) == pytest.approx(100)
    assert rate_needed(900, crawl_seconds(900, 7, 0.9), 0.9) == pytest.approx(7)
