"""What sites took at the ranks that they have been at: visits, means, and how much they vary."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

NEWEST = 0.2
"""The weight of the newest visit in a recent mean."""
LEAST_SECONDS = 1e-4
"""Shorter times count as this in logarithms: clocks of crawls count whole milliseconds."""


@dataclass(frozen=True)
class Experience:
    """Seconds a page of n sites at k ranks; a *visit* is a run in which a site was measured at a rank.

    Attributes:
        visits: int64[n, k].
        seconds: float64[n, k], the mean over all visits; 0 where there was none, as in all that follow.
        recent: float64[n, k], a mean in which the newest visit has the weight `NEWEST`.
        log_mean: float64[n, k], the mean logarithm of the seconds.
        log_squares: float64[n, k], the sum of squared deviations of the logarithms from their mean.
    """

    visits: Numbers
    seconds: Floats
    recent: Floats
    log_mean: Floats
    log_squares: Floats

    @classmethod
    def none(cls, sites: int, ranks: int) -> "Experience":
        """Return the experience of sites that were never measured."""
        shape = (sites, ranks)
        return cls(np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape))

    def add(self, sites: Numbers, ranks: Numbers, seconds: Floats) -> None:
        """Add a visit of each of m sites, int[m], to a rank, int[m], where it took float64[m] seconds a page.

        Each pair of site and rank may stand there once.
        """
        at = (sites, ranks)
        self.visits[at] += 1
        visits = self.visits[at]
        self.seconds[at] += (seconds - self.seconds[at]) / visits
        self.recent[at] += (seconds - self.recent[at]) * np.where(visits == 1, 1.0, NEWEST)
        logs = np.log(np.maximum(seconds, LEAST_SECONDS))
        before = logs - self.log_mean[at]
        self.log_mean[at] += before / visits
        self.log_squares[at] += before * (logs - self.log_mean[at])

    def forget(self, sites: Numbers) -> None:
        """Forget all visits of these sites."""
        for values in self._arrays:
            values[sites] = 0

    def with_more_sites(self, sites: int) -> "Experience":
        """Return a copy in which the last of so many sites are new."""
        more = Experience.none(sites - len(self.visits), self.visits.shape[1])
        return Experience(*map(np.concatenate, zip(self._arrays, more._arrays, strict=True)))

    @property
    def means(self) -> Floats:
        """Mean seconds a page of each site at each rank, float64[n, k]; NaN where it has not been."""
        return np.where(self.visits > 0, self.seconds, np.nan)

    def log_variance(self, if_unknown: float) -> float:
        """Return the variance of the logarithms of one site at one rank, pooled over all that were there twice."""
        freedom = int(np.maximum(self.visits - 1, 0).sum())
        return float(self.log_squares.sum()) / freedom if freedom else if_unknown

    @property
    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return tuple(getattr(self, field.name) for field in fields(self))
