"""Queues that share one memory."""

from pathlib import Path

from crawler.frontier.budgets.queue_pool import QueuePool
from crawler.frontier.url_queue import UrlQueue
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
