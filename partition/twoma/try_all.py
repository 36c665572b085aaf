"""The first baseline: each site is tried at each rank once, and then stays where it took least of late."""

from dataclasses import dataclass

import numpy as np

from partition.twoma.automaton import other_ranks
from partition.twoma.experience import Experience, Numbers
from partition.twoma.learner import LearnerSettings, Run, Standing

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
        best = np.where(visits > 0, experience.recent[sites], np.inf).argmin(axis=1)
        elsewhere = other_ranks(best, k, chance)
        best = np.where(chance.random(len(sites)) < self.explored, elsewhere, best)
        untried = untried_ranks(visits, chance)
        parts = standing.parts.copy()
        parts[sites] = np.where(untried >= 0, untried, best)
        return Standing(parts, standing.states)


def untried_ranks(visits: Numbers, chance: np.random.Generator) -> Numbers:
    """Return a rank that each of n sites has not been at, int64[n], each as likely; -1 if it has been at all.

    ``visits``, int64[n, k], are those of each site to each rank.
    """
    lots = np.where(visits == 0, chance.random(visits.shape), -1.0)
    drawn = lots.argmax(axis=1)
    is_left = np.take_along_axis(lots, drawn[:, None], axis=1)[:, 0] >= 0
    return np.where(is_left, drawn, -1)
