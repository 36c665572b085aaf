"""The paper's load: as many distinct keys as asked, each first when it comes first, and nothing from the future."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.irlbot.paper_load import LINKS_PER_KEY, batches, scrambled


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.integers(1, 400), st.integers(1, 700), st.integers(0, 3))
def test_every_key_comes_and_is_new_once(keys: int, size: int, seed: int) -> None:
    seen: set[int] = set()
    operations = 0
    for batch in batches(keys, size, seed):
        assert len(batch.keys) == len(batch.new) == len(batch.numbers) <= size
        operations += len(batch.keys)
        for key, new in zip(batch.keys.tolist(), batch.new.tolist(), strict=True):
            assert new == (key not in seen)
            seen.add(key)
        assert (scrambled(batch.numbers, seed) == batch.keys).all()
    assert operations == LINKS_PER_KEY * keys
    assert len(seen) == keys


def test_new_keys_come_evenly_and_repeated_ones_from_all_before() -> None:
    drawn = []
    for begun, batch in enumerate(batches(20_000, 9_000)):
        assert batch.new.sum() == 1_000
        before = 1_000 * begun + np.cumsum(batch.new)
        drawn.append((batch.numbers / before)[~batch.new])
    tenths = np.histogram(np.concatenate(drawn), bins=10, range=(0, 1))[0]
    assert tenths.max() / tenths.min() < 1.05


def test_keys_are_spread_over_all_bits() -> None:
    keys = scrambled(np.arange(100_000))
    for shift in range(0, 64, 8):
        of_byte = np.bincount((keys >> np.uint64(shift)).astype(np.uint8), minlength=256)
        assert of_byte.min() > 280
        assert of_byte.max() < 510
