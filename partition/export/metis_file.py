"""METIS's graph file (METIS 5 manual, section 4.1.1), which KaHIP, KaMinPar, Mt-KaHyPar and others read as well.

A line for each vertex: its two weights, then number and cost of each neighbour's edge.  Vertices count from 1, and
each edge stands in the lines of both its ends.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from partition.export.fast_text import write_joined
from partition.export.neighbours import Neighbours
from partition.graphs.link_graph import Numbers

_NUMBERS_PER_BLOCK = 1 << 20
_FORMAT = "011"  # no vertex sizes; vertex weights; edge weights


def write_metis(graph: Neighbours, path: Path) -> None:
    """Write a graph of v vertices and m edges; its header is ``v m 011 2``."""
    with open(path, "wb") as file:
        file.write(
            b"% weights of a vertex: bytes, requests; weight of an edge: bytes of URLs in the links it stands for\n"
        )
        file.write(f"{len(graph)} {graph.edges} {_FORMAT} {graph.weights.shape[1]}\n".encode())
        for first, last in _blocks(graph.starts):
            numbers, is_last = _lines(graph, first, last)
            ends = pc.if_else(pa.array(is_last), pa.scalar("\n"), pa.scalar(" "))
            write_joined(file, [pa.array(numbers), ends])


def _blocks(starts: Numbers) -> Iterator[tuple[int, int]]:
    """Ranges of vertices, first and last + 1, whose lines have about as many numbers as a block should."""
    numbers = 2 * (starts + np.arange(len(starts)))
    first = 0
    while first < len(starts) - 1:
        last = int(np.searchsorted(numbers, numbers[first] + _NUMBERS_PER_BLOCK, side="right")) - 1
        last = max(first + 1, last)
        yield first, last
        first = last


def _lines(graph: Neighbours, first: int, last: int) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """The numbers in the lines of some vertices, and which of them are the last of their line."""
    starts = graph.starts[first : last + 1]
    others, costs = graph.of(first, last)
    of_vertex = graph.weights.shape[1]
    lines = 2 * (starts - starts[0]) + of_vertex * np.arange(len(starts))
    numbers = np.empty(lines[-1], np.int64)
    is_of_edge = np.ones(len(numbers), bool)
    for weight in range(of_vertex):
        numbers[lines[:-1] + weight] = graph.weights[first:last, weight]
        is_of_edge[lines[:-1] + weight] = False
    numbers[is_of_edge] = np.stack([others + 1, costs], axis=1).ravel()
    is_last = np.zeros(len(numbers), bool)
    is_last[lines[1:] - 1] = True
    return numbers, is_last
