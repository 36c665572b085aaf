"""Hashes in arrays, beside Python's sets, lists and loops."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.hash_arrays import (
    are_among,
    are_first,
    are_last,
    concatenated_ranges,
    distinct,
    firsts,
    grouped,
    hashes_of,
    place_of,
    places,
)

HASHES = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5))


@settings(deadline=None, derandomize=True)
@given(HASHES)
def test_distinct(values: list[int]) -> None:
    found = distinct(np.array(values, np.uint64))
    assert found.dtype == np.uint64
    assert found.tolist() == sorted(set(values))


@settings(deadline=None, derandomize=True)
@given(HASHES, HASHES)
def test_places(wanted: list[int], values: list[int]) -> None:
    hashes = sorted(set(values))
    found = places(np.array(wanted, np.uint64), np.array(hashes, np.uint64))
    assert found.dtype == np.int64
    assert found.tolist() == [hashes.index(hash_) if hash_ in hashes else -1 for hash_ in wanted]


@settings(deadline=None, derandomize=True)
@given(HASHES, st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5), unique=True))
def test_places_in_any_order(wanted: list[int], values: list[int]) -> None:
    hashes = np.array(values, np.uint64)
    found = places(np.array(wanted, np.uint64), hashes, np.argsort(hashes))
    assert found.dtype == np.int64
    assert found.tolist() == [values.index(hash_) if hash_ in values else -1 for hash_ in wanted]


@settings(deadline=None, derandomize=True)
@given(HASHES, HASHES)
def test_membership(wanted: list[int], values: list[int]) -> None:
    """As a set has it; of a hash that stands in the array several times, the first place counts."""
    known, ascending = set(values), np.array(sorted(values), np.uint64)
    found = are_among(np.array(wanted, np.uint64), ascending)
    assert found.dtype == np.bool_
    assert found.tolist() == [hash_ in known for hash_ in wanted]
    first = [sorted(values).index(hash_) if hash_ in known else None for hash_ in wanted]
    assert [place_of(hash_, ascending) for hash_ in wanted] == first
    # Neighbours near 2^64 are one number as floats.
    assert place_of(2**64 - 2, np.array([2**64 - 1], np.uint64)) is None
    stable = np.argsort(np.array(values, np.uint64), kind="stable")
    assert places(np.array(wanted, np.uint64), np.array(values, np.uint64), stable).tolist() == [
        values.index(hash_) if hash_ in known else -1 for hash_ in wanted
    ]


@settings(deadline=None, derandomize=True)
@given(HASHES)
def test_firsts(values: list[int]) -> None:
    found = firsts(np.array(values, np.uint64))
    assert found.dtype == np.int64
    assert found.tolist() == [place for place, value in enumerate(values) if value not in values[:place]]


@settings(deadline=None, derandomize=True)
@given(HASHES)
def test_ends_of_runs(values: list[int]) -> None:
    ascending = sorted(values)
    ordered = np.array(ascending, np.uint64)
    first, last = are_first(ordered), are_last(ordered)
    assert first.dtype == last.dtype == np.bool_
    assert np.flatnonzero(first).tolist() == [ascending.index(value) for value in sorted(set(values))]
    assert np.flatnonzero(last[::-1]).tolist() == [ascending[::-1].index(value) for value in sorted(set(values))[::-1]]


@given(st.lists(st.integers(0, 6)), st.integers(7, 9))
def test_groups_stand_together_each_in_order(numbers: list[int], count: int) -> None:
    order, bounds = grouped(np.array(numbers, np.int32), count)
    assert len(bounds) == count + 1
    for number, (start, stop) in enumerate(pairwise(bounds)):
        assert order[start:stop].tolist() == [place for place, its in enumerate(numbers) if its == number]


def test_a_column_of_hashes_has_no_gaps() -> None:
    table = pa.table({"hash": pa.array([2**64 - 1, 0], pa.uint64()), "target": pa.array([1, None], pa.uint64())})
    assert hashes_of(table, "hash").tolist() == [2**64 - 1, 0]
    with pytest.raises(ValueError, match="rows without target"):
        hashes_of(table, "target")


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9))))
def test_the_places_of_all_spans_stand_one_after_the_other(spans: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(spans, np.int64).reshape(-1, 2).T
    found = concatenated_ranges(starts, lengths)
    assert found.dtype == np.int64
    assert found.tolist() == [start + place for start, length in spans for place in range(length)]
