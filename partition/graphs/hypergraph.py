"""Pages as the nets of a hypergraph: what is really sent when each rank tells a URL's owner once.

The page t is a net that joins t with the pages linking to it.  If the pins of the net lie in c parts, then c - 1 ranks
other than the owner of t find its URL and send it, once each.  The sum of (c - 1) x length is the sent volume: the
connectivity metric of hypergraph partitioning (Catalyurek and Aykanat, "Hypergraph-Partitioning-Based Decomposition",
IEEE TPDS 1999, section 2).  In a graph taken as a hypergraph, whose nets are its edges, the same metric is the edge
cut, so one refinement serves both objectives.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array

from partition.graphs.link_graph import LinkGraph, Numbers
from partition.graphs.weighted_graph import WeightedGraph
from sessions.compiled import compiled

Pins = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Hypergraph:
    """m nets over v vertices.

    Attributes:
        starts: int64[m + 1]; the pins of net e are ``pins[starts[e]:starts[e + 1]]``, at least two, distinct.
        pins: int32, vertices net by net.
        vertex_starts: int64[v + 1]; the nets of vertex x are ``nets[vertex_starts[x]:vertex_starts[x + 1]]``.
        nets: int32, nets vertex by vertex.
        costs: int64[m], what a net costs for each further part that its pins lie in.
        weights: int64[v, w], what each vertex weighs (`LinkGraph.balanced`).
        anchors: int64 CSR [v, k]; the entry (x, p) is what it costs if the vertex x is not in part p.  [v, 0] if no
            vertex is drawn to a part.
    """

    starts: Numbers
    pins: Pins
    vertex_starts: Numbers
    nets: Pins
    costs: Numbers
    weights: Numbers
    anchors: csr_array = field(repr=False)

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def weighty(self) -> int:
        """How many vertices weigh anything: no more parts than that can be filled."""
        return int(np.count_nonzero(self.weights.any(axis=1)))


def sent_nets(graph: LinkGraph) -> Hypergraph:
    """The hypergraph whose connectivity is the sent volume: a net for every page that others link to."""
    pages = len(graph)
    linked = csr_array(
        (np.ones(graph.links.nnz, np.int8), graph.links.indices, graph.links.indptr), shape=(pages, pages)
    )
    pins = (linked.T.tocsr() + eye_array(pages, dtype=np.int8, format="csr")).tocsr()
    pins.sort_indices()
    return hypergraph(pins.indptr, pins.indices, graph.url_bytes, graph.weights)


def edge_nets(graph: WeightedGraph) -> Hypergraph:
    """The hypergraph whose connectivity is the graph's edge cut: a net of two pins for every edge."""
    edges = graph.edges
    rows = np.repeat(np.arange(len(graph), dtype=np.int32), np.diff(edges.indptr))
    is_above = rows < edges.indices
    pins = np.stack([rows[is_above], edges.indices[is_above]], axis=1).ravel()
    return hypergraph(np.arange(0, len(pins) + 1, 2), pins, edges.data[is_above], graph.weights)


def hypergraph(
    starts: Numbers,
    pins: npt.NDArray[np.integer],
    costs: Numbers,
    weights: Numbers,
    anchors: csr_array | None = None,
) -> Hypergraph:
    """A hypergraph from its nets; nets of a single pin can never cost anything and are left out."""
    sizes = np.diff(starts)
    is_cuttable = sizes > 1
    if not is_cuttable.all():
        pins, costs, sizes = pins[np.repeat(is_cuttable, sizes)], costs[is_cuttable], sizes[is_cuttable]
    return of_all_nets(sizes, pins, costs, weights, anchors)


def of_all_nets(
    sizes: npt.NDArray[np.integer],
    pins: npt.NDArray[np.integer],
    costs: Numbers,
    weights: Numbers,
    anchors: csr_array | None = None,
) -> Hypergraph:
    """The hypergraph of nets of ``sizes``, int[m], those of a single pin as well: other pins may be elsewhere."""
    starts, own_pins = _starts(sizes), np.ascontiguousarray(pins, np.int32)
    vertex_starts = _starts(np.bincount(own_pins, minlength=len(weights)))
    return Hypergraph(
        starts,
        own_pins,
        vertex_starts,
        _nets_by_vertex(starts, own_pins, vertex_starts),
        costs.astype(np.int64, copy=False),
        weights,
        csr_array((len(weights), 0), dtype=np.int64) if anchors is None else anchors,
    )


def _starts(sizes: npt.NDArray[np.integer]) -> Numbers:
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


@compiled
def _nets_by_vertex(starts: Numbers, pins: Pins, vertex_starts: Numbers) -> Pins:
    """The nets of each vertex, ascending, vertex after vertex: the pins sorted by counting."""
    nets = np.empty(len(pins), np.int32)
    places = vertex_starts[:-1].copy()
    for net in range(len(starts) - 1):
        for pin in range(starts[net], starts[net + 1]):
            vertex = pins[pin]
            nets[places[vertex]] = net
            places[vertex] += 1
    return nets
