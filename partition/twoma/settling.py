"""A learner that settles where it is clearly better, and looks anew when that changes: best of all in the experiments.

TWOMA forgets where a site has been, and sends it to ranks again that were slow.  Trying all ranks goes on when the best
one has been found, and believes for ever what it measured long ago.  Here a site *looks*: it goes to a rank at which it
has not been, until one takes no more than half of what the others took in the mean, or it has been everywhere.  Then it
*settles* where it took least.  If it takes more than twice of what it took there before, twice in a row, what is known
of it at other ranks is forgotten, and it looks again.  Now and then it looks elsewhere for one run.

The states of the automaton serve here, too: a site arrives at the boundary, 0; a visit as before leads inwards to 1, a
much slower one back, and in state 0 to forgetting.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from partition.twoma.experience import Experience, Floats, Numbers
from partition.twoma.learner import LearnerSettings, Run, Standing
from partition.twoma.rank_choices import fastest_ranks, other_ranks, untried_ranks

FACTOR = 2.0
"""A rank is clearly better, or clearly slower than before, if it differs by this factor."""
EXPLORED = 1 / 100
"""The probability that a settled site spends a run elsewhere: at a rank that it does not know, if there is one."""


@dataclass(frozen=True)
class Settling:
    """Looking, settling and looking anew, by a ``factor``; ``explored`` of the runs of settled sites are elsewhere."""

    factor: float = FACTOR
    explored: float = EXPLORED

    @classmethod
    def of(cls, _settings: LearnerSettings) -> "Settling":
        """Return this learner, which no setting concerns."""
        return cls()

    def after(self, run: Run, standing: Standing, experience: Experience, chance: np.random.Generator) -> Standing:
        """Return where all sites stand next (`partition.twoma.learner.Learner`).

        What ``experience`` has of sites that have become much slower is forgotten, but for this run.
        """
        sites, states = run.measured, standing.states.copy()
        at = standing.parts[sites]
        states[sites] = self._reconsidered(sites, at, run.seconds[sites], states[sites], experience)
        visits, seconds = experience.visits[sites], experience.seconds[sites]
        best = fastest_ranks(seconds, visits, at, chance)
        is_looking = (visits == 0).any(axis=1) & ~is_clear(seconds, visits, self.factor)
        looking = np.flatnonzero(is_looking | (chance.random(len(sites)) < self.explored))
        untried = untried_ranks(visits[looking], chance)
        elsewhere = other_ranks(best[looking], visits.shape[1], chance)
        parts = standing.parts.copy()
        parts[sites] = best
        parts[sites[looking]] = np.where(untried >= 0, untried, elsewhere)
        states[sites] *= parts[sites] == at
        return Standing(parts, states)

    def _reconsidered(
        self, sites: Numbers, ranks: Numbers, seconds: Floats, states: Numbers, experience: Experience
    ) -> Numbers:
        """Forget sites that became much slower in state 0; return the states of all, int64[m]."""
        visits = experience.visits[sites, ranks]
        earlier = np.maximum(visits - 1, 1)
        before = (experience.seconds[sites, ranks] * visits - seconds) / earlier
        is_slower = (visits > 1) & (seconds > self.factor * before)
        forgotten = is_slower & (states == 0)
        experience.forget(sites[forgotten])
        experience.add(sites[forgotten], ranks[forgotten], seconds[forgotten])
        settled: Numbers = np.where(is_slower, 0, visits > 1).astype(np.int64)
        return settled


def is_clear(seconds: Floats, visits: Numbers, factor: float) -> npt.NDArray[np.bool_]:
    """Whether the least mean of each of n sites, times ``factor``, is at most the mean of its other means, bool[n].

    ``seconds``, float64[n, k], are means at the ranks, 0 where ``visits``, int64[n, k], are 0.  It is not clear of a
    site that has been at one rank only.
    """
    been_at = np.count_nonzero(visits, axis=1)
    least = np.where(visits > 0, seconds, np.inf).min(axis=1)
    others = (seconds.sum(axis=1) - least) / np.maximum(been_at - 1, 1)
    clear: npt.NDArray[np.bool_] = (been_at > 1) & (factor * least <= others)
    return clear
