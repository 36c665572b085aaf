"""TWOMA beside the plainest loop that follows the paper, state by state, in exact fractions."""

from fractions import Fraction
from itertools import pairwise
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.twoma.automaton import Automaton, migrated
from partition.twoma.course import Course
from partition.twoma.durations import of_site
from partition.twoma.experience import Experience, Floats, Numbers
from partition.twoma.learner import Learner, LearnerSettings, Run, Standing, learner_of
from partition.twoma.rank_choices import other_ranks
from partition.twoma.settling import Settling


def migrated_by_a_loop(
    durations: list[Fraction | None], parts: list[int], states: list[int], innermost: int, others: list[int]
) -> tuple[list[int], list[int]]:
    """Section 3, one site after the other; ``others`` are the ranks to which sites go that leave."""
    means = {}
    for part in set(parts):
        known = [one for one, at in zip(durations, parts, strict=True) if at == part and one is not None]
        if known:
            means[part] = sum(known, Fraction(0)) / len(known)
    next_parts, next_states = [], []
    for duration, part, state, other in zip(durations, parts, states, others, strict=True):
        if duration is not None and duration < means[part]:
            state = state + 1 if state < innermost else state
        elif duration is not None and duration > means[part]:
            if state > 0:
                state -= 1
            else:
                part = other
        next_parts.append(part)
        next_states.append(state)
    return next_parts, next_states


def in_fractions(durations: Floats) -> list[Fraction | None]:
    """The numbers that people would write for these."""
    return [None if np.isnan(one) else Fraction(repr(float(one))) for one in durations]


def follow(measure: list[Floats], standing: Standing, k: int, innermost: int, seed: int) -> None:
    """Compare the two over all runs."""
    chance, same = np.random.default_rng(seed), np.random.default_rng(seed)
    for durations in measure:
        others = other_ranks(standing.parts, k, same).tolist()
        asked = standing.parts.tolist(), standing.states.tolist()
        parts, states = migrated_by_a_loop(in_fractions(durations), *asked, innermost, others)
        standing = migrated(durations, standing, k, innermost, chance)
        assert standing.parts.tolist() == parts
        assert standing.states.tolist() == states


def test_two_hundred_sites_at_five_ranks_for_three_hundred_runs() -> None:
    chance = np.random.default_rng(7)
    sizes = chance.integers(1, 9, size=200)
    measure = [sizes * chance.integers(1, 4, size=200) / 10 for _ in range(300)]
    start = Standing(chance.permutation(np.arange(200) % 5), np.zeros(200, np.int64))
    follow(measure, start, 5, 5, 1)


@settings(max_examples=100)
@given(st.data())
def test_any_sizes_ties_and_gaps(data: st.DataObject) -> None:
    """Of few different times, so that many equal the mean; some sites are not measured."""
    sites, k, innermost = data.draw(st.integers(0, 12)), data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4))
    some = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1e6, float("nan")])
    measure = [
        np.array(run) for run in data.draw(st.lists(st.lists(some, min_size=sites, max_size=sites), max_size=12))
    ]
    parts = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=sites, max_size=sites)), np.int64)
    states = np.array(data.draw(st.lists(st.integers(0, innermost), min_size=sites, max_size=sites)), np.int64)
    follow(measure, Standing(parts, states), k, innermost, 3)


def test_a_mean_that_is_rounded_is_equal_all_the_same() -> None:
    """Six times 0.1 over six is less than 0.1: nobody may leave for that."""
    assert sum([0.1] * 6) / 6 < 0.1
    before = Standing(np.zeros(6, np.int64), np.zeros(6, np.int64))
    after = migrated(np.full(6, 0.1), before, 2, 5, np.random.default_rng(1))
    assert (after.parts.tolist(), after.states.tolist()) == ([0] * 6, [0] * 6)


def test_each_other_rank_is_as_likely() -> None:
    ranks = np.full(70_000, 3)
    drawn = np.bincount(other_ranks(ranks, 8, np.random.default_rng(1)), minlength=8)
    assert drawn[3] == 0
    assert np.all(np.abs(np.delete(drawn, 3) - 10_000) < 400)
    assert other_ranks(np.zeros(5, np.int64), 1, np.random.default_rng(1)).tolist() == [0] * 5


def test_a_site_alone_on_its_rank_never_leaves() -> None:
    """What the rule does badly: the site is its own mean."""
    before = Standing(np.array([0, 1, 1]), np.zeros(3, np.int64))
    for seconds in (1.0, 50.0):
        after = migrated(np.array([seconds, 1.0, 3.0]), before, 2, 5, np.random.default_rng(1))
        assert (after.parts[0], after.states[0]) == (0, 0)


def test_a_site_that_is_slow_everywhere_wanders_for_ever() -> None:
    """What the rule does badly, even by relative durations; who remembers looks at each rank once."""
    cases: list[tuple[Learner, int]]
    cases = [(Automaton(), 59), (Automaton(duration=of_site), 59), (Settling(explored=0.0), 3)]
    for learner, moves in cases:
        course = Course.from_scratch(learner, 40, 4, 1)
        seconds = np.where(np.arange(40) == 7, 50.0, 1.0)
        at = []
        for _ in range(60):
            course.go_on(Run(seconds, np.ones(40, np.int64)))
            at.append(int(course.standing.parts[7]))
        assert sum(one != after for one, after in pairwise(at)) in (moves, moves - 1)


@pytest.mark.parametrize("learner", ["twoma", "try-all", "thompson", "settling"])
def test_the_same_seed_gives_the_same_course(learner: str) -> None:
    def course(seed: int) -> list[list[int]]:
        made = Course.from_scratch(learner_of(LearnerSettings(learner)), 50, 4, seed)
        measured = np.random.default_rng(5)
        found = []
        for _ in range(20):
            made.go_on(Run(measured.random(50), np.ones(50, np.int64)))
            found.append(made.standing.parts.tolist())
        return found

    assert course(1) == course(1)
    assert course(1) != course(2)


def test_sites_start_at_the_boundary_in_equal_numbers() -> None:
    course = Course.from_scratch(Automaton(), 10, 4, 1)
    assert sorted(np.bincount(course.standing.parts).tolist()) == [2, 2, 3, 3]
    assert not course.standing.states.any()


def test_a_thousand_runs_of_ten_thousand_sites_take_seconds() -> None:
    """A tenth of them, in twice the CPU seconds: other machines are slower."""
    chance = np.random.default_rng(1)
    durations: list[Floats] = [chance.random(10_000) for _ in range(10)]
    pages: Numbers = np.ones(10_000, np.int64)
    course = Course(Automaton(duration=of_site), *_many(), chance)
    began = process_time()
    for run in range(100):
        course.go_on(Run(durations[run % 10], pages))
    assert 10 * (process_time() - began) < 20


def _many() -> tuple[Standing, Experience]:
    return Standing(np.arange(10_000) % 8, np.zeros(10_000, np.int64)), Experience.none(10_000, 8)
