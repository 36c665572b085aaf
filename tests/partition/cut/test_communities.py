"""Communities: never spread over what is not connected, found where they were planted, of high modularity."""

from itertools import combinations

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.communities import communities
from tests.partition.cut.support.cases import graph_of, planted


@settings(max_examples=100)
@given(st.integers(1, 12), st.data())
def test_communities_are_no_worse_than_each_vertex_alone(count: int, data: st.DataObject) -> None:
    pairs = [pair for pair in combinations(range(count), 2) if data.draw(st.booleans())]
    costs = {pair: data.draw(st.integers(1, 9)) for pair in pairs}
    found = communities(graph_of(count, costs, [(1, 1)] * count), np.random.default_rng(1)).tolist()
    assert sorted(set(found)) == list(range(max(found) + 1))
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from((one, other, cost) for (one, other), cost in costs.items())
    groups = [{vertex for vertex in range(count) if found[vertex] == name} for name in set(found)]
    if costs:
        alone = [{vertex} for vertex in range(count)]
        assert nx.community.modularity(graph, groups) >= nx.community.modularity(graph, alone) - 1e-9
    connected = list(nx.connected_components(graph))
    assert all(any(group <= component for component in connected) for group in groups)


def test_planted_communities_are_found() -> None:
    graph, home = planted(4, 100, np.random.default_rng(1))
    found = communities(graph, np.random.default_rng(2))
    pairs = {(int(one), int(other)) for one, other in zip(home, found, strict=True)}
    assert len(pairs) == 4
