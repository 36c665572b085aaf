"""The disk phase: when it merges."""

from pathlib import Path

import numpy as np

from crawler.drum.drum import Drum
from crawler.drum.kind import CHECK_UPDATE, Kind
from crawler.drum.shape import Shape

SHAPE = Shape(buckets=4, buffer=130, bucket=1000, block=1000, batch=10, table=0)
"""A record of a set takes 13 bytes: buffers hold 10."""


def merges_after(drum: Drum, keys: list[int]) -> int:
    list(drum.put(np.array(keys, np.uint64), CHECK_UPDATE))
    return drum.traffic.merges


def test_the_largest_bucket_decides_when_all_are_merged(tmp_path: Path) -> None:
    drum = Drum(tmp_path, "x", Kind(), budget=0, shape=SHAPE)
    list(drum.put(np.arange(9, dtype=np.uint64), CHECK_UPDATE))
    list(drum.flush())
    first = drum.traffic.merges
    # 9 keys of 8 bytes: four times that is 22 records, 5 a bucket, so a full buffer is what counts.
    assert merges_after(drum, [100 + number + (number % 4 << 62) for number in range(30)]) == first
    assert drum.pending == 30
    assert merges_after(drum, [1 << 62] * 10) == first + 1
    assert drum.pending == 0


def test_batches_grow_with_the_sorted_file_up_to_a_bound(tmp_path: Path) -> None:
    drum = Drum(tmp_path, "x", Kind(), budget=0, shape=SHAPE._replace(bucket=300))
    keys = np.random.default_rng(1).integers(0, 2**64, 6000, np.uint64)
    waited = []
    for part in np.split(keys, 600):
        before = drum.pending
        list(drum.put(part, CHECK_UPDATE))
        if drum.pending < before:
            waited.append(before + 10)
    assert waited[:4] == sorted(waited[:4])
    assert waited[0] < 100
    assert 4 * 200 < waited[-1] <= 4 * 310
