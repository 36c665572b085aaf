"""Keys within a budget of memory."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.urls.generational_table import GenerationalTable

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
