"""METIS's graph files, read back by the manual's rules (METIS 5, section 4.1.1)."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.export import metis_file as module
from partition.export.metis_file import write_metis
from partition.graphs.weighted_graph import WeightedGraph, page_graph, site_graph
from tests.partition.export.support.listings import listed
from tests.partition.graphs.support.webs import FILLED_WEBS, URLS, Fetch, Web, graph_of


def read_metis(path: Path) -> nx.Graph:
    """A file with vertex weights and edge weights; asserts what graphchk checks."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    vertices, edges, form, constraints = lines[0].split()
    assert form == "011"
    assert len(lines) == 1 + int(vertices)
    graph: nx.Graph = nx.empty_graph(int(vertices))
    weights = int(constraints)
    listed: dict[tuple[int, int], int] = {}
    for vertex, line in enumerate(lines[1:]):
        numbers = [int(number) for number in line.split(" ")]
        graph.nodes[vertex]["weights"] = numbers[:weights]
        neighbours, costs = numbers[weights::2], numbers[weights + 1 :: 2]
        for neighbour, cost in zip(neighbours, costs, strict=True):
            assert 1 <= neighbour <= int(vertices)
            assert neighbour != vertex + 1
            assert cost > 0
            assert (vertex, neighbour - 1) not in listed
            listed[vertex, neighbour - 1] = cost
            graph.add_edge(vertex, neighbour - 1, cost=cost)
    assert all(listed[target, source] == cost for (source, target), cost in listed.items())
    assert graph.number_of_edges() == int(edges) == len(listed) // 2
    return graph


def is_what_was_written(graph: WeightedGraph, path: Path) -> bool:
    read = read_metis(path)
    same_weights = [weights for _, weights in read.nodes(data="weights")] == graph.weights.tolist()
    costs = nx.to_numpy_array(read, nodelist=range(len(graph)), weight="cost", dtype=np.int64)
    return same_weights and bool((costs == graph.edges.toarray()).all())


@settings(max_examples=30)
@given(web=FILLED_WEBS, block=st.integers(1, 40))
def test_what_is_written_is_the_graph_whatever_the_blocks(
    web: Web, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "graph"
    links = graph_of(web)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_NUMBERS_PER_BLOCK", block)
        for kind, graph in (("page", page_graph(links)), ("site", site_graph(links))):
            write(web, path, kind)
            assert is_what_was_written(graph, path)


def write(web: Web, path: Path, kind: str = "page") -> None:
    with listed(web, kind) as listing:
        write_metis(listing.neighbours, path)


def test_the_file_of_two_pages(tmp_path: Path) -> None:
    first, second = Fetch(0, URLS[0], 30, (URLS[1],)), Fetch(0, URLS[1], 0, (URLS[0],))
    write(Web((first, second), ()), tmp_path / "graph")
    cost = len(URLS[0]) + len(URLS[1])
    comment, *lines = (tmp_path / "graph").read_bytes().split(b"\n")
    assert comment.startswith(b"% weights of a vertex: bytes, requests;")
    assert lines == [b"2 1 011 2", b"30 1 2 %d" % cost, b"0 1 1 %d" % cost, b""]


def test_a_page_alone(tmp_path: Path) -> None:
    write(Web((Fetch(0, URLS[0], 30, ()),), ()), tmp_path / "graph")
    assert (tmp_path / "graph").read_text().splitlines()[1:] == ["1 0 011 2", "30 1"]
