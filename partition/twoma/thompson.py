"""The second baseline: Thompson sampling, each site at the rank that seems fastest in a draw of what is believed.

The logarithm of the seconds a page of a site at a rank is taken to be normal, with unknown mean and variance, of which
the prior is normal-inverse-gamma (Gelman et al., "Bayesian Data Analysis", section 3.3).  The prior's mean is that of
all sites at the rank, and counts as one observation.
"""

from dataclasses import dataclass

import numpy as np

from partition.twoma.experience import Experience, Floats
from partition.twoma.learner import LearnerSettings, Run, Standing

_PRIOR_VISITS = 1.0
_PRIOR_SHAPE = 1.0
"""Half of the observations that the prior's variance counts as, plus a half."""
_LEAST_VARIANCE = 1e-6


@dataclass(frozen=True)
class Thompson:
    """Thompson sampling on the logarithms of seconds a page."""

    @classmethod
    def of(cls, _settings: LearnerSettings) -> "Thompson":
        """Return this learner, which no setting concerns."""
        return cls()

    def after(self, run: Run, standing: Standing, experience: Experience, chance: np.random.Generator) -> Standing:
        """Return where all sites stand next (`partition.twoma.learner.Learner`)."""
        sites = run.measured
        visits, of_rank = experience.visits[sites], rank_logs(experience)
        log_mean, squares = experience.log_mean[sites], experience.log_squares[sites]
        weight = _PRIOR_VISITS + visits
        mean = (_PRIOR_VISITS * of_rank + visits * log_mean) / weight
        shape = _PRIOR_SHAPE + visits / 2
        shrunk = _PRIOR_VISITS * visits * (log_mean - of_rank) ** 2 / weight
        scale = _PRIOR_SHAPE * _variance(experience) + (squares + shrunk) / 2
        variance = scale / chance.standard_gamma(shape)
        drawn = mean + np.sqrt(variance / weight) * chance.standard_normal(mean.shape)
        parts = standing.parts.copy()
        parts[sites] = drawn.argmin(axis=1)
        return Standing(parts, standing.states)


def rank_logs(experience: Experience) -> Floats:
    """Return the mean logarithm of seconds a page at each rank, float64[k]; that of all where nothing was measured."""
    visits = experience.visits.sum(axis=0)
    sums = (experience.visits * experience.log_mean).sum(axis=0)
    overall = sums.sum() / max(1, visits.sum())
    logs: Floats = np.divide(sums, visits, out=np.full(len(sums), overall), where=visits > 0)
    return logs


def _variance(experience: Experience) -> float:
    """Return the variance of the logarithms within one site at one rank, over all that were there twice."""
    freedom = np.maximum(experience.visits - 1, 0).sum()
    if not freedom:
        return 1.0
    return max(_LEAST_VARIANCE, float(experience.log_squares.sum() / freedom))
