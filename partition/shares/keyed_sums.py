"""Sums of what has the same key."""

import numpy as np

from partition.graphs.link_graph import Numbers
from sessions.hash_arrays import are_first


def summed_by_key(keys: Numbers, values: Numbers) -> tuple[Numbers, Numbers]:
    """The distinct keys, ascending, and the sum of the values of each: int64[m] of int64[n]."""
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    firsts = np.flatnonzero(are_first(in_order))
    sums: Numbers = np.add.reduceat(values[order], firsts) if len(firsts) else values[:0]
    return in_order[firsts], sums
