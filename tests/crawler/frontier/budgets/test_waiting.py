"""Counts of waiting URLs."""

from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets.beast import Beast
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.waiting import WaitingUrls
from tests.crawler.frontier.budgets.support.streams import hashes
from tests.crawler.support.batches import batch_of


@settings(deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 9), max_size=60), st.integers(0, 60))
def test_what_came_and_has_not_left(domains: list[int], gone: int) -> None:
    waiting = WaitingUrls()
    waiting.add(hashes(domains))
    waiting.remove(hashes(domains[:gone]))
    left = Counter(domains[gone:])
    assert waiting.of(hashes(range(10))).tolist() == [left[domain] for domain in range(10)]


def test_domains_that_share_a_cell_have_what_both_have_and_cancel_out() -> None:
    waiting = WaitingUrls(cells=2)
    many = np.arange(1000, dtype=np.uint64) << np.uint64(16)
    waiting.add(many)
    assert waiting.of(many[:2]).tolist() == [500, 500]
    waiting.remove(many)
    assert waiting.of(many).sum() == 0
    assert waiting.nbytes == 8


def test_beast_counts_what_is_staged_in_the_ring_and_failed_until_it_is_taken(tmp_path: Path) -> None:
    beast = Beast(tmp_path, 1 << 20)
    urls = [f"http://h{page}.d{domain}.example/" for page in range(50) for domain in range(3)]
    domains = domain_hashes(urls[:3])
    beast.add(batch_of(urls))
    assert beast.waiting(domains).tolist() == [50, 50, 50]
    beast.place(lambda some: np.full(len(some), 5))
    assert beast.failed > 0
    assert beast.waiting(domains).tolist() == [50, 50, 50]
    beast.move_on()
    assert len(beast.take(9)) == 9
    assert beast.waiting(domains).tolist() == [47, 47, 47]
    assert sum(map(len, beast.drain())) == 141
    assert beast.waiting(domains).tolist() == [0, 0, 0]
