"""Bow-tie, degrees, exponents and the graph of sites beside networkx, sums and made data."""

from collections import Counter
from math import log
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.session_report.graph.bow_tie import PARTS, bow_tie_of, parts_of
from crawler.session_report.graph.breadth_first import harmonic_centrality, rows_of
from crawler.session_report.graph.core_numbers import core_numbers
from crawler.session_report.graph.degrees import in_degrees_of, out_degrees_of
from crawler.session_report.graph.power_law import exponents_of, fitted
from crawler.session_report.graph.site_structure import central_sites_of, site_graph_of
from crawler.session_report.session_arrays import SessionArrays
from sessions.site_graph import site_digraph
from tests.crawler.session_report.random_sessions import Tables, random_session


def edges_between(nodes: int) -> st.SearchStrategy[set[tuple[int, int]]]:
    node = st.integers(0, nodes - 1)
    return st.sets(st.tuples(node, node).filter(lambda ends: ends[0] != ends[1]))


EDGES = st.integers(2, 14).flatmap(lambda nodes: st.tuples(st.just(nodes), edges_between(nodes)))


def arrays_of(edges: set[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.array(sorted(edges), np.int64).reshape(-1, 2)
    return ends[:, 0].copy(), ends[:, 1].copy()


def graph_of(nodes: int, edges: set[tuple[int, int]]) -> networkx.DiGraph:
    graph = networkx.DiGraph(sorted(edges))
    graph.add_nodes_from(range(nodes))
    return graph


@settings(derandomize=True, deadline=None)
@given(EDGES)
def test_the_parts_of_a_bow_tie(web: tuple[int, set[tuple[int, int]]]) -> None:
    nodes, edges = web
    graph = graph_of(nodes, edges)
    found = [PARTS[part] for part in parts_of(*arrays_of(edges), nodes)]
    core = {node for node in graph if found[node] == "core"}
    components = list(map(set, networkx.strongly_connected_components(graph)))
    assert core in components
    assert len(core) == max(map(len, components))
    for node in graph:
        reaches = any(networkx.has_path(graph, node, other) for other in core)
        is_reached = any(networkx.has_path(graph, other, node) for other in core)
        hangs = networkx.has_path(graph.to_undirected(), node, min(core))
        expected = "tendrils and tubes" if hangs else "rest"
        if reaches or is_reached:
            expected = "core" if reaches and is_reached else "IN" if reaches else "OUT"
        assert found[node] == expected


@settings(derandomize=True, deadline=None)
@given(EDGES)
def test_harmonic_centrality_and_cores(web: tuple[int, set[tuple[int, int]]]) -> None:
    nodes, edges = web
    graph = graph_of(nodes, edges)
    sources, targets = arrays_of(edges)
    harmonic = networkx.harmonic_centrality(graph)
    assert harmonic_centrality(*rows_of(targets, sources, nodes)).tolist() == pytest.approx(
        [harmonic[node] for node in range(nodes)]
    )
    either = edges | {(target, source) for source, target in edges}
    cores = networkx.core_number(graph.to_undirected())
    assert core_numbers(*rows_of(*arrays_of(either), nodes)).tolist() == [cores[node] for node in range(nodes)]


@pytest.mark.parametrize("seed", range(4))
def test_figures_of_a_session(seed: int, tmp_path: Path) -> None:
    session = random_session(tmp_path / "web", seed, 20 + 10 * seed)
    arrays, tables = SessionArrays(session, "web"), Tables(session)
    assert sum(row[1] for row in bow_tie_of(arrays)) == len(tables.pages)
    out = Counter(sum(source == page for source, _ in tables.links) for page in tables.pages)
    mean = len(tables.links) / len(tables.pages)
    assert out_degrees_of(arrays) == [(links, pages, pytest.approx(mean)) for links, pages in sorted(out.items())]
    linked = Counter(map(tables.back_links, tables.pages))
    assert [row[:2] for row in in_degrees_of(arrays)] == sorted(linked.items())
    between = sum(target in tables.pages for _, target in tables.links) / len(tables.pages)
    assert [row[:2] for row in exponents_of(arrays)] == [("in", pytest.approx(between)), ("out", pytest.approx(mean))]
    graph = site_digraph(session)
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    cores, harmonic = networkx.core_number(graph.to_undirected()), networkx.harmonic_centrality(graph)
    deepest = max(cores.values())
    assert site_graph_of(arrays) == [
        (
            len(graph),
            graph.number_of_edges(),
            pytest.approx(networkx.reciprocity(graph)),
            deepest,
            list(cores.values()).count(deepest),
        )
    ]
    rows = central_sites_of(arrays)
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)
    for site, centrality, core, in_degree, out_degree in rows:
        assert centrality == pytest.approx(harmonic[site])
        assert (core, in_degree, out_degree) == (cores[site], graph.in_degree(site), graph.out_degree(site))


def drawn(exponent: float, x_min: int, count: int, seed: int) -> np.ndarray:
    """Values of a discrete power law from x_min on, by its cumulated shares up to a million."""
    values = np.arange(x_min, 10**6)
    shares = np.cumsum(values**-exponent)
    return values[np.searchsorted(shares / shares[-1], np.random.default_rng(seed).random(count))]


@pytest.mark.parametrize(("exponent", "x_min"), [(2.1, 1), (2.5, 1), (2.5, 6), (3.0, 3)])
def test_exponents_of_made_values_are_found(exponent: float, x_min: int) -> None:
    """Below x_min the values are even, which is no power law."""
    values = drawn(exponent, x_min, 20_000, seed=1)
    below = np.random.default_rng(2).integers(1, x_min, 20_000) if x_min > 1 else np.zeros(0, np.int64)
    law = fitted(np.concatenate([values, below, np.zeros(50, np.int64)]))
    assert law is not None
    assert law.exponent == pytest.approx(exponent, abs=0.05)
    assert x_min <= law.x_min <= x_min + 3
    assert law.values == (values >= law.x_min).sum()
    assert law.distance < 0.01


def test_a_fit_is_the_best_there_is_by_plain_sums() -> None:
    """Likelihood and distance with zeta summed term by term, for all x_min and a grid of exponents."""
    values = drawn(2.6, 2, 400, seed=3)
    law = fitted(values)
    assert law is not None

    def tail(exponent: float, begin: int) -> float:
        whole = np.arange(begin, begin + 200_000, dtype=np.float64)
        return float((whole**-exponent).sum() + whole[-1] ** (1 - exponent) / (exponent - 1))

    above = values[values >= law.x_min]

    def likelihood(exponent: float) -> float:
        return -exponent * float(np.log(above).sum()) - len(above) * log(tail(exponent, law.x_min))

    best = max(np.arange(1.5, 4.0, 0.01), key=likelihood)
    assert law.exponent == pytest.approx(best, abs=0.011)
    whole = tail(law.exponent, law.x_min)
    expected = {x: 1 - tail(law.exponent, x + 1) / whole for x in range(law.x_min, above.max() + 1)}
    gaps = [abs(float((above <= x).mean()) - share) for x, share in expected.items()]
    assert law.distance == pytest.approx(max(gaps), abs=1e-4)


def test_of_few_values_no_law_is_told() -> None:
    assert fitted(np.zeros(5, np.int64)) is None
    assert fitted(np.array([1, 2, 3] * 100)) is None
