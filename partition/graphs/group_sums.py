"""Sums by group, in whole numbers, and which of a row is the largest."""

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


def largest_columns(values: csr_array) -> npt.NDArray[np.int32]:
    """The column of each row's largest entry, int32[n] for int64 CSR [n, w] of numbers from 1 up.

    Of equal ones it is the lowest, and 0 where a row has no entry.  (scipy's argmax does the same row by row.)
    """
    sizes = np.diff(values.indptr)
    order = np.lexsort((values.indices, -values.data, np.repeat(np.arange(len(sizes)), sizes)))
    columns = np.zeros(len(sizes), np.int32)
    has_any = sizes > 0
    columns[has_any] = values.indices[order[values.indptr[:-1][has_any]]]
    return columns
