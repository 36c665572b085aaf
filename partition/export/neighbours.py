"""An undirected graph by vertices: the neighbours of each, as METIS's format lists them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from partition.export.session_graph import SessionGraph
from partition.graphs.link_graph import Numbers
from sessions.hash_arrays import are_first
from sessions.storage.sorted_keys import KeySorter


@dataclass(frozen=True)
class Neighbours:
    """A graph of v vertices, of which each edge stands with both its ends.

    Attributes:
        weights: what each vertex weighs, int64[v, w].
        starts: where the neighbours of each vertex begin among those of all, int64[v + 1].
        of: gives the neighbours, ascending, of the vertices from one on and below another, and what the edges to them
            cost: int64 each.
    """

    weights: Numbers
    starts: Numbers
    of: Callable[[int, int], tuple[Numbers, Numbers]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return int(self.starts[-1]) // 2


def page_neighbours(graph: SessionGraph, folder: Path) -> Neighbours:
    """The page graph (`partition.graphs.weighted_graph.page_graph`), sorted in a file in ``folder``.

    It costs 32 bytes a page on top of those of the `SessionGraph`.
    """
    pages = np.int64(len(graph))
    sorter = KeySorter(folder, "neighbours")
    for sources, targets in graph.ends():
        sorter.add((sources * pages + targets) << 1)
        sorter.add((targets * pages + sources) << 1 | 1)  # the link leads from the neighbour here
    keys = sorter.sorted()
    key_counts, counts = np.zeros((2, len(graph)), np.int64)
    last = np.empty(0, np.int64)
    for block in keys.blocks():
        ties = block >> 1
        owners = ties // pages
        is_new = are_first(ties)
        is_new[0] = not len(last) or ties[0] != last[0]
        last = ties[-1:]
        first, end = int(owners[0]), int(owners[-1]) + 1
        key_counts[first:end] += np.bincount(owners - first)
        counts[first:end] += np.bincount(owners[is_new] - first, minlength=end - first)
    key_starts, starts = _starts(key_counts), _starts(counts)

    def of(begin: int, end: int) -> tuple[Numbers, Numbers]:
        found = keys.between(int(key_starts[begin]), int(key_starts[end]))
        here, others = np.divmod(found >> 1, pages)
        costs = graph.url_bytes[np.where(found & 1, here, others)].astype(np.int64)
        firsts = np.flatnonzero(are_first(found >> 1))
        return others[firsts], np.add.reduceat(costs, firsts) if len(firsts) else costs

    return Neighbours(graph.weights, starts, of)


def _starts(counts: npt.NDArray[np.int64]) -> Numbers:
    return np.concatenate(([0], np.cumsum(counts)))
