"""Keys sorted on disk, against Python's sets."""

from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.storage import sorted_keys
from sessions.storage.sorted_keys import KeySorter

KEYS = st.integers(0, 2**63 - 1) | st.integers(0, 20)
BATCHES = st.lists(st.lists(KEYS, max_size=9), max_size=30)


@given(BATCHES, st.integers(1, 12), st.sampled_from([2, 3, 64]), st.integers(1, 5))
def test_all_keys_come_back_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[int]], in_memory: int, fan_in: int, size: int
) -> None:
    folder = tmp_path_factory.mktemp("keys")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_keys, "_KEYS_IN_MEMORY", in_memory)
        patch.setattr(sorted_keys, "_FAN_IN", fan_in)
        sorter = KeySorter(folder, "keys")
        for batch in batches:
            sorter.add(np.array(batch, np.int64))
        found = sorter.sorted()
    blocks = [block.tolist() for block in found.blocks(size)]
    assert list(chain.from_iterable(blocks)) == sorted({key for batch in batches for key in batch})
    assert all(len(block) == size for block, _ in pairwise(blocks))
    assert (found.count, sorter.added) == (sum(map(len, blocks)), sum(map(len, batches)))
    assert [path.name for path in folder.iterdir()] == ["keys"]


def test_keys_in_order_are_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorted_keys, "_KEYS_IN_MEMORY", 10)
    monkeypatch.setattr(KeySorter, "_merge", lambda _: pytest.fail("merged"))
    sorter = KeySorter(tmp_path, "keys")
    for first in range(0, 1000, 7):
        sorter.add(np.arange(first, first + 7))
    assert sorter.sorted().between(500, 503).tolist() == [500, 501, 502]


def test_a_part_of_the_keys(tmp_path: Path) -> None:
    sorter = KeySorter(tmp_path, "keys")
    sorter.add(np.array([5, 3, 9, 3]))
    found = sorter.sorted()
    assert (found.between(1, 3).tolist(), found.between(2, 2).tolist()) == ([5, 9], [])
