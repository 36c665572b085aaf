"""Sums by group, in whole numbers."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from partition.graphs.link_graph import Numbers


def summed(values: Numbers, groups: npt.NDArray[np.integer], count: int) -> Numbers:
    """The sum of each group's values: int64[count] for int64[n], int64[count, w] for int64[n, w].

    ``groups``, int[n], are in [0, count).  np.bincount would sum in floating point.
    """
    sums = np.zeros((count, *values.shape[1:]), np.int64)
    np.add.at(sums, groups, values)
    return sums


def summed_rows(values: csr_array, groups: npt.NDArray[np.integer], count: int) -> csr_array:
    """The sum of each group's rows: int64 CSR [count, w] for int64 CSR [n, w]; ``groups``, int[n], in [0, count)."""
    rows = np.arange(len(groups))
    members = csr_array((np.ones(len(groups), np.int64), (groups, rows)), shape=(count, len(groups)))
    return (members @ values).tocsr()
