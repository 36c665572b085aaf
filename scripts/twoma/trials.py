"""Trials of learners in an environment: what each run took, and how many runs it takes to the optimum."""

from typing import NamedTuple

import numpy as np

from partition.twoma.bounds import least_makespan, least_total, list_schedule
from partition.twoma.course import Course
from partition.twoma.learner import Learner, LearnerSettings, Run, learner_of
from scripts.twoma.environment import Environment, Floats, Numbers, Setting

LEARNERS = {
    "twoma, site": LearnerSettings("twoma", "site"),
    "twoma, relative": LearnerSettings("twoma", "relative"),
    "try-all": LearnerSettings("try-all"),
    "thompson": LearnerSettings("thompson"),
    "settling": LearnerSettings("settling"),
}
"""Who is tried, the paper's own first."""
MOST_RUNS = 1_200
"""When a trial that looks for the optimum is given up."""


class Trial(NamedTuple):
    """What came of a learner, a number for each run: uniform distribution is 1.

    ``total`` is of all sites, ``makespan`` of the arm that took longest, and ``share`` of sites at their best arm.
    """

    total: Floats
    makespan: Floats
    share: Floats


class Bounds(NamedTuple):
    """The least that is possible, uniform distribution being 1; ``schedule`` is what a greedy schedule has."""

    total: float
    makespan: float
    schedule: float


def trial(name: str, setting: Setting, runs: int, seed: int) -> Trial:
    """One of `LEARNERS` in an environment, from sites at arms by chance, as many at each."""
    environment, course, pages = _begun(learner_of(LEARNERS[name]), setting, seed)
    uniform = _uniform_makespan(environment, course.standing.parts)
    found = np.empty((3, runs))
    for run in range(runs):
        environment.begin_run()
        arms = course.standing.parts
        seconds = environment.durations(arms)
        longest = np.bincount(arms, seconds).max()
        is_best = arms == environment.best
        found[:, run] = seconds.sum() / environment.uniform_total, longest / uniform, is_best.mean()
        course.go_on(Run(seconds, pages))
    return Trial(*found)


def bounds(setting: Setting, seed: int) -> Bounds:
    """The bounds of an environment, before any best arm is drawn anew."""
    environment, course, _ = _begun(learner_of(LearnerSettings()), setting, seed)
    uniform = _uniform_makespan(environment, course.standing.parts)
    return Bounds(
        least_total(environment.means) / environment.uniform_total,
        least_makespan(environment.means) / uniform,
        list_schedule(environment.means) / uniform,
    )


def runs_to_optimum(setting: Setting, seed: int) -> int | None:
    """After how many runs the paper's TWOMA has every site at its best arm; None if not after `MOST_RUNS`."""
    environment, course, pages = _begun(learner_of(LEARNERS["twoma, site"]), setting, seed)
    for run in range(1, MOST_RUNS + 1):
        environment.begin_run()
        course.go_on(Run(environment.durations(course.standing.parts), pages))
        if np.array_equal(course.standing.parts, environment.best):
            return run
    return None


def _begun(learner: Learner, setting: Setting, seed: int) -> tuple[Environment, Course, Numbers]:
    """An environment, the course in it, and one page for each site: sizes are how slow a site is."""
    course = Course.from_scratch(learner, setting.sites, setting.arms, seed)
    return Environment(setting, seed), course, np.ones(setting.sites, np.int64)


def _uniform_makespan(environment: Environment, arms: Numbers) -> float:
    means = np.take_along_axis(environment.means, arms[:, None], axis=1)[:, 0]
    return float(np.bincount(arms, means).max())
