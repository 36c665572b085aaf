"""The best of all partitions of a tiny hypergraph into two parts, by looking at each of them."""

from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from partition.cut.balance import Balance
from partition.cut.portfolio import Candidate
from partition.graphs.hypergraph import Hypergraph
from tests.partition.cut.support.cases import pins_of

MOST_VERTICES = 12


class All(NamedTuple):
    """What each of the 2^v partitions costs, int64[2^v], and how far it is beyond the balance, float64[2^v].

    The vertex x is in part 1 of those whose number has bit x.
    """

    costs: npt.NDArray[np.int64]
    excesses: npt.NDArray[np.float64]


def all_of(hypergraph: Hypergraph, balance: Balance) -> All:
    """Every partition into two parts of at most `MOST_VERTICES` vertices."""
    count = len(hypergraph)
    assert count <= MOST_VERTICES
    assert balance.parts == 2
    parts = (np.arange(1 << count)[:, None] >> np.arange(count)) & 1
    costs = np.zeros(len(parts), np.int64)
    for cost, pins in zip(hypergraph.costs.tolist(), pins_of(hypergraph), strict=True):
        there = parts[:, pins].sum(axis=1)
        costs += cost * ((there > 0) & (there < len(pins)))
    excesses = np.zeros(len(parts))
    for part, weight in product(range(2), range(hypergraph.weights.shape[1])):
        if wanted := balance.wanted[part, weight]:
            load = (parts == part) @ hypergraph.weights[:, weight]
            excesses = np.maximum(excesses, (load - balance.limits[part, weight]) / wanted)
    sizes = parts.sum(axis=1)
    return All(costs, excesses + ((sizes == 0) | (sizes == count)))


def optimum(hypergraph: Hypergraph, balance: Balance) -> Candidate:
    """The best partition into two parts, by what `Candidate.rank` calls better."""
    every = all_of(hypergraph, balance)
    order = np.lexsort((every.costs, every.excesses.round(2), every.excesses > 0))
    best = int(order[0])
    parts = ((best >> np.arange(len(hypergraph))) & 1).astype(np.int32)
    return Candidate("best of all", parts, int(every.costs[best]), float(every.excesses[best]))
