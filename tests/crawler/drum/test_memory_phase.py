"""The table in memory: its room, its order."""

import numpy as np

from crawler.drum.answering import Answering, Asked
from crawler.drum.kind import CHECK_UPDATE, Kind, Rule
from crawler.drum.memory_phase import InMemory
from tests.crawler.drum.support.oracle import POOL

KIND = Kind({"count": ("u2", Rule.ADD)})


def add(memory: InMemory, keys: list[int], count: int = 1) -> None:
    asked = Asked(np.array(keys, np.uint64), np.full(len(keys), CHECK_UPDATE, np.uint8), np.zeros(len(keys), KIND.note))
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
