"""Whole sites packed by their weights: the balance that whole sites allow, without a look at links.

The heaviest site first, each goes to the part that it fills least: longest processing time first (R. L. Graham, "Bounds
on Multiprocessing Timing Anomalies", SIAM Journal on Applied Mathematics 17, 1969), with several weights at once.
"""

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import LinkGraph, too_many_parts_error
from partition.models.grouping import by_site
from partition.models.model import Model
from sessions.compiled import compiled

Floats = npt.NDArray[np.float64]


def packed_sites(graph: LinkGraph, balance: Balance) -> Owners:
    """The part of each page, int32[n].  No part is empty.  Raises GraphError if there are fewer sites than parts."""
    sites = by_site(graph)
    if sites.count < balance.parts:
        raise too_many_parts_error(balance.parts, sites.count, "sites")
    most = np.maximum(graph.weights.sum(axis=0), 1) * (1 + balance.tolerance)
    weights = summed(graph.weights, sites.groups, sites.count) / most
    heaviest_first = np.argsort(-weights.max(axis=1), kind="stable")
    return packed(weights, heaviest_first, balance.shares)[sites.groups]


@compiled
def packed(weights: Floats, order: npt.NDArray[np.int64], shares: Floats) -> Owners:
    """The part of each of v things, int32[v], which are dealt out in ``order``, int64[v].

    ``weights``, float64[v, w], are parts of the most that may be of each; ``shares``, float64[k], add up to 1, k <= v.
    A thing goes to the part whose fullest weight is then least in proportion to its share; of several to the one with
    least of all weights, of those to the lowest.  As soon as no more things are left than parts are empty, each gets
    one.
    """
    count, k, kinds = len(order), len(shares), weights.shape[1]
    parts = np.empty(count, np.int32)
    loads = np.zeros((k, kinds))
    is_empty = np.ones(k, np.bool_)
    empty = k
    for turn in range(count):
        thing = order[turn]
        must_be_empty = count - turn <= empty
        best, best_fullest, best_sum = -1, np.inf, np.inf
        for part in range(k):
            if must_be_empty and not is_empty[part]:
                continue
            fullest, total = 0.0, 0.0
            for kind in range(kinds):
                load = (loads[part, kind] + weights[thing, kind]) / shares[part]
                fullest = max(fullest, load)
                total += load
            if fullest < best_fullest or (fullest == best_fullest and total < best_sum):
                best, best_fullest, best_sum = part, fullest, total
        parts[thing] = best
        loads[best] += weights[thing]
        empty -= is_empty[best]
        is_empty[best] = False
    return parts


SITE_PACKED = Model("sites", finer="prefix", group=lambda graph, _k: by_site(graph), divide=packed_sites)
