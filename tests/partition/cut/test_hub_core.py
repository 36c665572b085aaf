"""A core is what it is said to be, and what is left has the right nets and balance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.balance import balance_of
from partition.cut.effort import EFFORTS
from partition.cut.hub_core import costs_of_hubs, hub_core, hubs_of, restricted, with_core
from partition.cut.multilevel import cut
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.weighted_graph import WeightedGraph
from tests.partition.cut.support.cases import cost_by_definition, hypergraph_of, hypergraphs, pins_of


@settings(max_examples=150)
@given(hypergraphs(), st.data())
def test_nets_keep_their_pins_among_the_vertices_that_stay(graph: Hypergraph, data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.integers(0, len(graph) - 1), min_size=1))
    vertices = np.array(sorted(kept), np.int64)
    number_of = {vertex: number for number, vertex in enumerate(vertices.tolist())}
    expected = [
        (sorted(number_of[pin] for pin in pins if pin in kept), cost)
        for pins, cost in zip(pins_of(graph), graph.costs.tolist(), strict=True)
    ]
    rest = restricted(graph, vertices)
    found = [(sorted(pins), cost) for pins, cost in zip(pins_of(rest), rest.costs.tolist(), strict=True)]
    assert found == [(pins, cost) for pins, cost in expected if len(pins) > 1]
    assert rest.weights.tolist() == graph.weights[vertices].tolist()


@settings(max_examples=150)
@given(hypergraphs(), st.integers(1, 4), st.sampled_from([0.3, 0.9]))
def test_a_core_fits_its_part_and_its_nets_cost_what_is_said(graph: Hypergraph, k: int, portion: float) -> None:
    balance = balance_of(graph.weights, k)
    are_hubs = hubs_of(graph, balance, portion)
    core = hub_core(graph, balance, are_hubs)
    inside = set(range(len(graph))) - set(core.others.tolist())
    taken = graph.weights[sorted(inside)].sum(axis=0) / np.maximum(graph.weights.sum(axis=0), 1)
    assert taken.max() <= portion / k + 1e-9
    parts = with_core(core, np.arange(len(core.others), dtype=np.int32) % k, len(graph))
    assert all(parts[vertex] == core.part for vertex in inside)
    before = np.arange(len(graph), dtype=np.int32) % k
    of_hubs = [0 < len(inside & set(pins)) < len(pins) for pins in pins_of(graph)]
    theirs = hypergraph_of(
        [pins for pins, is_theirs in zip(pins_of(graph), of_hubs, strict=True) if is_theirs],
        graph.costs[np.array(of_hubs, bool)].tolist(),
        graph.weights.tolist(),
    )
    apart = [int(vertex not in inside) for vertex in range(len(graph))]
    expected = cost_by_definition(theirs, before.tolist()), cost_by_definition(theirs, apart)
    assert costs_of_hubs(graph, before, are_hubs) == expected


@pytest.mark.parametrize(("hubs", "links", "k"), [(12, 3, 8), (12, 3, 60), (60, 9, 16)])
def test_hubs_that_share_their_pages_are_gathered(hubs: int, links: int, k: int) -> None:
    """Hubs link to pages, each page has links from several of them: a core costs one for each page elsewhere.

    With many links to each page that is a small part of what other starts cost.
    """
    rng = np.random.default_rng(4)
    pages = 3000
    nets = [[hubs + page, *rng.choice(hubs, links, replace=False).tolist()] for page in range(pages)]
    graph = hypergraph_of(nets, [1] * pages, [(1, 1)] * (hubs + pages))
    guide = WeightedGraph(_links(nets, hubs + pages), graph.weights)
    found = cut(graph, lambda: guide, balance_of(graph.weights, k), EFFORTS["low"], 1, 1, lambda _: None)
    assert found.excess == 0
    assert found.setting.startswith("hubs: ")
    assert found.cost < pages


def _links(nets: list[list[int]], vertices: int):
    from scipy.sparse import coo_array

    rows = [net[0] for net in nets for _ in net[1:]]
    columns = [hub for net in nets for hub in net[1:]]
    links = coo_array((np.ones(len(rows), np.int64), (rows, columns)), shape=(vertices, vertices)).tocsr()
    edges = (links + links.T).tocsr()
    edges.indices, edges.indptr = edges.indices.astype(np.int32), edges.indptr.astype(np.int64)
    return edges
