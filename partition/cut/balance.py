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

_SMALLEST_SHARE = 1e-9  # METIS takes shares in single precision


@dataclass(frozen=True)
class Balance:
    """What k parts should weigh.

    Attributes:
        tolerance: 0.05 lets a part weigh 1.05 times its share.
        shares: float64[k], each part's share of the whole; they add up to 1.
        limits: int64[k, 2], the most that each part may weigh in bytes and in requests.
        wanted: float64[k, 2], what each part should weigh.
    """

    tolerance: float
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
        loads = summed(weights, parts, self.parts)
        over = np.divide(loads - self.limits, self.wanted, out=np.zeros_like(self.wanted), where=self.wanted > 0)
        is_empty = np.bincount(parts, minlength=self.parts).min() == 0
        return max(0.0, float(over.max())) + float(is_empty)


def balance_of(
    weights: Numbers, k: int, tolerance: float = TOLERANCE, shares: Sequence[float] | None = None
) -> Balance:
    """The balance of k parts of vertices with these weights, int64[v, 2].  Raises GraphError if it makes no sense."""
    if k < 1:
        raise GraphError(f"{k} parts: there must be at least one")
    if not 0 <= tolerance < 1e6:
        raise GraphError(f"the tolerance must be from 0 up, not {tolerance}; 0.05 lets a part be 5% too heavy")
    given = np.ones(k) if shares is None else np.asarray(shares, np.float64)
    if len(given) != k or not (np.isfinite(given).all() and (given > 0).all()):
        raise GraphError(f"shares must be {k} positive numbers, one for each part")
    if given.min() < given.max() * _SMALLEST_SHARE:
        raise GraphError("the smallest share is less than a billionth of the largest")
    part_of_all = given / given.max()  # first, lest the sum overflow
    part_of_all /= part_of_all.sum()
    wanted = part_of_all[:, None] * weights.sum(axis=0)[None, :]
    # A hair's breadth against rounding: 1.05 x 20 is 21 and must be allowed.
    limits = np.floor(wanted * (1 + tolerance) * (1 + 1e-12)).astype(np.int64)
    return Balance(tolerance, part_of_all, limits, wanted)
