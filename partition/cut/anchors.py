"""Anchors: what it costs that vertices are not in certain parts, counted together with the cost of nets."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.graphs.group_sums import largest_columns
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import GraphError

_FINENESS_BITS = 20
_MOST = 2.0**61


class Pull(NamedTuple):
    """What it costs that vertices are not in certain parts.

    Attributes:
        amounts: int64 CSR [v, k], what vertex x loses if it is not in part p.
        cost: what each of these costs.
        told: what messages call the cost, and the unit of the amounts.
    """

    amounts: csr_array
    cost: float
    told: tuple[str, str]


def with_anchors(hypergraph: Hypergraph, pulls: Sequence[Pull]) -> Hypergraph:
    """The hypergraph, which has no anchors, with those of all pulls.

    All costs are multiplied by the same power of two, since they are whole numbers and an amount times a small cost
    must not become 0.  Raises GraphError if they would be too large to be counted.
    """
    nets = float(hypergraph.costs @ (np.diff(hypergraph.starts) - 1))
    pulled = [pull.cost * float(pull.amounts.sum()) for pull in pulls]
    total = max(1.0, nets + sum(pulled))
    if total > _MOST:
        worst = pulls[int(np.argmax(pulled))]
        name, unit = worst.told
        raise GraphError(f"{name} is too large to be counted for {int(worst.amounts.sum()):,} {unit}")
    fineness = 1 << min(_FINENESS_BITS, int(np.log2(_MOST / total)))
    anchors = reduce(add, [_whole(pull, fineness) for pull in pulls])
    return replace(hypergraph, costs=hypergraph.costs * fineness, anchors=anchors)


def away(parts: Owners, anchors: csr_array) -> int:
    """The sum of the anchors, int64 CSR [v, k], of vertices that are not there: what moves, or what that costs."""
    entries = anchors.tocoo()
    return int(entries.data[parts[entries.row] != entries.col].sum())


def homes(hypergraph: Hypergraph) -> Owners:
    """For each vertex 1 + the part in which it has its strongest anchor, 0 if it has none: int32[v]."""
    has_any = np.diff(hypergraph.anchors.indptr) > 0
    return np.where(has_any, 1 + largest_columns(hypergraph.anchors), 0).astype(np.int32)


def _whole(pull: Pull, fineness: int) -> csr_array:
    """What a pull costs, int64 CSR [v, k], in whole numbers of the fineness."""
    anchors = pull.amounts.copy()
    anchors.data = np.rint(pull.amounts.data * (pull.cost * fineness)).astype(np.int64)
    anchors.eliminate_zeros()
    return anchors
