"""The queue whose middle lies on disk, against a deque."""

from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontcoding import decode
from crawler.ordering import ORDERINGS, ordering_named
from crawler.urlqueue import UrlQueue
from tests.crawler.batches import batch_of, rows_of

LARGEST_ADD = 9
STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, LARGEST_ADD)), max_size=60)


def on_disk(folder: Path) -> int:
    """How many URLs lie in a folder's segment files."""
    return sum(len(decode(path.read_bytes())) for path in folder.iterdir()) if folder.exists() else 0


@settings(derandomize=True, deadline=None, max_examples=150)
@given(STEPS, st.integers(1, 40))
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
        assert rows_of(queue.take(came)) == list(expected)
        assert len(queue) == 0
        assert not folder.exists() or not list(folder.iterdir())


@settings(derandomize=True, deadline=None, max_examples=50)
@given(STEPS, st.integers(4, 40))
def test_no_more_than_its_share_is_in_memory(steps: list[tuple[bool, int]], memory: int) -> None:
    with TemporaryDirectory() as name:
        queue = UrlQueue(Path(name), "test", memory)
        for is_add, count in [*steps, (True, LARGEST_ADD), (True, LARGEST_ADD), (False, 1)] * 3:
            if is_add:
                queue.add(batch_of(["http://a.example/"] * count))
            else:
                queue.take(count)
            assert len(queue) - on_disk(Path(name)) <= memory + 4 * LARGEST_ADD
            assert all(len(decode(path.read_bytes())) >= memory // 4 for path in Path(name).iterdir()), "tiny files"


def test_a_long_queue_lies_on_disk_and_a_short_one_touches_none(tmp_path: Path) -> None:
    queue = UrlQueue(tmp_path / "queue", "test", memory=100)
    for number in range(9):
        queue.add(batch_of([f"http://a.example/{number}/{i}" for i in range(10)]))
    assert not (tmp_path / "queue").exists()
    for number in range(200):
        queue.add(batch_of([f"http://b.example/{number}/{i}" for i in range(10)]))
    assert len(queue) - on_disk(tmp_path / "queue") <= 100 + 4 * 10


def test_two_queues_share_a_folder(tmp_path: Path) -> None:
    queues = [UrlQueue(tmp_path, name, memory=4) for name in ("one", "two")]
    for number in range(50):
        for name, queue in enumerate(queues):
            queue.add(batch_of([f"http://{name}.example/{number}"]))
    for name, queue in enumerate(queues):
        assert queue.take(50).urls == [f"http://{name}.example/{number}" for number in range(50)]


def test_breadth_first_is_first_come_first_served(tmp_path: Path) -> None:
    ordering = ordering_named("bfs", tmp_path, 8)
    for start in range(0, 90, 3):
        ordering.add(batch_of([f"http://a.example/{number}" for number in range(start, start + 3)]))
    assert len(ordering) == 90
    assert list(tmp_path.iterdir())
    assert ordering.take(50).urls == [f"http://a.example/{number}" for number in range(50)]
    assert ordering.take(50).urls == [f"http://a.example/{number}" for number in range(50, 90)]
    assert not list(tmp_path.iterdir())
    assert set(ORDERINGS) == {"bfs"}


def test_an_ordering_has_the_memory_that_it_is_given(tmp_path: Path) -> None:
    for memory, has_files in ((400, False), (100, True)):
        ordering = ordering_named("bfs", tmp_path / str(memory), memory)
        for number in range(200):
            ordering.add(batch_of([f"http://a.example/{number}"]))
        assert (tmp_path / str(memory)).exists() == has_files
