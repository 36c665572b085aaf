"""Records sorted on disk, and what reads them side by side, against Python's own."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.worklist import record_sorter
from crawler.worklist.pair_order import pair_order
from crawler.worklist.record_sorter import RecordSorter
from crawler.worklist.sorted_streams import SortedLookup, firsts_of_groups, sums_of_groups, whole_groups

few = st.integers(0, 5)
any_hash = st.one_of(few, st.integers(0, 2**64 - 1), st.integers(2**64 - 6, 2**64 - 1))
pairs = st.lists(st.tuples(any_hash, any_hash), max_size=300)
SUMS = pa.schema([("hash", pa.uint64()), ("count", pa.int64())])


@given(pairs)
def test_the_order_of_pairs(found: list[tuple[int, int]]) -> None:
    first, second = (np.array([pair[place] for pair in found], np.uint64) for place in (0, 1))
    order = pair_order(first, second)
    assert sorted(order.tolist()) == list(range(len(found)))
    assert [found[place] for place in order] == sorted(found)


def test_a_page_with_most_of_the_links() -> None:
    random = np.random.default_rng(1)
    first = np.where(random.random(5000) < 0.9, np.uint64(7), random.integers(0, 2**64, 5000, np.uint64))
    second = random.integers(0, 2**64, 5000, np.uint64)
    assert pair_order(first, second).tolist() == np.lexsort((second, first)).tolist()


def batches_of(rows: list[tuple[int, int]], size: int) -> Iterator[pa.RecordBatch]:
    for begin in range(0, len(rows), size):
        columns = zip(*rows[begin : begin + size], strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, SUMS, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=SUMS)


@pytest.mark.parametrize("fan_in", [2, 3, 48])
@pytest.mark.parametrize("memory", [1000, 20_000, 10_000_000])
def test_records_come_back_sorted_as_often_as_they_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int, fan_in: int
) -> None:
    monkeypatch.setattr(record_sorter, "_FAN_IN", fan_in)
    random = np.random.default_rng(2)
    rows = [(int(number) ** 5, place) for place, number in enumerate(random.integers(0, 3000, 6000))]
    with RecordSorter(tmp_path / "file", SUMS, ["hash"], memory) as sorter:
        for batch in batches_of(rows, 100):
            sorter.add(batch)
        for _ in range(2):
            found = [tuple(row.values()) for batch in sorter.sorted() for row in batch.to_pylist()]
            assert [row[0] for row in found] == sorted(row[0] for row in rows)
            assert sorted(found) == sorted(rows)
        assert sorter.rows == len(rows)
    assert not (tmp_path / "file").exists()


@given(st.lists(st.tuples(few, st.integers(0, 9)), min_size=1, max_size=40).map(sorted), st.integers(1, 7))
def test_groups(rows: list[tuple[int, int]], size: int) -> None:
    whole = [batch["hash"].to_pylist() for batch in whole_groups(batches_of(rows, size), "hash")]
    assert [value for batch in whole for value in batch] == [row[0] for row in rows]
    assert sum(len(set(batch)) for batch in whole) == len({row[0] for row in rows}), "a group is in two batches"
    sums: Counter[int] = Counter()
    for key, value in rows:
        sums[key] += value
    added = [tuple(row.values()) for batch in sums_of_groups(batches_of(rows, size)) for row in batch.to_pylist()]
    assert added == sorted(sums.items())
    firsts = [key for batch in firsts_of_groups(batches_of(rows, size)) for key in batch["hash"].to_pylist()]
    assert firsts == sorted(sums)


@given(st.sets(st.integers(0, 30)), st.lists(st.integers(0, 30), max_size=40).map(sorted), st.integers(1, 7))
def test_lookups(known: set[int], wanted: list[int], size: int) -> None:
    rows = [(key, key + 100) for key in sorted(known)]
    lookup = SortedLookup(batches_of(rows, 3), SUMS)
    for begin in range(0, len(wanted), size):
        asked = wanted[begin : begin + size]
        has_record, found = lookup.rows(np.array(asked, np.uint64))
        assert has_record.tolist() == [key in known for key in asked]
        assert found["count"].to_pylist() == [key + 100 if key in known else 0 for key in asked]
