"""A batch of operations: sorted, played as if one after the other, merged with the sorted file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.batch import Batch, sorted_with_positions
from crawler.drum.chunk_file import Meter
from crawler.drum.fold_updates import Runs, play
from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Kind, UpdateRule
from crawler.drum.merging import merge_sorted
from crawler.drum.sorted_file import SortedReader, SortedWriter
from tests.crawler.drum.support.oracle import KEYS, KINDS, POOL, Operation, Oracle, columns, operations, rows

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


# Operations on one key as if one after the other, against a loop.


@settings(max_examples=50)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_every_rule_does_what_a_loop_does(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    one = st.tuples(st.sampled_from([CHECK, UPDATE, CHECK_UPDATE]), rows(kind.value))
    runs = data.draw(
        st.lists(st.tuples(st.none() | rows(kind.value), st.lists(one, min_size=1, max_size=9)), min_size=1)
    )
    records = [record for _, run in runs for record in run]
    lengths = np.array([len(run) for _, run in runs])
    nothing = np.zeros((), kind.value).item()
    outcome = play(
        kind,
        Runs(np.cumsum(lengths) - lengths, lengths, np.array([bool(code & UPDATE) for code, _ in records])),
        np.array([value for _, value in records], kind.value),
        np.array([before is not None for before, _ in runs]),
        np.array([before or nothing for before, _ in runs], kind.value),
    )
    oracle = Oracle(kind, {key: before for key, (before, _) in enumerate(runs) if before is not None})
    # Each is played as check and update, or as a check: then every record says what was there before and after.
    said = [
        oracle.play([Operation(key, code | CHECK, value, (), "")])[0]
        for key, (_, run) in enumerate(runs)
        for code, value in run
    ]
    assert outcome.found.tolist() == [one.found for one in said]
    assert outcome.before.tolist() == [one.before for one in said]
    assert outcome.after.tolist() == [one.after for one in said]
    assert outcome.is_there.tolist() == [key in oracle.values for key in range(len(runs))]
    assert outcome.end.tolist() == [oracle.values.get(key, nothing) for key in range(len(runs))]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 100_000])
def test_a_key_may_come_as_often_as_it_likes(length: int) -> None:
    kind = Kind({"least": ("i4", UpdateRule.MINIMUM), "sum": ("u8", UpdateRule.ADD)})
    given = np.zeros(length, kind.value)
    given["least"] = np.random.default_rng(length).integers(-(10**9), 10**9, length)
    given["sum"] = np.arange(length)
    runs = Runs(np.array([0]), np.array([length]), np.ones(length, bool))
    outcome = play(kind, runs, given, np.array([True]), np.array([(0, 7)], kind.value))
    assert outcome.after["least"].tolist() == np.minimum(np.minimum.accumulate(given["least"]), 0).tolist()
    assert outcome.after["sum"].tolist() == (np.cumsum(np.arange(length)) + 7).tolist()
    assert outcome.before["sum"].tolist() == [7, *outcome.after["sum"].tolist()[:-1]]


# Merging a batch with the sorted file, against a dict.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("merging")


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 300), st.data())
def test_the_next_generation_has_what_a_dict_has(folder: Path, name: str, block: int, data: st.DataObject) -> None:
    kind = KINDS[name]
    content: dict[int, Any] = data.draw(st.dictionaries(st.sampled_from(POOL), rows(kind.value), max_size=30))
    played = data.draw(operations(kind).filter(len))
    oracle = Oracle(kind, content)
    oracle.play(played)
    blocks = []
    ascending = sorted(content.items())
    for start in range(0, len(ascending), 4):
        piece = ascending[start : start + 4]
        blocks.append((np.array([key for key, _ in piece], np.uint64), np.array([row for _, row in piece], kind.value)))
    keys, codes, values, _, _ = columns(kind, played)
    (folder / "x").unlink(missing_ok=True)
    new = SortedWriter(folder / "x", kind, 1, block, Meter())
    merge_sorted(Batch(kind, keys, codes, values), iter(blocks), new)
    reader = SortedReader(folder / "x", kind, 1, new.close(), Meter())
    got = [
        pair
        for some_keys, some_values in reader.below(1 << 64)
        for pair in zip(some_keys.tolist(), some_values.tolist(), strict=True)
    ]
    assert got == sorted(oracle.values.items())
