"""The Time Weighted Object Migration Automaton: sites that take longer than others at their rank leave it, in time.

A site is in one of the states 0 to N of its rank, 0 being the boundary.  After each run all move at once, by the mean
duration of the sites of the same rank in that run: a site below the mean goes one state inwards, and stays in state N;
one above it goes one state towards the boundary; one above it in state 0 goes to another rank, each as likely; one that
equals the mean does nothing (Chen, Wang and Olsen, section 3).  The paper leaves open in which state a site begins and
arrives.  Here it is state 0: from the innermost one nothing would move for N runs.
"""

from dataclasses import dataclass

import numpy as np

from partition.choices import DURATIONS
from partition.twoma.durations import Duration, means_by_rank, relative
from partition.twoma.experience import Experience, Floats
from partition.twoma.learner import INNERMOST, LearnerSettings, Run, Standing
from partition.twoma.rank_choices import EQUAL, other_ranks


@dataclass(frozen=True)
class Automaton:
    """TWOMA with states 0 to ``innermost``, by a kind of duration (`partition.twoma.durations`)."""

    innermost: int = INNERMOST
    duration: Duration = relative

    @classmethod
    def of(cls, settings: LearnerSettings) -> "Automaton":
        """Return the automaton with so many states, by that kind of duration."""
        return cls(settings.innermost, DURATIONS.load(settings.duration))

    def after(self, run: Run, standing: Standing, experience: Experience, chance: np.random.Generator) -> Standing:
        """Return where all sites stand next (`partition.twoma.learner.Learner`)."""
        durations = self.duration(run.seconds, run.pages, experience, standing.parts)
        return migrated(durations, standing, experience.visits.shape[1], self.innermost, chance)


def migrated(durations: Floats, standing: Standing, k: int, innermost: int, chance: np.random.Generator) -> Standing:
    """Return where n sites stand after a run in which they had ``durations``, float64[n]; NaN: not measured.

    For each site one of the k - 1 other ranks is drawn, counted from its own, whether it leaves or not.
    """
    means = means_by_rank(durations, standing.parts, k)[standing.parts]
    above = durations - means > EQUAL * means
    below = means - durations > EQUAL * means
    leaves = above & (standing.states == 0) & (k > 1)
    return Standing(
        np.where(leaves, other_ranks(standing.parts, k, chance), standing.parts),
        np.clip(standing.states + below - above, 0, innermost),
    )
