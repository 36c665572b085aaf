"""How heavy the parts may be, and how far a partition is from that."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import GraphError, Numbers

TOLERANCE = 0.05
"""How much heavier than its share a part may be, unless told otherwise (the paper's 5%)."""

_LARGEST_TOLERANCE = 1e6
_SMALLEST_SHARE = 1e-9  # METIS takes shares in single precision


@dataclass(frozen=True)
class Balance:
    """What k parts should weigh.

    Attributes:
        tolerance: float64[w]; 0.05 lets a part weigh 1.05 times its share of that weight.
        shares: float64[k], each part's share of the whole; they add up to 1.
        limits: int64[k, w], the most that each part may weigh.
        wanted: float64[k, w], what each part should weigh.
    """

    tolerance: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]
    limits: Numbers
    wanted: npt.NDArray[np.float64]

    @property
    def parts(self) -> int:
        """k, the number of parts."""
        return len(self.shares)

    def excess(self, weights: Numbers, parts: Owners) -> float:
        """By how much the worst part is beyond its limit, relative to its share; 0 if the balance holds.

        An empty part counts as a whole share too few.
        """
        return self.excess_of(summed(weights, parts, self.parts), np.bincount(parts, minlength=self.parts))

    def excess_of(self, loads: Numbers, sizes: Numbers) -> float:
        """The same of parts that weigh ``loads``, int64[k, w], and have so many vertices, int64[k]."""
        return float(self._over(loads).max()) + float(sizes.min() == 0)

    def excesses(self, weights: Numbers, parts: Owners) -> npt.NDArray[np.float64]:
        """By how much the worst part is beyond its limit in each weight, relative to its share: float64[w], from 0."""
        return self._over(summed(weights, parts, self.parts))

    def _over(self, loads: Numbers) -> npt.NDArray[np.float64]:
        over = np.divide(loads - self.limits, self.wanted, out=np.zeros_like(self.wanted), where=self.wanted > 0)
        worst: npt.NDArray[np.float64] = np.maximum(0.0, over.max(axis=0))
        return worst


def balance_of(
    weights: Numbers, k: int, tolerance: npt.ArrayLike = TOLERANCE, shares: Sequence[float] | None = None
) -> Balance:
    """The balance of k parts of vertices with these weights, int64[v, w].

    ``tolerance`` is one for all weights or one for each.  Raises GraphError if it makes no sense.
    """
    if k < 1:
        raise GraphError(f"{k} parts: there must be at least one")
    tolerances = np.broadcast_to(np.asarray(tolerance, np.float64), weights.shape[1:])
    for wrong in tolerances[~((tolerances >= 0) & (tolerances < _LARGEST_TOLERANCE))].tolist():
        raise GraphError(f"the tolerance must be from 0 up, not {wrong}; 0.05 lets a part be 5% too heavy")
    given = np.ones(k) if shares is None else np.asarray(shares, np.float64)
    if len(given) != k or not (np.isfinite(given).all() and (given > 0).all()):
        raise GraphError(f"shares must be {k} positive numbers, one for each part")
    if given.min() < given.max() * _SMALLEST_SHARE:
        raise GraphError("the smallest share is less than a billionth of the largest")
    part_of_all = given / given.max()  # first, lest the sum overflow
    part_of_all /= part_of_all.sum()
    wanted = part_of_all[:, None] * weights.sum(axis=0)[None, :]
    # A hair's breadth against rounding: 1.05 x 20 is 21 and must be allowed.
    limits = np.floor(wanted * (1 + tolerances) * (1 + 1e-12)).astype(np.int64)
    return Balance(tolerances, part_of_all, limits, wanted)
