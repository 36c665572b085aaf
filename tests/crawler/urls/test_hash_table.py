"""The table of keys, against a dict."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.urls import hash_table
from crawler.urls.compiled_probing import COMPILED, load
from crawler.urls.generational_table import GenerationalTable
from crawler.urls.hash_table import HashTable
from crawler.urls.probing import IN_NUMPY

ALL_KEYS = st.integers(0, 2**64 - 1)
CROWDED_KEYS = st.one_of(
    st.integers(0, 20),
    st.integers(2**64 - 20, 2**64 - 1),  # the last place of the table: their neighbours lie at its beginning
    st.integers(0, 20).map(lambda low: (0xABCDEF << 40) + low),
)
KEYS = st.one_of(ALL_KEYS, CROWDED_KEYS)


@pytest.fixture(params=[IN_NUMPY, load()], ids=["numpy", "compiled"], autouse=True, scope="module")
def probing(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have tables probed this way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hash_table, "_probing", request.param)
        yield


def as_keys(keys: list[int]) -> np.ndarray:
    return np.array(keys, np.uint64)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.lists(KEYS, max_size=40), max_size=8), st.lists(KEYS, max_size=20))
def test_the_table_says_what_a_dict_says(batches: list[list[int]], others: list[int]) -> None:
    table = HashTable({"value": np.int32, "small": np.uint8}, bits=2)
    known: dict[int, int] = {}
    for number, batch in enumerate(batches):
        new = dict.fromkeys(key for key in batch if key not in known)
        values = np.arange(len(new)) + 1000 * number
        table.insert(as_keys(list(new)), {"value": values, "small": values % 251})
        known |= zip(new, values.tolist(), strict=True)
        asked = as_keys([*batch, *others, *batch, 0, 1])
        slots = table.find(asked)
        is_known = np.array([key in known for key in asked.tolist()])
        assert table.contains(asked).tolist() == (slots >= 0).tolist() == is_known.tolist()
        expected = [known[key] for key in asked[is_known].tolist()]
        assert table.values["value"][slots[is_known]].tolist() == expected
        assert table.values["small"][slots[is_known]].tolist() == [value % 251 for value in expected]
        assert len(table) == len(known)
        assert sorted(table.keys(table.occupied()).tolist()) == sorted(known)


@settings(derandomize=True, deadline=None)
@given(st.sets(KEYS, max_size=60), st.lists(KEYS, max_size=20))
def test_a_single_key_is_found_where_a_batch_finds_it(keys: set[int], others: list[int]) -> None:
    table = HashTable(bits=2)
    table.insert(as_keys(sorted(keys)))
    for key in (*keys, *others, 0, 1):
        assert table.slot_of(key) == table.find(as_keys([key])).item()


def test_nothing_is_found_in_an_empty_table() -> None:
    table = HashTable({"value": np.uint8})
    assert table.find(as_keys([0, 1, 2**64 - 1])).tolist() == [-1, -1, -1]
    assert table.slot_of(0) == table.slot_of(5) == -1
    assert table.find(as_keys([])).dtype == np.int64
    assert len(table) == len(table.occupied()) == 0


def test_the_key_0_has_a_slot_like_any_other() -> None:
    table = HashTable({"value": np.uint8}, bits=2)
    table.insert(as_keys([1]), {"value": np.array([7])})
    assert table.contains(as_keys([0, 1, 2])).tolist() == [False, True, False]
    table.insert(as_keys([0, 2**64 - 1]), {"value": np.array([8, 9])})
    table.insert(as_keys([5, 6, 7]))
    assert table.values["value"][table.find(as_keys([0, 1, 2**64 - 1]))].tolist() == [8, 7, 9]
    assert sorted(table.keys(table.occupied()).tolist()) == [0, 1, 5, 6, 7, 2**64 - 1]


def test_memory_is_that_of_keys_and_columns() -> None:
    assert HashTable(bits=4).nbytes == 17 * 8
    assert HashTable({"value": np.uint16, "small": np.uint8}, bits=4).nbytes == 17 * (8 + 2 + 1)


def test_values_may_be_changed_in_place() -> None:
    table = HashTable({"value": np.uint8}, bits=2)
    table.insert(as_keys([7, 8]), {"value": np.array([1, 2])})
    table.values["value"][table.find(as_keys([7]))] = 9
    table.insert(as_keys(list(range(100, 200))))
    assert table.values["value"][table.find(as_keys([7, 8, 100]))].tolist() == [9, 2, 0]


@pytest.mark.parametrize("count", [1, 100, 5000, 70_000])
def test_the_table_is_at_most_half_full_and_not_much_emptier(count: int) -> None:
    """Fuller, probing becomes slow and at last endless; emptier, memory is wasted."""
    table = HashTable({"value": np.uint16}, bits=2)
    keys = np.random.default_rng(1).integers(2, 2**64, count, np.uint64)
    for part in np.array_split(keys, 7):
        table.insert(part, {"value": np.zeros(len(part))})
    assert len(table) == count
    assert 2 * count * 10 <= table.nbytes <= (max(4 * count, 4) + 1) * 10


def test_keys_that_differ_only_in_their_trailing_bits_spread_as_others_do() -> None:
    """An assignment by trailing bits leaves a rank keys that all end alike: that must not make it slow."""
    table = HashTable()
    leading = np.random.default_rng(2).integers(0, 2**58, 30_000, np.uint64)
    keys = np.unique(leading) << np.uint64(6)
    table.insert(keys)
    slots = np.sort(table.occupied())
    assert np.diff(slots).max() < 200
    assert len(slots) == len(keys)


@pytest.mark.parametrize("shift", [0, 20, 44])
def test_a_stretch_of_ascending_keys_is_spread_over_the_table(shift: int) -> None:
    """As of keys that were sorted, or of which a rank has only those with some trailing bits."""
    table = HashTable(bits=12)
    table.insert(np.arange(1, 2001, dtype=np.uint64) << np.uint64(shift))
    assert len(np.unique(table.occupied() >> 8)) == 16


def test_a_stretch_of_another_table_is_spread_over_a_smaller_one() -> None:
    large, small = HashTable(bits=16), HashTable(bits=12)
    large.insert(np.random.default_rng(3).integers(1, 2**64 - 1, 30_000, np.uint64))
    small.insert(large.keys(large.occupied()[:2000]))
    assert len(np.unique(small.occupied() >> 8)) == 16


# Keys within a budget of memory.

BUDGET = 1 << 20


def test_what_was_inserted_of_late_is_known_and_memory_stays_within_the_budget() -> None:
    table = GenerationalTable(BUDGET, {"degree": np.uint32})
    most = 0
    for start in range(0, 200_000, 1000):
        keys = np.arange(start, start + 1000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        table.insert(keys, {"degree": np.full(1000, start)})
        assert table.contains(keys).all()
        most = max(most, table.nbytes)
    assert BUDGET / 3 < most <= BUDGET
    assert not table.contains(np.array([0x9E3779B97F4A7C15], np.uint64)).any()


def test_the_young_generation_becomes_the_old_one_with_its_values() -> None:
    table = GenerationalTable(2 * 4 * 12 * 3, {"degree": np.uint32})
    table.insert(np.array([10, 11, 12], np.uint64), {"degree": np.array([1, 2, 3])})
    assert len(table.old) == 0
    table.insert(np.array([13], np.uint64), {"degree": np.array([4])})
    assert (len(table.young), len(table.old)) == (1, 3)
    assert table.old.values["degree"][table.old.find(np.array([11], np.uint64))] == [2]
    table.insert(np.array([14, 15, 16], np.uint64), {"degree": np.array([4, 5, 6])})
    assert table.contains(np.arange(10, 17, dtype=np.uint64)).tolist() == [False] * 3 + [True] * 4


@settings(deadline=None, derandomize=True)
@given(st.lists(st.sets(st.integers(1, 60)), max_size=12), st.integers(0, 4000))
def test_it_never_claims_what_was_not_inserted(batches: list[set[int]], budget: int) -> None:
    table = GenerationalTable(budget)
    inserted: set[int] = set()
    for batch in batches:
        keys = np.array(sorted(batch), np.uint64)
        new = keys[~table.contains(keys)]
        table.insert(new)
        inserted |= batch
        everything = np.arange(1, 61, dtype=np.uint64)
        assert set(everything[table.contains(everything)].tolist()) <= inserted
        assert table.contains(new).all()


def test_loading_leaves_one_way_of_probing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_table, "_probing", IN_NUMPY)
    hash_table.load_compiled()
    assert hash_table._probing is COMPILED
    assert all(len(function.signatures) == 1 for function in COMPILED), "none is left to be compiled by the crawl"
    HashTable().insert(as_keys([1, 2, 3]))
    table = HashTable()
    table.insert(as_keys([0, 5]))
    table.find(as_keys([0, 5, 7]))
    assert all(len(function.signatures) == 1 for function in COMPILED)
