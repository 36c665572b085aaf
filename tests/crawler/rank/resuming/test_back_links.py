"""Back-links that are counted again are those of the recorded links, whatever ranks there are now."""

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from crawler.discovery.own_urls import SETTLED
from crawler.frontier.back_link_counts import Counts
from crawler.frontier.back_link_sites import site_hashes
from crawler.frontier.back_links import BackLinks
from crawler.rank.resuming.back_links import Recounting, counted_before, recount
from crawler.urls.batch import UrlBatch
from sessions.schema import UNFOLLOWED
from sessions.url import Hashes
from tests.crawler.support.batches import batch_of
from tests.crawler.support.thread_ranks import FakeExchange, on_ranks

URLS = [f"http://s{number % 7}.example/{number}" for number in range(60)]
RANKS = [1, 2, 3, 4]


class Links:
    """Rows of links tables in the place of `crawler.rank.resuming.rows.Rows`."""

    def __init__(self, targets: Hashes, flags: "np.ndarray[tuple[int], np.dtype[np.uint8]]") -> None:
        self._table = pa.table({"target": targets, "flags": flags})

    def groups(self, _table: str, _columns: Any, _most: int) -> Iterator[list[pa.RecordBatch]]:
        for batch in self._table.to_batches(max_chunksize=40):
            yield [batch]


class Counted:
    """An ordering that notes what it is told."""

    def __init__(self, *, is_of_urls: bool) -> None:
        self.is_counted_by_owner = is_of_urls
        self.counts: Counter[int] = Counter()

    def units(self, batch: UrlBatch) -> Hashes:
        return batch.hashes if self.is_counted_by_owner else site_hashes(batch.urls)

    def count(self, units: Hashes, more: Counts) -> None:
        self.counts.update(dict(zip(units.tolist(), more.tolist(), strict=True)))

    def counted(self, units: Hashes) -> Counts:
        raise AssertionError("nobody asks")

    def end_superstep(self) -> bool:
        return False

    def wanted(self) -> Hashes:
        raise AssertionError("nobody asks")

    def rank(self, units: Hashes, counts: Counts) -> None:
        raise AssertionError("nobody asks")


@pytest.mark.parametrize("is_of_urls", [True, False])
@pytest.mark.parametrize("ranks", RANKS)
def test_each_link_that_leads_on_counts_once(tmp_path: Path, ranks: int, is_of_urls: bool) -> None:
    random = np.random.default_rng(4)
    whole = batch_of(URLS)
    numbers = random.integers(0, len(URLS), 500)
    flags = np.where(random.random(500) < 0.2, UNFOLLOWED, 0).astype(np.uint8)
    owner = np.arange(len(URLS)) * 7 % ranks
    settled = np.arange(len(URLS)) % 4 == 0

    def work(exchange: FakeExchange) -> Counter[int]:
        ordering = Counted(is_of_urls=is_of_urls)
        back_links = BackLinks(ordering, ranks, lambda batch: np.full(len(batch), exchange.rank))
        recounting = Recounting(back_links, exchange, tmp_path / str(exchange.rank), 1 << 20)
        share = slice(exchange.rank, None, ranks)
        counts = recount(Links(whole.hashes[numbers[share]], flags[share]), UNFOLLOWED, recounting)  # type: ignore[arg-type]
        mine = batch_of(
            [url for url, its in zip(URLS, owner.tolist(), strict=True) if its == exchange.rank],
            flags=[SETTLED if its else 0 for its in settled[owner == exchange.rank].tolist()],
        )
        cuts = [*range(0, len(mine), 5 + 3 * exchange.rank), len(mine)]
        batches = [mine.between(first, last) for first, last in itertools.pairwise(cuts)]
        taken = list(counted_before(batches, counts, recounting))
        assert [url for batch in taken for url in batch.urls] == mine.urls
        return ordering.counts

    told: Counter[int] = sum(on_ranks(ranks, work), Counter())
    units = whole.hashes if is_of_urls else site_hashes(URLS)
    leads_on = [number for number, flag in zip(numbers.tolist(), flags.tolist(), strict=True) if not flag]
    expected = Counter(int(units[number]) for number in leads_on if not (is_of_urls and settled[number]))
    assert told == expected
