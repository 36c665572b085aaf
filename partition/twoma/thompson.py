"""The second baseline: Thompson sampling, each site at the rank that seems fastest in a draw of what is believed.

The logarithm of the seconds a page of a site at a rank is taken to be normal, with unknown mean and variance, of which
the prior is normal-inverse-gamma (Gelman et al., "Bayesian Data Analysis", section 3.3).  The prior's mean is that of
all sites at the rank, and counts as one observation.
"""

from dataclasses import dataclass

import numpy as np

from partition.twoma.experience import Experience, Floats, Numbers
from partition.twoma.learner import LearnerSettings, Run, Standing
from sessions.compiled import compiled

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
        known = experience.visits, experience.log_mean, experience.log_squares
        variance = max(_LEAST_VARIANCE, experience.log_variance(if_unknown=1.0))
        parts = standing.parts.copy()
        _move(parts, run.measured, *known, rank_logs(experience), variance, chance)
        return Standing(parts, standing.states)


@compiled
def _move(
    parts: Numbers,
    sites: Numbers,
    visits: Numbers,
    log_mean: Floats,
    log_squares: Floats,
    rank_log: Floats,
    variance: float,
    chance: np.random.Generator,
) -> None:
    """Give each of the ``sites`` the rank with the least mean in a draw from its posterior."""
    for site in sites:
        least = np.inf
        for rank in range(len(rank_log)):
            count = visits[site, rank]
            weight = _PRIOR_VISITS + count
            off = log_mean[site, rank] - rank_log[rank]
            shape = _PRIOR_SHAPE + count / 2
            scale = _PRIOR_SHAPE * variance + (log_squares[site, rank] + _PRIOR_VISITS * count * off**2 / weight) / 2
            drawn_variance = scale / chance.standard_gamma(shape)
            mean = rank_log[rank] + count * off / weight
            drawn = mean + np.sqrt(drawn_variance / weight) * chance.standard_normal()
            if drawn < least:
                parts[site], least = rank, drawn


def rank_logs(experience: Experience) -> Floats:
    """Return the mean logarithm of seconds a page at each rank, float64[k]; that of all where nothing was measured."""
    visits = experience.visits.sum(axis=0)
    sums = (experience.visits * experience.log_mean).sum(axis=0)
    overall = sums.sum() / max(1, visits.sum())
    logs: Floats = np.divide(sums, visits, out=np.full(len(sums), overall), where=visits > 0)
    return logs
