"""Many queues that share a memory, against plain ones."""

import random
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.backlogs import BYTES_BESIDE_TEXT, Backlog, Backlogs
from crawler.politeness.entry import Entry
from sessions.session import SessionError
from sessions.url import url_hash


def entry(number: int) -> Entry:
    url = f"http://a.example/{number}"
    return Entry(url, url_hash(url), number % 0x10000, number % 0x100, number % 5, number % 3 == 0)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32), memory=st.sampled_from([1, 3000, 100_000]))
def test_each_queue_gives_what_it_got_in_order_wherever_it_lies(seed: int, memory: int) -> None:
    dice = random.Random(seed)
    with TemporaryDirectory() as folder:
        pool = Backlogs(Path(folder) / "scratch", memory)
        queues = [Backlog(pool) for _ in range(5)]
        model: list[deque[Entry]] = [deque() for _ in queues]
        for number in range(dice.randint(1, 600)):
            which = dice.randrange(5)
            if dice.random() < 0.6:
                queues[which].push(entry(number))
                model[which].append(entry(number))
            elif model[which]:
                assert queues[which].first() == model[which][0]
                assert queues[which].pop() == model[which].popleft()
            if dice.random() < 0.1:
                pool.relieve()
                assert sum(queue.bytes for queue in queues) <= memory
            assert list(map(len, queues)) == list(map(len, model))
            assert len(pool) == sum(map(len, model))
            assert pool.queues == sum(map(bool, model))
        assert sorted(one for rows in pool.drain() for one in rows) == sorted(one for rows in model for one in rows)
        assert len(pool) == pool.queues == 0
        scratch = Path(folder) / "scratch"
        assert not scratch.exists() or not list(scratch.iterdir())


def test_the_longest_are_written_first_and_each_url_once(tmp_path: Path) -> None:
    pool = Backlogs(tmp_path, 60 * BYTES_BESIDE_TEXT)
    short, long = Backlog(pool), Backlog(pool)
    for number in range(1000):
        long.push(entry(number))
        if number % 100 == 0:
            short.push(entry(number))
        pool.relieve()
    assert short.bytes
    assert [long.pop() for _ in range(1000)] == [entry(number) for number in range(1000)]
    assert 900 <= pool.traffic.urls_written == pool.traffic.urls_read <= 1000
    assert [short.pop() for _ in range(10)] == [entry(number) for number in range(0, 1000, 100)]
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    pool = Backlogs(tmp_path, 1)
    queue = Backlog(pool)
    queue.push(entry(1))
    pool.relieve()
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(SessionError, match=file.name):
        queue.pop()
