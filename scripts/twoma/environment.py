"""The environment of the paper's experiments, which it describes and does not give: sites, arms, and what they take."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

BEST, ELSEWHERE = 1.0, 3.0


@dataclass(frozen=True)
class Setting:
    """What an environment is like.

    Attributes:
        sites, arms: how many there are.
        sigma: of the logarithm of the sites' sizes, which are log-normal; 0 if all are 1.
        variation: the coefficient of variation of a duration from run to run.
        period: best arms are drawn anew in each run whose number is divisible by this; 0 if never.
        fast_arm: arm 0 is the best arm of every site, twice as fast as any other, and nothing else differs.
    """

    sites: int = 10_000
    arms: int = 8
    sigma: float = 0.0
    variation: float = 0.0
    period: int = 0
    fast_arm: bool = False


class Environment:
    """Sites with a best arm each, uniformly drawn, where a site of size 1 takes `BEST`; elsewhere it takes `ELSEWHERE`.

    Attributes:
        best: int64[n], the best arm of each site.
        means: float64[n, k], the mean duration of each site at each arm.
    """

    def __init__(self, setting: Setting, seed: int) -> None:
        self._setting = setting
        self._chance = np.random.default_rng(np.random.SeedSequence([seed, 1]))
        self._sizes = np.exp(setting.sigma * self._chance.standard_normal(setting.sites))
        self._run = 0
        self._draw()

    @property
    def uniform_total(self) -> float:
        """What all sites take together if every arm is as likely for each of them."""
        return float(self.means.mean(axis=1).sum())

    def begin_run(self) -> None:
        """Begin the next run, with other best arms if it is time."""
        self._run += 1
        if self._setting.period and self._run % self._setting.period == 0:
            self._draw()

    def durations(self, arms: Numbers) -> Floats:
        """Measure each site at the arm where it stands, int64[n]: float64[n]."""
        means: Floats = np.take_along_axis(self.means, arms[:, None], axis=1)[:, 0]
        if not self._setting.variation:
            return means
        shape = self._setting.variation**-2
        return means * self._chance.gamma(shape, 1 / shape, len(arms))

    def _draw(self) -> None:
        sites, arms = self._setting.sites, self._setting.arms
        if self._setting.fast_arm:
            self.best = np.zeros(sites, np.int64)
            elsewhere = 2 * BEST
        else:
            self.best = self._chance.integers(arms, size=sites)
            elsewhere = ELSEWHERE
        times = np.full((sites, arms), elsewhere)
        times[np.arange(sites), self.best] = BEST
        self.means = times * self._sizes[:, None]
