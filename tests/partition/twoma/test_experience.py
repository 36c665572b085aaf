"""What is remembered, beside plain sums over all visits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.twoma.durations import of_page, of_site, relative
from partition.twoma.experience import LEAST_SECONDS, NEWEST, Experience

SECONDS = st.one_of(st.just(0.0), st.floats(0.001, 100))
VISITS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), SECONDS), max_size=30)


def experience_of(visits: list[tuple[int, int, float]]) -> Experience:
    made = Experience.none(3, 3)
    for site, rank, seconds in visits:
        made.add(np.array([site]), np.array([rank]), np.array([seconds]))
    return made


@given(VISITS)
def test_means_are_of_all_visits(visits: list[tuple[int, int, float]]) -> None:
    made = experience_of(visits)
    for site in range(3):
        for rank in range(3):
            seconds = [took for one, at, took in visits if (one, at) == (site, rank)]
            assert made.visits[site, rank] == len(seconds)
            if not seconds:
                values = (made.seconds, made.recent, made.log_mean, made.log_squares)
                assert [value[site, rank] for value in values] == [0, 0, 0, 0]
                continue
            logs = np.log(np.maximum(seconds, LEAST_SECONDS))
            recent = seconds[0]
            for took in seconds[1:]:
                recent = (1 - NEWEST) * recent + NEWEST * took
            assert made.seconds[site, rank] == pytest.approx(np.mean(seconds))
            assert made.recent[site, rank] == pytest.approx(recent)
            assert made.log_mean[site, rank] == pytest.approx(np.mean(logs), abs=1e-9)
            assert made.log_squares[site, rank] == pytest.approx(np.var(logs) * len(logs), abs=1e-6)


@given(VISITS)
def test_what_is_forgotten_never_was(visits: list[tuple[int, int, float]]) -> None:
    made = experience_of(visits)
    made.forget(np.array([1]))
    others = experience_of([visit for visit in visits if visit[0] != 1])
    assert np.array_equal(made.visits, others.visits)
    assert np.array_equal(made.log_mean, others.log_mean)


@given(VISITS, st.lists(SECONDS, min_size=3, max_size=3))
def test_durations_by_their_definitions(visits: list[tuple[int, int, float]], run: list[float]) -> None:
    ranks, pages = np.array([0, 1, 1]), np.array([2, 3, 4])
    made = experience_of([*visits, *((site, int(ranks[site]), run[site]) for site in range(3))])
    seconds = np.array(run)
    assert of_page(seconds, pages, made, ranks).tolist() == run
    assert of_site(seconds, pages, made, ranks).tolist() == (seconds * pages).tolist()
    found = relative(seconds, pages, made, ranks)
    for site in range(3):
        means = [made.seconds[site, rank] for rank in range(3) if made.visits[site, rank]]
        against = sum(means) / len(means) if len(means) > 1 else [run[0], (run[1] + run[2]) / 2][ranks[site]]
        assert found[site] == pytest.approx(run[site] / against if against else 1.0)


def test_sites_that_were_not_measured_have_no_duration() -> None:
    made, seconds = Experience.none(2, 2), np.array([np.nan, 3.0])
    made.add(np.array([1]), np.array([0]), seconds[1:])
    for duration in (of_site, of_page, relative):
        found = duration(seconds, np.array([1, 1]), made, np.array([0, 0]))
        assert np.isnan(found).tolist() == [True, False]
