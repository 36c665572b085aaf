"""What waits when an epoch becomes due is merged in pieces before the epoch closes, if it is much."""

from pathlib import Path

import numpy as np
import pytest

from crawler.discovery import url_seen
from crawler.discovery.depth_limits import Limits
from crawler.discovery.early_merge import EarlyMerge
from crawler.discovery.url_seen import Seen
from crawler.urls.batch import UrlBatch
from sessions.url import url_hashes

_MUCH = 300


class Urls:
    """URLs by number that are looked up, and those that were admitted."""

    def __init__(self, folder: Path, *, in_pieces: bool) -> None:
        self.seen = Seen(folder, "seen", 1 << 17, Limits(None, 20), in_pieces=in_pieces)
        self.found = 0
        self.admitted = 0

    def find(self, count: int) -> None:
        urls = [f"http://a.example/{number}" for number in range(self.found, self.found + count)]
        self.found += count
        zeros = np.zeros(count, np.uint8)
        batch = UrlBatch(urls, url_hashes(urls), zeros.astype(np.uint16), zeros, zeros)
        self.admitted += sum(len(some.batch) for some in self.seen.check_and_add(batch, 0))

    def gather(self) -> None:
        """Find URLs until much waits for a merge."""
        while self.seen.pending <= _MUCH:
            self.find(50)
            while self.seen.is_merging:
                self.merge_on()

    def begin_merge(self) -> None:
        assert not self.seen.is_merging
        assert list(self.seen.begin_merge()) == []

    def merge_on(self) -> None:
        self.admitted += sum(len(some.batch) for some in self.seen.merge_on())


@pytest.fixture
def urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Urls:
    monkeypatch.setattr(url_seen, "_MUCH", _MUCH)
    urls = Urls(tmp_path, in_pieces=True)
    urls.gather()
    return urls


def test_what_has_gathered_is_merged_in_pieces_and_then_the_epoch_need_not_wait(urls: Urls) -> None:
    early, found, pieces = EarlyMerge(urls), urls.found, 0
    while early.is_under_way():
        assert urls.seen.is_merging
        urls.merge_on()
        pieces += 1
        if pieces % 5 == 0:
            urls.find(1)
    assert pieces >= 5
    assert found <= urls.admitted < urls.found
    assert not early.is_under_way()
    assert urls.admitted + urls.seen.pending == urls.found


def test_few_urls_come_beside_those_that_are_merged_ahead(urls: Urls) -> None:
    """A rank that reads pages whenever the merge does not lag: what they bring is left for the epoch's close."""
    early, merged, found = EarlyMerge(urls), urls.seen.pending, urls.found
    while early.is_under_way():
        urls.find(2)
        while urls.seen.merge_lag > 0:
            urls.merge_on()
    assert 0 < urls.found - found <= merged // 8 + 2


def test_a_merge_that_goes_on_comes_to_its_end_before_the_early_one_begins(urls: Urls) -> None:
    urls.begin_merge()
    urls.find(_MUCH // 2)
    merges, early = urls.seen.merges, EarlyMerge(urls)
    found = urls.found
    while early.is_under_way():
        urls.merge_on()
        if urls.seen.merges == merges and urls.found < found + _MUCH:
            urls.find(10)
    assert urls.seen.merges == merges + 2
    assert urls.admitted >= found


def test_each_epoch_has_one_early_merge(urls: Urls) -> None:
    early = EarlyMerge(urls)
    while early.is_under_way():
        urls.merge_on()
    urls.gather()
    assert not early.is_under_way()
    early.epoch_closed()
    assert early.is_under_way()


def test_few_that_wait_and_a_rank_that_merges_at_once_let_the_epoch_close(tmp_path: Path, urls: Urls) -> None:
    for _ in urls.seen.merge():
        pass
    urls.find(5)
    assert not EarlyMerge(urls).is_under_way()
    at_once = Urls(tmp_path / "at once", in_pieces=False)
    (tmp_path / "at once").mkdir()
    at_once.gather()
    assert not EarlyMerge(at_once).is_under_way()
