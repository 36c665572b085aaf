"""Nets: what they cost, against counting what ranks would send and cut."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.graphs.hypergraph import Hypergraph, edge_nets, hypergraph, sent_nets
from partition.graphs.weighted_graph import WeightedGraph, page_graph, site_graph
from tests.partition.graphs.support.webs import FILLED_WEBS, URLS, Fetch, Web, graph_of

K = 4


def nets_of(graph: Hypergraph) -> Iterator[list[int]]:
    for begin, end in zip(graph.starts[:-1], graph.starts[1:], strict=True):
        yield graph.pins[begin:end].tolist()


def connectivity(graph: Hypergraph, parts: list[int]) -> int:
    """The sum over nets of cost x (parts that its pins lie in - 1), by its definition."""
    return sum(
        int(cost) * (len({parts[pin] for pin in pins}) - 1)
        for cost, pins in zip(graph.costs, nets_of(graph), strict=True)
    )


def check_incidences(graph: Hypergraph) -> None:
    """Both directions tell the same, nets have at least two distinct pins, types are as declared."""
    assert (graph.starts.dtype, graph.vertex_starts.dtype, graph.costs.dtype) == (np.int64,) * 3
    assert (graph.pins.dtype, graph.nets.dtype) == (np.int32,) * 2
    assert len(graph.vertex_starts) == len(graph) + 1
    assert len(graph.starts) == len(graph.costs) + 1
    nets = list(nets_of(graph))
    assert all(len(set(pins)) == len(pins) >= 2 for pins in nets)
    for vertex in range(len(graph)):
        listed = graph.nets[graph.vertex_starts[vertex] : graph.vertex_starts[vertex + 1]].tolist()
        assert listed == [net for net, pins in enumerate(nets) if vertex in pins]


def parts_for(data: st.DataObject, vertices: int) -> list[int]:
    return data.draw(st.lists(st.integers(0, K - 1), min_size=vertices, max_size=vertices))


def sent_once_per_rank(web: Web, parts: list[int]) -> int:
    """Bytes of URLs that ranks send if each tells the owner of a URL once, however many of its pages link there."""
    owner = dict(zip(web.sizes, parts, strict=True))
    sent = {(owner[source], target) for source, target in web.links if owner[source] != owner[target]}
    return sum(len(target) for _, target in sent)


@settings(max_examples=40)
@given(FILLED_WEBS, st.data())
def test_connectivity_of_sent_nets_is_what_ranks_send(web: Web, data: st.DataObject) -> None:
    graph = sent_nets(graph_of(web))
    check_incidences(graph)
    assert graph.weights.tolist() == [[size, 1] for size in web.sizes.values()]
    parts = parts_for(data, len(graph))
    assert connectivity(graph, parts) == sent_once_per_rank(web, parts)


def edge_cut(graph: WeightedGraph, parts: npt.NDArray[np.int64]) -> int:
    dense = graph.edges.toarray()
    return int(dense[parts[:, None] != parts[None, :]].sum()) // 2


@settings(max_examples=40)
@given(FILLED_WEBS, st.data())
def test_connectivity_of_edge_nets_is_the_edge_cut(web: Web, data: st.DataObject) -> None:
    links = graph_of(web)
    for graph in (page_graph(links), site_graph(links)):
        nets = edge_nets(graph)
        check_incidences(nets)
        assert len(nets.costs) == graph.edges.nnz // 2
        parts = parts_for(data, len(graph))
        assert connectivity(nets, parts) == edge_cut(graph, np.array(parts, np.int64))


def test_a_graph_without_links_has_no_nets() -> None:
    links = graph_of(Web((Fetch(0, URLS[0], 3, (URLS[1],)),), ()))
    for graph in (sent_nets(links), edge_nets(page_graph(links))):
        check_incidences(graph)
        assert (len(graph), len(graph.costs), len(graph.pins)) == (1, 0, 0)


def test_nets_of_one_pin_are_left_out() -> None:
    starts, pins = np.array([0, 1, 3, 3, 6]), np.array([2, 0, 1, 0, 1, 2])
    graph = hypergraph(starts, pins, np.array([5, 7, 11, 13]), np.ones((3, 2), np.int64))
    check_incidences(graph)
    assert list(nets_of(graph)) == [[0, 1], [0, 1, 2]]
    assert graph.costs.tolist() == [7, 13]
