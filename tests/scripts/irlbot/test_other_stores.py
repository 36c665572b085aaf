"""What DRUM is measured beside finds the same keys new as a set does."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.irlbot.drum_store import DrumSeen
from scripts.irlbot.other_stores import OTHERS

STORES = {"DRUM": DrumSeen, **OTHERS}
some_keys = st.lists(st.one_of(st.integers(1, 40), st.integers(1, 2**64 - 1)), min_size=1, max_size=60)


@pytest.mark.parametrize("name", STORES)
@settings(deadline=None, derandomize=True, max_examples=15)
@given(st.lists(some_keys, min_size=1, max_size=6))
def test_new_keys_are_those_of_a_set(name: str, puts: list[list[int]]) -> None:
    if name == "rocksdict":
        pytest.importorskip("rocksdict")
    seen: set[int] = set()
    with TemporaryDirectory() as folder:
        store = STORES[name](Path(folder), 1 << 20 if name != "Mercator-B" else 96)
        for keys in puts:
            store.put(np.array(keys, np.uint64))
            seen.update(keys)
        store.finish()
    assert store.unique == len(seen)
    assert store.total in (None, sum(seen) % 2**64)


def test_mercator_merges_when_half_of_its_memory_is_full(tmp_path: Path) -> None:
    store = STORES["Mercator-B"](tmp_path, 12 * 2 * 100)
    store.put(np.arange(1, 1_051, dtype=np.uint64))
    assert store.merges == 10
    store.finish()
    assert (store.merges, store.unique) == (11, 1_050)
    (file,) = tmp_path.iterdir()
    assert np.fromfile(file, np.uint64).tolist() == list(range(1, 1_051))
