"""Queues by budget, and how many URLs of a domain wait in them."""

from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets.beast import Beast
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.queue_pool import QueuePool
from crawler.frontier.budgets.waiting import WaitingUrls
from crawler.frontier.url_queue import UrlQueue
from tests.crawler.frontier.budgets.support.streams import hashes
from tests.crawler.support.batches import batch_of

MEMORY = 80_000


def fill(queue: UrlQueue, count: int) -> None:
    queue.add(batch_of([f"http://a.example/{number:04d}" for number in range(count)]))


def test_the_longest_are_written_when_all_together_are_too_long(tmp_path: Path) -> None:
    pool = QueuePool(tmp_path, MEMORY)
    short, middle, long = (pool.open(name) for name in ("short", "middle", "long"))
    fill(short, 10)
    fill(middle, 60)
    fill(long, 200)
    pool.relieve()
    assert not list(tmp_path.iterdir())
    fill(middle, 40)
    pool.relieve()
    assert [path.name for path in tmp_path.iterdir()] == ["long-000000.urls"]
    assert (long.tail_bytes, short.tail_bytes > 0, middle.tail_bytes > 0) == (0, True, True)
    assert len(long.take(1000)) == 200


def test_traffic_of_closed_queues_is_not_forgotten(tmp_path: Path) -> None:
    pool = QueuePool(tmp_path, MEMORY)
    for number in range(3):
        queue = pool.open(f"queue-{number}")
        fill(queue, 100)
        queue.spill()
        assert pool.traffic.written * number == pool.traffic.read * (number + 1)
        queue.take(100)
        pool.close(queue)
    assert pool.traffic.read == pool.traffic.written > 0
    assert not list(tmp_path.iterdir())


# Counts of waiting URLs.


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
