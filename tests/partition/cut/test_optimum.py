"""Cuts of tiny webs in two beside the best of all partitions: none is better, and most are as good."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.cut.balance import balance_of
from partition.cut.effort import EFFORTS
from partition.cut.multilevel import cut
from partition.graphs.hypergraph import Hypergraph
from tests.partition.cut.support.cases import cost_by_definition, graph_of, hypergraphs, pins_of
from tests.partition.cut.support.optimum import all_of, optimum
from tests.partition.cut.support.tiny_webs import KINDS, Pair, pair_of, tiny_web
from tests.partition.quality.support.webs import SmallWeb, webs

_SAMPLE = range(30)

TOLERANCES = st.sampled_from([0.0, 0.05, 0.3, 1.0])


@given(hypergraphs(least=2, most=7), TOLERANCES)
def test_the_oracle_by_definition(hypergraph: Hypergraph, tolerance: float) -> None:
    balance = balance_of(hypergraph.weights, 2, tolerance)
    every = all_of(hypergraph, balance)
    for number, (cost, excess) in enumerate(zip(every.costs.tolist(), every.excesses.tolist(), strict=True)):
        parts = [number >> vertex & 1 for vertex in range(len(hypergraph))]
        assert cost == cost_by_definition(hypergraph, parts)
        assert excess == pytest.approx(balance.excess(hypergraph.weights, np.array(parts, np.int32)))
    ranks = zip(every.excesses > 0, every.excesses.round(2), every.costs, strict=True)
    assert optimum(hypergraph, balance).rank == min(ranks)


@settings(max_examples=60)
@given(webs(least_pages=2, most_pages=12), st.sampled_from(["sent", "links"]), TOLERANCES)
def test_no_cut_of_a_web_is_better_than_the_best(web: SmallWeb, objective: str, tolerance: float) -> None:
    pair = pair_of(web.graph(), objective, tolerance, "normal")
    assert pair.found.rank >= pair.best.rank


@settings(max_examples=60)
@given(hypergraphs(least=2), TOLERANCES)
def test_no_cut_of_a_hypergraph_is_better_than_the_best(hypergraph: Hypergraph, tolerance: float) -> None:
    neighbours = {pair: 1 for pins in pins_of(hypergraph) for pair in combinations(sorted(pins), 2)}
    requests = hypergraph.weights + np.array([0, 1])  # METIS refuses vertices without any weight
    hypergraph = Hypergraph(**{**vars(hypergraph), "weights": requests})
    balance = balance_of(requests, 2, tolerance)
    guide = graph_of(len(hypergraph), neighbours, requests.tolist())
    found = cut(hypergraph, lambda: guide, balance, EFFORTS["normal"], 1, 1, lambda _: None)
    assert found.rank >= optimum(hypergraph, balance).rank


@pytest.fixture(
    scope="module",
    params=[pytest.param((0.05, 0.95), id="tight"), pytest.param((0.3, 0.97), id="loose", marks=pytest.mark.long)],
)
def sample(request: pytest.FixtureRequest) -> tuple[list[Pair], float]:
    """Cuts of webs that can be balanced, and the share of them that must be optimal."""
    tolerance, share = request.param
    pairs = [
        pair_of(tiny_web(kind, number).graph(), "sent", tolerance, "normal") for kind in KINDS for number in _SAMPLE
    ]
    return [pair for pair in pairs if pair.best.excess == 0], share


def test_most_cuts_are_the_best_there_are(sample: tuple[list[Pair], float]) -> None:
    """The balance is nearly always kept where it can be; with few heavy pages that is a problem of sums of numbers."""
    pairs, share = sample
    assert len(pairs) >= 45
    assert np.mean([pair.found.excess == 0 for pair in pairs]) >= 0.98
    assert np.mean([pair.is_optimal for pair in pairs]) >= share
