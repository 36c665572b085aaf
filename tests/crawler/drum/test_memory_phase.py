"""The table in memory: its room, its changes."""

from pathlib import Path

import numpy as np
import pytest

from crawler.drum.answering import Answering, Asked
from crawler.drum.chunk_file import Meter
from crawler.drum.kind import CHECK_UPDATE, Kind, Rule
from crawler.drum.memory_log import MemoryLog
from crawler.drum.memory_phase import InMemory
from crawler.drum.owned_files import OwnFiles
from tests.crawler.drum.support.oracle import POOL

KIND = Kind({"count": ("u2", Rule.ADD)})


def add(memory: InMemory, keys: list[int], count: int = 1) -> None:
    asked = Asked(np.array(keys, np.uint64), np.full(len(keys), CHECK_UPDATE, np.uint8), np.zeros(len(keys), KIND.note))
    memory.put(
        asked, np.full(len(keys), count, "u2").view(KIND.value), None, Answering(lambda answers: None, None, 100)
    )


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
    assert memory.has_room(9, 16 * (3 * 11 + 24) + 1000)
    assert not memory.has_room(100_000, 100_000 * 40)
    assert memory.has_room(100_000, 100_000 * 400)


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_only_what_changed_is_written(tmp_path: Path, size: int) -> None:
    own = OwnFiles(tmp_path, "x", {})
    meter = Meter()
    log = MemoryLog(own, KIND, meter)
    memory = InMemory(KIND)
    add(memory, POOL)
    memory.write_changes(log, size)
    written = meter.written
    memory.write_changes(log, size)
    assert meter.written == written
    add(memory, POOL[:3], 5)
    add(memory, POOL[3:6], 0)
    memory.write_changes(log, size)
    last = list(MemoryLog(own, KIND, meter, 0, log.ends).read())
    assert sorted(key for keys, _ in last[-3 if size == 1 else -1 :] for key in keys.tolist()) == POOL[:3]
    again = InMemory(KIND)
    for keys, values in last:
        again.load(keys, values)
    assert content(again) == content(memory)
    before = meter.written
    again.write_changes(MemoryLog(own, KIND, meter, 0, log.ends), size)
    assert meter.written == before
