"""One run after another: sites are measured, the measures are remembered, and a learner moves the sites."""

import numpy as np

from partition.twoma.experience import Experience
from partition.twoma.learner import Learner, Run, Standing


class Course:
    """The course of n sites at k ranks under a learner; the same seed gives the same course.

    Attributes:
        standing: where the sites stand now.
        experience: what they took so far.
    """

    def __init__(
        self, learner: Learner, standing: Standing, experience: Experience, chance: np.random.Generator
    ) -> None:
        self.standing = standing
        self.experience = experience
        self._learner = learner
        self._chance = chance

    @classmethod
    def from_scratch(cls, learner: Learner, sites: int, k: int, seed: int) -> "Course":
        """Return the course of sites that are at the boundary, as many at each rank, which ones by chance."""
        chance = np.random.default_rng(seed)
        parts = chance.permutation(np.arange(sites, dtype=np.int64) % k)
        return cls(learner, Standing(parts, np.zeros(sites, np.int64)), Experience.none(sites, k), chance)

    def go_on(self, run: Run) -> None:
        """Have all sites move by what a run measured where they stand."""
        sites = run.measured
        self.experience.add(sites, self.standing.parts[sites], run.seconds[sites])
        self.standing = self._learner.after(run, self.standing, self.experience, self._chance)
