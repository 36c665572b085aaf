"""The queue whose middle lies on disk, against a deque."""

import tracemalloc
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.ordering import ordering_named
from crawler.frontier.url_queue import BYTES_BESIDE_TEXT, UrlQueue
from crawler.urls.batch import UrlBatch
from sessions.session import SessionError
from tests.crawler.support.batches import batch_of, rows_of

LARGEST_ADD = 9
STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, LARGEST_ADD)), max_size=40)
MEMORY = st.integers(1, 12_000)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(STEPS, MEMORY)
def test_urls_leave_in_the_order_in_which_they_came(steps: list[tuple[bool, int]], memory: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "made when needed"
        queue = UrlQueue(folder, "test", memory)
        expected: deque[tuple[str, int, int, int, int]] = deque()
        came = 0
        for is_add, count in steps:
            if is_add:
                batch = batch_of([f"http://a.example/{came + i}" for i in range(count)], range(came, came + count))
                came += count
                queue.add(batch)
                expected.extend(rows_of(batch))
            else:
                taken = rows_of(queue.take(count))
                assert taken == [expected.popleft() for _ in range(min(count, len(expected)))]
            assert len(queue) == len(expected)
        rest = [queue.take(came)] if came % 2 else queue.drain()
        assert [row for batch in rest for row in rows_of(batch)] == list(expected)
        assert len(queue) == 0
        assert not folder.exists() or not list(folder.iterdir())


@settings(derandomize=True, deadline=None, max_examples=60)
@given(STEPS, MEMORY)
def test_what_came_last_takes_three_eighths_of_the_memory_at_most(steps: list[tuple[bool, int]], memory: int) -> None:
    with TemporaryDirectory() as name:
        queue = UrlQueue(Path(name), "test", memory)
        for is_add, count in [*steps, (True, LARGEST_ADD), (False, 1)] * 3:
            if is_add:
                queue.add(batch_of(["http://a.example/"] * count))
            else:
                queue.take(count)
            assert 0 <= queue.tail_bytes <= 3 * memory // 8
            assert queue.tail_bytes <= len(queue) * (BYTES_BESIDE_TEXT + len("http://a.example/"))


def test_a_long_queue_lies_on_disk_and_a_short_one_touches_none(tmp_path: Path) -> None:
    queue = UrlQueue(tmp_path / "queue", "test", memory=100_000)
    some = batch_of([f"http://a.example/{number}" for number in range(10)])
    for _ in range(37):
        queue.add(some)
    assert not (tmp_path / "queue").exists()
    assert not any(queue.traffic)
    for _ in range(200):
        queue.add(some)
    assert list((tmp_path / "queue").iterdir())
    assert queue.traffic.written


def test_its_memory_is_bounded_in_bytes_however_many_urls_it_holds(tmp_path: Path) -> None:
    memory = 1 << 20
    queue = UrlQueue(tmp_path, "test", memory)
    for number in range(3):
        queue.add(_made(number, 400))  # what is loaded when it is first needed does not count
        queue.spill()
        queue.take(400)
    tracemalloc.start()
    try:
        for number in range(100):
            queue.add(_made(number, 400))
            if number % 3 == 0:
                queue.take(100)
        held, _ = tracemalloc.get_traced_memory()
        assert len(queue) * BYTES_BESIDE_TEXT > 2 * memory
        assert held <= memory
        queue.take(20_000)
        held, _ = tracemalloc.get_traced_memory()
        assert held <= memory
    finally:
        tracemalloc.stop()


def test_a_url_takes_the_memory_that_is_reckoned(tmp_path: Path) -> None:
    queue = UrlQueue(tmp_path, "test", memory=1 << 30)
    tracemalloc.start()
    try:
        for number in range(300):
            queue.add(_made(number, 100))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.8 * queue.tail_bytes < held < 1.05 * queue.tail_bytes


def test_two_queues_share_a_folder(tmp_path: Path) -> None:
    queues = [UrlQueue(tmp_path, name, memory=4) for name in ("one", "two")]
    for number in range(50):
        for name, queue in enumerate(queues):
            queue.add(batch_of([f"http://{name}.example/{number}"]))
    for name, queue in enumerate(queues):
        assert queue.take(50).urls == [f"http://{name}.example/{number}" for number in range(50)]


def test_a_damaged_file_is_told_by_its_name(tmp_path: Path) -> None:
    queue = UrlQueue(tmp_path, "test", memory=4)
    for number in range(3):
        queue.add(_made(number, 30))
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert queue.take(30).urls == _made(0, 30).urls
    with pytest.raises(SessionError, match=r"test-000000\.urls, URLs that wait, is damaged at byte"):
        queue.take(30)
    assert len(queue) == 60


def test_breadth_first_is_first_come_first_served_over_the_disk(tmp_path: Path) -> None:
    ordering = ordering_named("bfs", tmp_path, 2000)
    for start in range(0, 90, 3):
        ordering.add(batch_of([f"http://a.example/{number}" for number in range(start, start + 3)]))
    assert len(ordering) == 90
    assert list(tmp_path.iterdir())
    assert ordering.take(50).urls == [f"http://a.example/{number}" for number in range(50)]
    assert ordering.take(50).urls == [f"http://a.example/{number}" for number in range(50, 90)]
    assert not list(tmp_path.iterdir())


def test_an_ordering_has_the_memory_that_it_is_given(tmp_path: Path) -> None:
    for memory, has_files in ((80_000, False), (20_000, True)):
        ordering = ordering_named("bfs", tmp_path / str(memory), memory)
        for number in range(200):
            ordering.add(batch_of([f"http://a.example/{number}"]))
        assert (tmp_path / str(memory)).exists() == has_files


def _made(number: int, count: int) -> UrlBatch:
    return batch_of([f"http://www.site{number:05d}.example/a/path/of/some/length/{i:06d}.html" for i in range(count)])


def test_a_long_queue_is_drained_a_batch_at_a_time(tmp_path: Path) -> None:
    queue = UrlQueue(tmp_path, "test", 1 << 16)
    urls = [f"http://a.example/{number}" for number in range(10_000)]
    queue.add(batch_of(urls))
    sizes, drained = [], []
    for batch in queue.drain():
        sizes.append(len(batch))
        drained += batch.urls
    assert drained == urls
    assert max(sizes) < 5000
    assert not list(tmp_path.iterdir())
