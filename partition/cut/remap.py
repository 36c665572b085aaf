"""Giving the parts of a new partition the names of the old ones with which they have most in common.

Parts have no names of their own, so this costs nothing: "scratch-remap" (Oliker and Biswas, "PLUM: Parallel Load
Balancing for Adaptive Unstructured Meshes", JPDC 1998), here by the best assignment instead of a greedy
one.
"""

import numpy as np
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.graphs.group_sums import summed_rows
from partition.graphs.link_graph import Numbers


def relabelled(parts: Owners, held: csr_array, balance: Balance) -> Owners:
    """The same partition, int32[v], under the names of all that leave most where it was held.

    ``held``, int64 CSR [v, k], is how much of vertex x part p held.  Parts of different shares do not change names.
    """
    if not held.nnz:
        return parts
    renamed: Owners = best_names(summed_rows(held, parts, balance.parts).toarray(), balance)[parts]
    return renamed


def best_names(kept: Numbers, balance: Balance) -> Owners:
    """The name of each part, int32[k], given how much of part p would stay under the name q: ``kept``, int64[k, k]."""
    from scipy.optimize import linear_sum_assignment  # slow to import, and most cuts rename no part

    may_be = balance.shares[:, None] == balance.shares[None, :]
    numbers, names = linear_sum_assignment(np.where(may_be, kept, -(kept.sum() + 1)), maximize=True)
    name_of = np.empty(balance.parts, np.int32)
    name_of[numbers] = names
    return name_of
