"""Sums by group, in whole numbers."""

import numpy as np
import numpy.typing as npt

from partition.graphs.link_graph import Numbers


def summed(values: Numbers, groups: npt.NDArray[np.integer], count: int) -> Numbers:
    """The sum of each group's values: int64[count] for int64[n], int64[count, w] for int64[n, w].

    ``groups``, int[n], are in [0, count).  np.bincount would sum in floating point.
    """
    sums = np.zeros((count, *values.shape[1:]), np.int64)
    np.add.at(sums, groups, values)
    return sums
