"""The model of budgets on disk: the paper's figures, and passes over queues added up one by one."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.feasibility.budget_disk_model import (
    Crawl,
    beast_disk_limit,
    beast_disk_rate,
    beast_queues,
    naive_disk_rate,
    passes,
)

PAPER = Crawl()
quickly = settings(deadline=None, derandomize=True)
pages = st.floats(1e6, 1e14)


@pytest.mark.parametrize(("crawled", "stated", "half_a_digit"), [(1e8, 3.8, 0.05), (8e9, 83, 0.5), (8e10, 826, 1)])
def test_the_naive_rates_of_the_paper(crawled: float, stated: float, half_a_digit: float) -> None:
    assert abs(naive_disk_rate(PAPER, crawled) / 1e6 - stated) < half_a_digit


def test_the_limit_and_the_queues_of_the_paper() -> None:
    assert beast_disk_limit(PAPER) / 1e6 == pytest.approx(8.2, rel=0.01)
    assert [beast_queues(PAPER, crawled) for crawled in (1e8, 8e9, 8e10)] == [1, 16, 128]


@quickly
@given(pages, pages)
def test_beast_has_a_limit_and_the_naive_method_has_none(few: float, many: float) -> None:
    few, many = sorted((few, many))
    assert beast_disk_rate(PAPER, few) <= beast_disk_rate(PAPER, many) < beast_disk_limit(PAPER)
    assert naive_disk_rate(PAPER, many) * passes(PAPER, few) == pytest.approx(
        naive_disk_rate(PAPER, few) * passes(PAPER, many)
    )


def test_one_pass_is_all_that_a_small_crawl_needs() -> None:
    small = PAPER.budget * PAPER.domains
    assert passes(PAPER, small) == passes(PAPER, 1.0) == 1.0
    assert beast_queues(PAPER, small) == 1
    once = 2 * PAPER.rate * PAPER.url_bytes
    assert beast_disk_rate(PAPER, small) == pytest.approx(naive_disk_rate(PAPER, small) + once)


@quickly
@given(st.integers(1, 10**6))
def test_queues_are_doubled_until_they_are_enough(needed: int) -> None:
    crawl = replace(PAPER, budget=1.0, domains=1.0)
    queues = emptied = 1
    while emptied < needed:
        queues *= 2
        emptied += queues
    assert beast_queues(crawl, float(needed)) == queues


@pytest.mark.parametrize("doublings", range(40))
def test_a_pass_of_each_queue_since_the_first_is_one_less_than_twice_the_queues(doublings: int) -> None:
    crawl = replace(PAPER, budget=1.0, domains=1.0)
    assert beast_queues(crawl, 2.0 ** (doublings + 1) - 1) == 2**doublings


@quickly
@given(st.integers(1, 300), st.integers(2, 20))
def test_the_naive_rate_is_that_of_the_last_pass(passed: int, unique_urls: int) -> None:
    crawl = Crawl(rate=1.0, url_bytes=1.0, unique_urls=float(unique_urls), budget=1000.0, domains=1.0)
    waiting = moved = 0.0
    for _ in range(passed):  # 1,000 pages a pass; what they bring waits, and is read and written in every pass
        waiting += 1000 * (unique_urls - 1)
        moved = 2 * waiting
    assert naive_disk_rate(crawl, 1000.0 * passed) == pytest.approx(moved / 1000)
