"""The undirected graph that METIS cuts: pages, or groups of pages, joined by what their links cost."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from partition.graphs.group_sums import summed
from partition.graphs.link_graph import LinkGraph, Numbers
from sessions.compiled import compiled

Columns = npt.NDArray[np.int32]


@dataclass(frozen=True)
class WeightedGraph:
    """An undirected graph of v vertices.

    Attributes:
        edges: symmetric int64 CSR [v, v], no diagonal; an entry is the cost of cutting that edge.  Columns are int32,
            which is a fifth of the memory less.
        weights: int64[v, w], what each vertex adds to its part's weights (`LinkGraph.balanced`).
    """

    edges: csr_array
    weights: Numbers

    def __len__(self) -> int:
        return len(self.weights)


def page_graph(graph: LinkGraph) -> WeightedGraph:
    """The page graph of Cambazoglu, Turk and Aykanat (2004, section 3.1).

    Vertices are pages; there they weigh (bytes, 1).  There is one edge where either page links to the other; it costs
    the total length of the URLs of the links both ways.
    """
    return WeightedGraph(undirected(graph.links), graph.weights)


def group_graph(graph: LinkGraph, groups: Numbers, count: int) -> WeightedGraph:
    """The graph of ``count`` groups of pages; page i belongs to group ``groups[i]``, int64[n].

    With sites as groups it is the site graph of the same paper (section 3.2): weights are summed over a group's
    pages, an edge costs the total length of all links between pages of the two groups, links within one are dropped.
    """
    return contracted_graph(page_graph(graph), groups, count)


def contracted_graph(graph: WeightedGraph, groups: Numbers, count: int) -> WeightedGraph:
    """The graph of ``count`` groups of vertices, int64[v] each: weights and costs are summed, inner edges dropped."""
    edges, _ = contracted_edges(graph.edges, groups, count)
    return WeightedGraph(edges, summed(graph.weights, groups, count))


def contracted_edges(edges: csr_array, groups: Numbers, count: int) -> tuple[csr_array, Numbers]:
    """The edges between groups, int64 CSR [count, count], and the cost of those inside each, both ways, int64[count].

    No copy of all edges is made, and no memory touched beyond that of the edges between groups.
    """
    starts, columns, costs, inner = _between_groups(edges.indptr, edges.indices, edges.data, groups, count)
    return matrix_of(*_transposed(starts, columns, costs, count), count), inner


def matrix_of(starts: Numbers, columns: Columns, values: Numbers, width: int) -> csr_array:
    """A CSR matrix of these arrays, which are not copied: starts and values int64, columns int32."""
    matrix = csr_array((len(starts) - 1, width), dtype=np.int64)
    matrix.data, matrix.indices, matrix.indptr = values, columns, starts
    return matrix


def subgraph(graph: WeightedGraph, vertices: Numbers) -> WeightedGraph:
    """The graph of some vertices, int64[r], ascending, and the edges between them."""
    return WeightedGraph(_with_own_indices(graph.edges[vertices][:, vertices].tocsr()), graph.weights[vertices])


def site_graph(graph: LinkGraph) -> WeightedGraph:
    """The graph of sites, numbered as in ``graph.site_names``."""
    return group_graph(graph, graph.sites, len(graph.site_names))


def undirected(directed: csr_array) -> csr_array:
    """Links both ways as edges: the sum of a matrix with sorted columns and its transposed."""
    count = directed.shape[0]
    back = _transposed(directed.indptr, directed.indices, directed.data, count)
    return matrix_of(*_sum_of(directed.indptr, directed.indices, directed.data, *back), count)


def _with_own_indices(edges: csr_array) -> csr_array:
    """The matrix, sorted, with the types of starts and columns that we keep, and scipy changes."""
    edges.sum_duplicates()
    edges.indices, edges.indptr = edges.indices.astype(np.int32), edges.indptr.astype(np.int64)
    return edges


@compiled
def _transposed(starts: Numbers, columns: Columns, values: Numbers, width: int) -> tuple[Numbers, Columns, Numbers]:
    """The transposed of a CSR matrix of this width, with sorted columns, by counting."""
    turned_starts = np.zeros(width + 1, np.int64)
    for place in range(len(columns)):
        turned_starts[columns[place] + 1] += 1
    for row in range(width):
        turned_starts[row + 1] += turned_starts[row]
    free = turned_starts[:-1].copy()
    rows, turned_values = np.empty(len(columns), np.int32), np.empty(len(columns), np.int64)
    for row in range(len(starts) - 1):
        for place in range(starts[row], starts[row + 1]):
            column = columns[place]
            rows[free[column]], turned_values[free[column]] = row, values[place]
            free[column] += 1
    return turned_starts, rows, turned_values


@compiled
def _sum_of(
    starts: Numbers,
    columns: Columns,
    values: Numbers,
    other_starts: Numbers,
    other_columns: Columns,
    other_values: Numbers,
) -> tuple[Numbers, Columns, Numbers]:
    """The sum of two CSR matrices of one shape with sorted columns, less its diagonal."""
    sum_starts = np.zeros(len(starts), np.int64)
    most = len(columns) + len(other_columns)
    sum_columns, sums = np.empty(most, np.int32), np.empty(most, np.int64)
    end = 0
    for row in range(len(starts) - 1):
        place, other = starts[row], other_starts[row]
        while place < starts[row + 1] or other < other_starts[row + 1]:
            is_one = other == other_starts[row + 1] or (
                place < starts[row + 1] and columns[place] <= other_columns[other]
            )
            is_other = place == starts[row + 1] or (
                other < other_starts[row + 1] and other_columns[other] <= columns[place]
            )
            sum_columns[end], sums[end] = columns[place] if is_one else other_columns[other], 0
            if is_one:
                sums[end] += values[place]
                place += 1
            if is_other:
                sums[end] += other_values[other]
                other += 1
            if sum_columns[end] != row:
                end += 1
        sum_starts[row + 1] = end
    return sum_starts, sum_columns[:end], sums[:end]


@compiled
def _between_groups(
    starts: Numbers, columns: Columns, values: Numbers, groups: Numbers, count: int
) -> tuple[Numbers, Columns, Numbers, Numbers]:
    """Group by group, the distinct other groups with what edges to them cost; and the cost of inner edges."""
    member_starts, members = _members(groups, count)
    sum_starts, inner = np.zeros(count + 1, np.int64), np.zeros(count, np.int64)
    sum_columns, sums = np.empty(len(columns), np.int32), np.empty(len(columns), np.int64)
    place_of = np.full(count, -1, np.int64)
    end = 0
    for group in range(count):
        begin = end
        for index in range(member_starts[group], member_starts[group + 1]):
            for place in range(starts[members[index]], starts[members[index] + 1]):
                other = groups[columns[place]]
                if other == group:
                    inner[group] += values[place]
                elif place_of[other] >= begin:
                    sums[place_of[other]] += values[place]
                else:
                    place_of[other] = end
                    sum_columns[end], sums[end] = other, values[place]
                    end += 1
        sum_starts[group + 1] = end
    return sum_starts, sum_columns[:end], sums[:end], inner


@compiled
def _members(groups: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """The members of each group, ascending, group after group: where each group's begin, int64[count + 1], and all."""
    starts = np.zeros(count + 1, np.int64)
    for vertex in range(len(groups)):
        starts[groups[vertex] + 1] += 1
    for group in range(count):
        starts[group + 1] += starts[group]
    free, members = starts[:-1].copy(), np.empty(len(groups), np.int64)
    for vertex in range(len(groups)):
        members[free[groups[vertex]]] = vertex
        free[groups[vertex]] += 1
    return starts, members
