"""The edges between groups of pages, summed while the links go by."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from partition.export.neighbours import Neighbours
from partition.export.session_graph import SessionGraph
from partition.graphs.link_graph import Numbers
from sessions.hash_arrays import are_first

_LEAST_PENDING = 1 << 20


@dataclass(frozen=True)
class GroupEdges:
    """m edges by source, then target, where source < target: int64[m] each.

    ``links`` is how many links there are between pages of the two groups, both ways, ``costs`` what these cost.
    """

    sources: Numbers
    targets: Numbers
    costs: Numbers
    links: Numbers

    def neighbours(self, weights: Numbers) -> Neighbours:
        """The graph whose vertices have these weights, int64[v, w]."""
        ends, others = np.concatenate([self.sources, self.targets]), np.concatenate([self.targets, self.sources])
        order = np.lexsort((others, ends))
        columns, costs = others[order], np.concatenate([self.costs, self.costs])[order]
        starts = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=len(weights)))))

        def of(begin: int, end: int) -> tuple[Numbers, Numbers]:
            inside = slice(starts[begin], starts[end])
            return columns[inside], costs[inside]

        return Neighbours(weights, starts, of)


def group_edges(graph: SessionGraph, groups: npt.NDArray[np.integer[Any]], count: int) -> GroupEdges:
    """The edges between ``count`` groups; page i belongs to group ``groups[i]``, int[n].

    Links within a group are left out.  An edge between groups costs up to 150 bytes of memory, a link none.
    """
    keys, sums = np.empty(0, np.int64), np.empty((0, 2), np.int64)
    waiting, waiting_sums = [keys], [sums]
    for sources, targets in graph.ends():
        ends = np.sort(np.stack([groups[sources], groups[targets]]).astype(np.int64), axis=0)
        crosses = ends[0] != ends[1]
        costs = graph.url_bytes[targets[crosses]].astype(np.int64)
        more, more_sums = _summed(ends[0, crosses] * count + ends[1, crosses], np.stack([costs, costs > 0], axis=1))
        waiting.append(more)
        waiting_sums.append(more_sums)
        if sum(map(len, waiting)) > max(_LEAST_PENDING, 2 * len(keys)):
            keys, sums = _summed(np.concatenate(waiting), np.concatenate(waiting_sums))
            waiting, waiting_sums = [keys], [sums]
    keys, sums = _summed(np.concatenate(waiting), np.concatenate(waiting_sums))
    ends_of = np.divmod(keys, np.int64(count))
    return GroupEdges(*ends_of, sums[:, 0], sums[:, 1])


def _summed(keys: Numbers, values: Numbers) -> tuple[Numbers, Numbers]:
    """The distinct keys, ascending, and the sum of the values of each: int64[m, w] of int64[n, w]."""
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    firsts = np.flatnonzero(are_first(in_order))
    return in_order[firsts], np.add.reduceat(values[order], firsts) if len(firsts) else values[:0]
