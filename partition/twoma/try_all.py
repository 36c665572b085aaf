"""The first baseline: each site is tried at each rank once, and then stays where it took least of late."""

from dataclasses import dataclass

import numpy as np

from partition.twoma.experience import Experience
from partition.twoma.learner import LearnerSettings, Run, Standing
from partition.twoma.rank_choices import fastest_ranks, other_ranks, untried_ranks

EXPLORED = 1 / 50
"""The probability that a site that has been everywhere spends a run at a random other rank."""


@dataclass(frozen=True)
class TryAll:
    """Each rank once in random order, then where the recent mean is least, save for ``explored`` of the runs."""

    explored: float = EXPLORED

    @classmethod
    def of(cls, _settings: LearnerSettings) -> "TryAll":
        """Return this learner, which no setting concerns."""
        return cls()

    def after(self, run: Run, standing: Standing, experience: Experience, chance: np.random.Generator) -> Standing:
        """Return where all sites stand next (`partition.twoma.learner.Learner`)."""
        k = experience.visits.shape[1]
        sites = run.measured
        visits = experience.visits[sites]
        best = fastest_ranks(experience.recent[sites], visits, standing.parts[sites], chance)
        elsewhere = other_ranks(best, k, chance)
        best = np.where(chance.random(len(sites)) < self.explored, elsewhere, best)
        untried = untried_ranks(visits, chance)
        parts = standing.parts.copy()
        parts[sites] = np.where(untried >= 0, untried, best)
        return Standing(parts, standing.states)
