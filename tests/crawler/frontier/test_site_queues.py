"""Queues of sites: as a deque for each site, whatever fits in memory."""

from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier import site_queues
from crawler.frontier.back_link_sites import site_hashes
from crawler.frontier.site_queues import SiteQueues
from sessions.session import SessionError
from tests.crawler.support.batches import batch_of, rows_of

SITES = 12
STEPS = st.lists(
    st.tuples(st.booleans(), st.integers(0, SITES - 1), st.integers(0, 30), st.integers(1, SITES)), max_size=60
)


def site_of(number: int) -> int:
    return int(site_hashes([f"http://s{number}.example/"])[0])


@settings(derandomize=True, deadline=None, max_examples=150)
@given(STEPS, st.sampled_from([1, 3_000, 20_000, 1 << 20]), st.sampled_from([1, 7, 2048]))
def test_each_site_is_first_in_first_out(
    steps: list[tuple[bool, int, int, int]], memory: int, most_in_block: int
) -> None:
    expected: dict[int, deque[str]] = {site_of(number): deque() for number in range(SITES)}
    found = 0
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_queues, "_MOST_IN_BLOCK", most_in_block)
        patch.setattr(site_queues, "_DEAD_ROWS", 2)
        queues = SiteQueues(Path(folder), memory)
        for is_found, site, count, spread in steps:
            if is_found:
                urls = [f"http://s{(site + place % spread) % SITES}.example/{found + place}" for place in range(count)]
                found += count
                queues.add(batch_of(urls), site_hashes(urls))
                for url in urls:
                    expected[int(site_hashes([url])[0])].append(url)
            else:
                its = expected[site_of(site)]
                assert queues.take(site_of(site), count).urls == [its.popleft() for _ in range(min(count, len(its)))]
            waiting = {site: len(urls) for site, urls in expected.items()}
            assert len(queues) == sum(waiting.values())
            assert sorted(queues.sites().tolist()) == sorted(site for site, urls in waiting.items() if urls)
            assert queues.waiting(np.array(list(waiting), np.uint64)).tolist() == list(waiting.values())
        drained = [url for batch in queues.drain() for url in batch.urls]
        assert sorted(drained) == sorted(url for urls in expected.values() for url in urls)
        assert len(queues) == len(queues.sites()) == 0


def test_what_travels_with_a_url_comes_back_from_disk(tmp_path: Path) -> None:
    names = [f"http://s{number % 3}.example/{number}" for number in range(90)]
    batch = batch_of(names, list(range(90)), [number % 7 for number in range(90)], [number % 3 for number in range(90)])
    queues = SiteQueues(tmp_path, 1)
    queues.add(batch, site_hashes(names))
    assert sorted(row for some in queues.drain() for row in rows_of(some)) == sorted(rows_of(batch))


def test_files_go_once_their_blocks_are_read(tmp_path: Path) -> None:
    queues = SiteQueues(tmp_path, 1)
    for turn in range(50):
        names = [f"http://s{number}.example/{turn}" for number in range(40)]
        queues.add(batch_of(names), site_hashes(names))
    assert queues.traffic.written > 0
    for number in range(40):
        assert len(queues.take(site_of(number), 100)) == 50
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 16 << 20


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    queues = SiteQueues(tmp_path, 1)
    names = [f"http://s.example/{number}" for number in range(40)]
    queues.add(batch_of(names), site_hashes(names))
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(SessionError, match=r"sites-000001\.blocks, URLs that wait, is cut off"):
        queues.take(int(site_hashes(names)[0]), 100)
    queues = SiteQueues(tmp_path, 1)
    queues.add(batch_of(names), site_hashes(names))
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(SessionError, match=r"damaged"):
        queues.take(int(site_hashes(names)[0]), 100)
