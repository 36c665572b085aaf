"""What pages weigh: each kind by its definition, and those that a graph is told to balance."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from partition.choices import WEIGHTS
from partition.graphs.holdout import without
from partition.graphs.hypergraph import sent_nets
from partition.graphs.link_graph import GraphError
from partition.graphs.weighted_graph import page_graph
from tests.partition.quality.support.webs import SmallWeb, ring, webs


@settings(max_examples=50)
@given(webs())
def test_each_kind_by_its_definition(web: SmallWeb) -> None:
    graph = web.graph()
    found = {name: WEIGHTS.load(name).of(graph) for name in WEIGHTS}
    assert found.pop("seconds") is None
    of_pages = {page: {target for source, target in web.links if source == page} for page in web.sizes}
    assert {name: weights.tolist() for name, weights in found.items()} == {
        "storage": list(web.sizes.values()),
        "requests": [1] * len(web.sizes),
        "links": [len(targets) for targets in of_pages.values()],
    }
    assert all(weights.dtype == np.int64 for weights in found.values())


def test_a_graph_weighs_what_is_to_be_balanced() -> None:
    graph = replace(ring().graph(), microseconds=np.arange(40), balanced=("seconds", "links", "requests"))
    assert graph.weights[:, 0].tolist() == list(range(40))
    assert graph.weights[:, 2].tolist() == [1] * 40
    assert page_graph(graph).weights.tolist() == sent_nets(graph).weights.tolist() == graph.weights.tolist()
    rest = without(graph, np.arange(40) < 30)
    assert rest.weights[:, 0].tolist() == list(range(30, 40))


def test_a_weight_that_nobody_knows_is_refused() -> None:
    graph = replace(ring().graph(), balanced=("requests", "seconds"))
    with pytest.raises(GraphError, match="nobody knows the seconds of these pages: there is no table of them"):
        graph.weights  # noqa: B018
