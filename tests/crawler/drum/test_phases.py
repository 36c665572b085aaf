"""How memory is divided, and when a DRUM leaves memory for the disk and merges."""

from pathlib import Path

import numpy as np
import pytest

from crawler.drum.answering import Answering, PutBatch
from crawler.drum.drum import Drum
from crawler.drum.kind import CHECK_UPDATE, Kind, UpdateRule
from crawler.drum.memory_phase import InMemory
from crawler.drum.put_records import record_type
from crawler.drum.shape import Shape, shape_for
from tests.crawler.drum.support.oracle import KINDS, POOL

MIB = 1 << 20


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", [MIB, 16 * MIB, 64 * MIB, 256 * MIB, 1000 * MIB, 4096 * MIB])
def test_the_parts_stay_within_the_budget(kind: str, budget: int) -> None:
    shape = shape_for(budget, KINDS[kind])
    assert shape.buckets & (shape.buckets - 1) == 0
    assert shape.buckets == 1 << shape.prefix_bits
    record = record_type(KINDS[kind]).itemsize
    assert 2 * shape.buckets * shape.buffer <= budget / 4
    assert shape.bucket * (record + 100) <= budget / 2
    assert shape.batch * (record + 100) + 6 * shape.block <= budget / 4
    assert shape.bucket * record >= shape.buffer


def test_the_sizes_that_the_documentation_names() -> None:
    shape = shape_for(256 * MIB, KINDS["seen"])
    assert (shape.buckets, shape.buffer) == (256, 128 << 10)
    shape = shape_for(64 * MIB, KINDS["seen"])
    assert (shape.buckets, shape.buffer) == (128, 64 << 10)


@pytest.mark.parametrize("budget", [1, 100, 4096])
def test_tiny_budgets_have_a_shape(budget: int) -> None:
    assert min(shape_for(budget, KINDS["all rules"])[:5]) >= 1


# The table in memory: its room, its order.

KIND = Kind({"count": ("u2", UpdateRule.ADD)})


def add(memory: InMemory, keys: list[int], count: int = 1) -> None:
    asked = PutBatch(
        np.array(keys, np.uint64), np.full(len(keys), CHECK_UPDATE, np.uint8), np.zeros(len(keys), KIND.note)
    )
    list(memory.put(asked, np.full(len(keys), count, "u2").view(KIND.value), None, Answering(None, 100)))


def content(memory: InMemory) -> dict[int, int]:
    return {
        key: count
        for keys, values in memory.blocks(3)
        for key, count in zip(keys.tolist(), values["count"], strict=True)
    }


def test_keys_come_in_ascending_order() -> None:
    memory = InMemory(KIND)
    add(memory, POOL[::-1])
    add(memory, POOL[:7])
    assert list(content(memory)) == POOL
    assert sorted(content(memory).values()) == [1] * (len(POOL) - 7) + [2] * 7


def test_there_is_room_until_growing_would_take_too_much() -> None:
    memory = InMemory(KIND)
    assert memory.has_room(8, 0)
    assert not memory.has_room(9, 0)
    assert memory.has_room(9, 16 * (3 * 10 + 24) + 1000)
    assert not memory.has_room(100_000, 100_000 * 40)
    assert memory.has_room(100_000, 100_000 * 400)


def test_a_key_costs_no_more_than_its_bytes_and_those_of_its_value() -> None:
    memory = InMemory(KIND)
    places = 17  # 16 and that of the key 0
    assert memory.has_room(9, places * (3 * (8 + 2) + 24))
    assert not memory.has_room(9, places * (3 * (8 + 2) + 24) - 1)


# The disk phase: when it merges.

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
