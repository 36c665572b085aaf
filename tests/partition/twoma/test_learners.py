"""The learners that go by experience: where each sends one site after another, by its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.choices import LEARNERS
from partition.twoma.course import Course
from partition.twoma.experience import Experience
from partition.twoma.learner import LearnerSettings, Run, Standing, learner_of
from partition.twoma.rank_choices import fastest_ranks, untried_ranks
from partition.twoma.settling import EXPLORED, Settling, is_clear
from partition.twoma.thompson import Thompson
from partition.twoma.try_all import TryAll

ONES = np.ones(1, np.int64)


def ranks_of_one_site(learner: str, times: list[list[float]], seed: int = 1) -> list[int]:
    """Where a site is in each run; ``times`` has, for each run, what it would take at each rank."""
    course = Course.from_scratch(learner_of(LearnerSettings(learner)), 1, len(times[0]), seed)
    found = []
    for of_ranks in times:
        rank = int(course.standing.parts[0])
        found.append(rank)
        course.go_on(Run(np.array([of_ranks[rank]]), ONES))
    return found


@pytest.mark.parametrize("learner", LEARNERS)
@settings(max_examples=40)
@given(data=st.data())
def test_sites_stay_whole_and_those_not_measured_where_they_are(learner: str, data: st.DataObject) -> None:
    sites, k = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 5))
    course = Course.from_scratch(learner_of(LearnerSettings(learner)), sites, k, data.draw(st.integers(0, 9)))
    seconds = st.one_of(st.just(float("nan")), st.floats(0, 10))
    for run in data.draw(st.lists(st.lists(seconds, min_size=sites, max_size=sites), max_size=12)):
        before = course.standing
        course.go_on(Run(np.array(run), np.ones(sites, np.int64)))
        after = course.standing
        assert after.parts.shape == after.states.shape == (sites,)
        assert np.all((after.parts >= 0) & (after.parts < k) & (after.states >= 0))
        stays = np.isnan(run)
        assert np.array_equal(after.parts[stays], before.parts[stays])
        assert np.array_equal(after.states[stays], before.states[stays])


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=5))
def test_untried_ranks_are_such(visits: list[list[int]]) -> None:
    drawn = untried_ranks(np.array(visits), np.random.default_rng(1)).tolist()
    for of_site, rank in zip(visits, drawn, strict=True):
        assert of_site[rank] == 0 if 0 in of_site else rank == -1


@given(st.data())
def test_the_fastest_rank_is_where_it_stands_or_any_of_equal_ones(data: st.DataObject) -> None:
    k = data.draw(st.integers(1, 4))
    seconds = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.3, 2.0]), min_size=k, max_size=k))
    rank = data.draw(st.integers(0, k - 1))
    visits = [1 if at == rank else data.draw(st.integers(0, 2)) for at in range(k)]
    least = min(took for took, been in zip(seconds, visits, strict=True) if been)
    equal = {at for at in range(k) if visits[at] and seconds[at] == least}
    many = np.tile(np.array(seconds), (200, 1)), np.tile(np.array(visits), (200, 1))
    found = fastest_ranks(*many, np.full(200, rank), np.random.default_rng(1))
    assert set(found.tolist()) == ({rank} if rank in equal else equal)


@pytest.mark.parametrize("seed", range(5))
def test_all_ranks_are_tried_once_and_then_the_best_is_kept(seed: int) -> None:
    ranks = ranks_of_one_site("try-all", [[4.0, 3.0, 1.0, 2.0]] * 12, seed)
    assert sorted(ranks[:4]) == [0, 1, 2, 3]
    assert sum(rank == 2 for rank in ranks[4:]) >= 6


def test_a_fiftieth_of_the_runs_is_elsewhere() -> None:
    experience = Experience.none(50_000, 3)
    sites = np.arange(50_000)
    for rank in range(3):
        experience.add(sites, np.full(50_000, rank), np.full(50_000, 1.0 + rank))
    run = Run(np.ones(50_000), np.ones(50_000, np.int64))
    standing = Standing(np.zeros(50_000, np.int64), np.zeros(50_000, np.int64))
    drawn = np.bincount(TryAll().after(run, standing, experience, np.random.default_rng(1)).parts)
    assert drawn[1:] == pytest.approx([500, 500], abs=80)


def test_a_recent_mean_decides_not_the_whole_past() -> None:
    experience = Experience.none(1, 2)
    site, first, second = np.array([0]), np.array([0]), np.array([1])
    for _ in range(20):
        experience.add(site, first, np.array([1.0]))
    experience.add(site, second, np.array([2.0]))
    standing, one = Standing(first, np.array([0])), Run(np.array([6.0]), ONES)
    for runs, expected in ((1, 0), (2, 1)):  # 1.0 -> 2.0 -> 2.8
        experience.add(site, first, one.seconds)
        recent = experience.recent[0]
        assert recent[0] == pytest.approx([2.0, 2.8][runs - 1])
        assert TryAll(0.0).after(one, standing, experience, np.random.default_rng(1)).parts.tolist() == [expected]


def test_thompson_draws_from_the_posterior() -> None:
    """The share of draws that prefer rank 0 beside numbers drawn by the textbook, one site at a time."""
    count = 20_000
    experience = Experience.none(count, 2)
    sites = np.arange(count)
    for rank, seconds in ((0, [1.0, 2.0, 1.5]), (1, [1.2, 1.9])):
        for took in seconds:
            experience.add(sites, np.full(count, rank), np.full(count, took))
    run, standing = Run(np.ones(count), np.ones(count, np.int64)), Standing(sites * 0, sites * 0)
    found = Thompson().after(run, standing, experience, np.random.default_rng(1)).parts
    chance = np.random.default_rng(2)
    logs = [np.log([1.0, 2.0, 1.5]), np.log([1.2, 1.9])]
    within = sum(((one - one.mean()) ** 2).sum() for one in logs) / (2 + 1)
    draws = []
    for one in logs:
        n, prior = len(one), one.mean()  # all sites are alike, so a rank's mean is each site's
        shape = 1 + n / 2
        scale = within + ((one - one.mean()) ** 2).sum() / 2 + n * (one.mean() - prior) ** 2 / (2 * (1 + n))
        variance = 1 / chance.gamma(shape, 1 / scale, count)
        draws.append(chance.normal((prior + one.sum()) / (1 + n), np.sqrt(variance / (1 + n))))
    assert np.mean(found == 0) == pytest.approx(np.mean(draws[0] < draws[1]), abs=0.02)


def test_thompson_settles_where_it_is_fastest() -> None:
    ranks = ranks_of_one_site("thompson", [[9.0, 9.0, 1.0, 9.0]] * 300)
    assert sum(rank == 2 for rank in ranks[100:]) > 190


@pytest.mark.parametrize(
    ("seconds", "clear"),
    [([1, 0, 0], False), ([1, 2, 0], True), ([1, 1.9, 0], False), ([1, 3, 1.2], True), ([1, 1, 2], False)],
)
def test_what_is_clearly_better(seconds: list[float], clear: bool) -> None:
    known = np.array([seconds])
    assert is_clear(known, (known > 0).astype(np.int64), 2.0).tolist() == [clear]


def test_a_site_settles_as_soon_as_a_rank_is_clearly_better() -> None:
    course = Course.from_scratch(Settling(explored=0.0), 2_000, 8, 1)
    best = np.random.default_rng(2).integers(8, size=2_000)
    looked = np.zeros(2_000, int)
    for _ in range(12):
        parts = course.standing.parts
        looked = np.count_nonzero(course.experience.visits, axis=1)
        course.go_on(Run(np.where(parts == best, 1.0, 3.0), np.ones(2_000, np.int64)))
    assert np.array_equal(course.standing.parts, best)
    # The best rank is equally likely the first to the eighth, but one rank alone cannot be told to be good.
    assert looked.mean() == pytest.approx((2 + sum(range(2, 9))) / 8, abs=0.15)


def test_a_rank_that_becomes_slow_twice_in_a_row_is_left() -> None:
    site, rank = np.array([0]), np.array([1])
    experience = Experience.none(1, 3)
    for at, seconds in ((0, 3.0), (2, 3.0), (1, 1.0), (1, 1.0)):
        experience.add(site, np.array([at]), np.array([seconds]))
    standing = Standing(rank, np.array([1]))
    course = Course(Settling(explored=0.0), standing, experience, np.random.default_rng(1))
    course.go_on(Run(np.array([2.5]), ONES))
    assert (course.standing.parts.tolist(), course.standing.states.tolist()) == ([1], [0])
    course.go_on(Run(np.array([1.2]), ONES))
    assert (course.standing.parts.tolist(), course.standing.states.tolist()) == ([1], [1])
    for seconds in (3.1, 4.0):
        course.go_on(Run(np.array([seconds]), ONES))
    assert course.standing.parts.tolist() != [1]
    assert experience.visits.tolist() == [[0, 1, 0]]
    assert experience.seconds.tolist() == [[0, 4.0, 0]]


def test_settled_sites_look_elsewhere_now_and_then() -> None:
    count = 50_000
    experience, sites = Experience.none(count, 3), np.arange(count)
    for rank in (0, 1):
        experience.add(sites, np.full(count, rank), np.full(count, 1.0 + 2 * rank))
    run, standing = Run(np.ones(count), np.ones(count, np.int64)), Standing(sites * 0, sites * 0)
    drawn = np.bincount(Settling().after(run, standing, experience, np.random.default_rng(1)).parts, minlength=3)
    assert drawn[1] == 0
    assert drawn[2] == pytest.approx(EXPLORED * count, abs=90)


def test_names_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="no learner 'guess'; there are twoma, try-all, thompson, settling"):
        learner_of(LearnerSettings("guess"))
    with pytest.raises(ValueError, match="no duration 'mean'; there are site, page, relative"):
        learner_of(LearnerSettings("twoma", "mean"))
