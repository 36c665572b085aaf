"""Sorting with positions, and batches in order of arrival."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler.drum.batch import Batch, sorted_with_positions
from tests.crawler.drum.support.oracle import KEYS, KINDS, Oracle, columns, operations

CROWDED = st.integers(0, 40).map(lambda low: (0xABCD << 48) + low)
"""They differ in their trailing bits only, which is where the position stands while they are sorted."""


@given(st.lists(KEYS | CROWDED | st.integers(0, 2**64 - 1), max_size=60))
def test_keys_are_sorted_and_equal_ones_stay_in_order(keys: list[int]) -> None:
    ordered, order = sorted_with_positions(np.array(keys, np.uint64))
    assert ordered.tolist() == sorted(keys)
    assert order.tolist() == sorted(range(len(keys)), key=lambda position: (keys[position], position))


@given(st.lists(CROWDED | st.integers(0xAB << 56, (0xAC << 56) - 1), max_size=60), st.integers(0, 8))
def test_leading_bits_that_all_share_may_be_left_out(keys: list[int], shared: int) -> None:
    ordered, order = sorted_with_positions(np.array(keys, np.uint64), shared)
    assert ordered.tolist() == sorted(keys)
    assert order.tolist() == sorted(range(len(keys)), key=lambda position: (keys[position], position))


def test_many_hashes_are_sorted() -> None:
    keys = np.random.default_rng(1).integers(0, 2**64, 50_000, np.uint64)
    keys[::7] = keys[3]
    ordered, order = sorted_with_positions(keys)
    assert ordered.tolist() == np.sort(keys).tolist()
    assert order.tolist() == np.argsort(keys, kind="stable").tolist()


@given(st.sampled_from(sorted(KINDS)), st.data(), st.integers(0, 9))
def test_a_batch_may_be_played_in_pieces(name: str, data: st.DataObject, cut: int) -> None:
    kind = KINDS[name]
    played = [one._replace(operation=3) for one in data.draw(operations(kind).filter(len))]
    keys, codes, values, _, _ = columns(kind, played)
    batch = Batch(kind, keys, codes, values)
    cut = min(cut, len(batch.distinct))
    oracle = Oracle(kind)
    said = oracle.play(played)
    end = {}
    for first, last in ((0, cut), (cut, len(batch.distinct))):
        if first < last:
            is_there, ends = batch.play(first, last, np.zeros(last - first, bool), batch.no_values(last - first))
            assert is_there.all()
            end |= zip(batch.distinct[first:last].tolist(), ends.tolist(), strict=True)
    got = zip(keys.tolist(), batch.found.tolist(), batch.before.tolist(), batch.after.tolist(), strict=True)
    assert list(got) == [one[:4] for one in said]
    assert end == oracle.values
