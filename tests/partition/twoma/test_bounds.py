"""Bounds beside the best of all distributions, found by looking at each."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.twoma.bounds import least_makespan, least_total, list_schedule


@settings(max_examples=100)
@given(st.data())
def test_no_distribution_is_below_the_bounds(data: st.DataObject) -> None:
    sites, k = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3))
    row = st.lists(st.integers(1, 20), min_size=k, max_size=k)
    durations = np.array(data.draw(st.lists(row, min_size=sites, max_size=sites)), float)
    loads = [
        np.bincount(parts, [durations[site, part] for site, part in enumerate(parts)], minlength=k)
        for parts in product(range(k), repeat=sites)
    ]
    best = min(load.max() for load in loads)
    assert least_total(durations) == min(load.sum() for load in loads)
    assert least_makespan(durations) <= best + 1e-9
    assert best <= list_schedule(durations)
    assert any(list_schedule(durations) == pytest.approx(load.max()) for load in loads)


def test_no_sites_take_no_time() -> None:
    nothing = np.zeros((0, 3))
    assert (least_total(nothing), least_makespan(nothing), list_schedule(nothing)) == (0, 0, 0)


def test_the_longest_site_bounds_the_makespan() -> None:
    durations = np.array([[9.0, 12.0], [1.0, 1.0]])
    assert least_makespan(durations) == 9.0
    assert list_schedule(durations) == 9.0
