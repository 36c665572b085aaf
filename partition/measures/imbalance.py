"""How evenly parts are loaded."""

from collections.abc import Sequence

import numpy as np

from partition.assignment.assignment import Owners
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import Numbers


def imbalance(weights: Numbers, parts: Owners, k: int, shares: Sequence[float] | None = None) -> float:
    """How much more the most loaded part has than it should: max over parts of weight / (share x total) - 1.

    Without shares each part should have 1 / k of the total, and this is max / mean - 1, the load imbalance of
    Cambazoglu, Turk and Aykanat (2004, section 5; there in percent).  ``weights`` int64[n], ``parts`` int32[n] in
    [0, k), ``shares`` k positive numbers of any sum.  0 if there is no weight at all.
    """
    loads = summed(weights, parts, k)
    total = int(loads.sum())
    if not total:
        return 0.0
    targets = np.ones(k) if shares is None else np.asarray(shares, np.float64)
    return float((loads / (targets / targets.sum() * total)).max() - 1)


def empty_parts(parts: Owners, k: int) -> int:
    """How many of ``k`` parts hold no page."""
    return k - len(np.unique(parts))
