"""METIS through its C functions: what it is given, what it gives, and what it must not print."""

import ctypes
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from partition.cut import metis, silence_c_output
from partition.cut.balance import balance_of
from partition.cut.guide_graph import sent_guide
from partition.cut.metis import MetisError, MetisGraph
from partition.cut.silence_c_output import silenced
from partition.graphs.link_graph import GraphError
from partition.graphs.weighted_graph import WeightedGraph
from tests.partition.cut.support.cases import cut_by_definition, graph_of, loads_by_definition, planted
from tests.partition.quality.support.webs import SmallWeb, ring, webs


def random_graph(count: int, weights: np.ndarray) -> WeightedGraph:
    rng = np.random.default_rng(count)
    ends = np.sort(rng.integers(0, count, (4 * count, 2)))
    return graph_of(count, {(start, end): 1 for start, end in ends.tolist() if start != end}, weights.tolist())


@pytest.mark.parametrize("method", ["kway", "recursive"])
def test_two_weights_are_balanced_at_once(method: str) -> None:
    rng = np.random.default_rng(0)
    graph = random_graph(600, np.stack([rng.integers(1, 500, 600), np.ones(600, np.int64)], axis=1))
    parts = getattr(MetisGraph(graph), method)(4, 0.05, 1)
    assert parts.dtype == np.int32
    assert balance_of(graph.weights, 4, 0.08).excess(graph.weights, parts) == 0


@pytest.mark.parametrize("method", ["kway", "recursive"])
def test_parts_have_their_shares(method: str) -> None:
    graph = random_graph(600, np.full((600, 2), [3, 1]))
    shares = np.array([0.5, 0.3, 0.2])
    parts = getattr(MetisGraph(graph), method)(3, 0.02, 1, shares=shares)
    loads = np.array(loads_by_definition(graph.weights, parts.tolist(), 3))
    assert loads[:, 1] / 600 == pytest.approx(shares, rel=0.06)


@pytest.mark.parametrize("method", ["kway", "recursive"])
def test_planted_clusters_are_found(method: str) -> None:
    graph, home = planted(4, 60, np.random.default_rng(7))
    parts = getattr(MetisGraph(graph), method)(4, 0.05, 1)
    assert cut_by_definition(graph, parts.tolist()) <= 1.2 * cut_by_definition(graph, home.tolist())


def test_the_same_seed_gives_the_same_in_two_threads_at_once() -> None:
    graph = MetisGraph(random_graph(500, np.full((500, 2), [3, 1])))
    calls = [(method, seed) for seed in range(6) for method in ("kway", "recursive")]

    def cut(call: tuple[str, int]) -> list[int]:
        return getattr(graph, call[0])(5, 0.05, call[1]).tolist()

    one_by_one = [cut(call) for call in calls]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(cut, calls)) == one_by_one
    assert len({tuple(parts) for parts in one_by_one}) > 2


@st.composite
def nasty_graphs(draw: st.DrawFn) -> WeightedGraph:
    """Few vertices, isolated ones, giants, bytes of nothing, edges of very different costs, or none."""
    count = draw(st.integers(1, 12))
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda ends: ends[0] < ends[1])
    edges = draw(st.dictionaries(pair, st.sampled_from([1, 1, 3, 10**9]), max_size=20)) if count > 1 else {}
    sizes = st.sampled_from(draw(st.sampled_from([(0,), (1,), (0, 1), (1, 10**7), (0, 5, 10**12)])))
    return graph_of(count, edges, [(size, 1) for size in draw(st.lists(sizes, min_size=count, max_size=count))])


@pytest.fixture
def flushed(capfd: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """What C and Python have printed so far."""

    def read() -> str:
        ctypes.CDLL(None).fflush(None)
        return "".join(capfd.readouterr())

    return read


def test_nothing_is_printed_whatever_is_cut(flushed: Any) -> None:
    @settings(max_examples=150)
    @given(nasty_graphs(), st.data())
    def check(graph: WeightedGraph, data: st.DataObject) -> None:
        k = data.draw(st.integers(1, len(graph)))
        shares = data.draw(st.none() | st.lists(st.sampled_from([1.0, 2.0, 1e6]), min_size=k, max_size=k))
        share_of_all = None if shares is None else np.array(shares) / sum(shares)
        tolerance = data.draw(st.sampled_from([0, 0.005, 0.05, 2]))
        for method in ("kway", "recursive"):
            parts = getattr(MetisGraph(graph), method)(k, tolerance, 1, shares=share_of_all)
            assert parts.shape == (len(graph),)
            assert 0 <= parts.min() <= parts.max() < k
            assert flushed() == ""

    check()


def test_c_code_is_heard_again_afterwards(flushed: Any) -> None:
    MetisGraph(random_graph(20, np.ones((20, 2), np.int64))).kway(20, 0, 1)
    ctypes.CDLL(None).puts(b"heard")
    assert flushed() == "heard\n"


def test_one_part_is_everything() -> None:
    assert MetisGraph(graph_of(3, {}, [(0, 1)] * 3)).kway(1, 0.05, 1).tolist() == [0, 0, 0]


def spoiled(change: str) -> WeightedGraph:
    graph = graph_of(4, {(0, 1): 2, (1, 2): 3, (2, 3): 4}, [(5, 1)] * 4)
    edges, weights = graph.edges, graph.weights
    edges.sort_indices()
    if change == "asymmetric":
        edges.data[0] = 7
    elif change == "missing":
        dense = edges.toarray()
        dense[0, 1] = 0
        edges = csr_array(dense)
        edges.indices, edges.indptr = edges.indices.astype(np.int32), edges.indptr.astype(np.int64)
    elif change == "loop":
        edges = (edges + csr_array(([1], ([2], [2])), shape=(4, 4), dtype=np.int64)).tocsr()
        edges.indices, edges.indptr = edges.indices.astype(np.int32), edges.indptr.astype(np.int64)
    elif change in ("zero", "negative"):
        edges.data[:2] = 0 if change == "zero" else -2
    elif change == "weight":
        weights[2, 0] = -1
    elif change == "large weights":
        weights[:, 0] = 1 << 62
    elif change == "large costs":
        edges.data[:] = 1 << 62
    elif change == "wide":
        edges.indices = edges.indices.astype(np.int64)
    return WeightedGraph(edges, weights)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("asymmetric", "the graph is not symmetric"),
        ("missing", "the graph is not symmetric"),
        ("loop", "vertex 2 has an edge to itself"),
        ("zero", "an edge costs 0; costs must be positive"),
        ("negative", "an edge costs -2; costs must be positive"),
        ("weight", "vertex 2 has a negative weight"),
        ("large weights", r"add up to more than 2\^53"),
        ("large costs", r"add up to more than 2\^53"),
        ("wide", "not of the types"),
    ],
)
def test_a_graph_that_metis_would_choke_on_is_refused(change: str, message: str) -> None:
    with pytest.raises(GraphError, match=message) as raised:
        MetisGraph(spoiled(change))
    assert "\n" not in str(raised.value)


def test_more_parts_than_vertices_with_weight_are_refused() -> None:
    graph = MetisGraph(graph_of(4, {}, [(0, 0), (0, 0), (3, 0), (0, 1)]))
    assert graph.kway(2, 1, 1).shape == (4,)
    with pytest.raises(GraphError, match="3 parts of 2 vertices with weight: some would be empty"):
        graph.recursive(3, 0.05, 1)


def test_weights_that_say_nothing_are_left_out() -> None:
    def alike(*columns: list[int]) -> list[list[int]]:
        return metis._telling(np.array(columns).T)

    assert alike([0, 0], [1, 1]) == [[1]]
    assert alike([7, 7], [1, 1]) == [[0, 1]]
    assert alike([0, 0], [0, 0]) == []
    assert alike([1, 2], [2, 1], [3, 6], [0, 0]) == [[0, 2], [1]]
    many = [10**9 + place for place in range(300)]
    assert alike(many, [1] * 300) == [[0], [1]]


def test_metis_is_told_a_tolerance_for_each_weight() -> None:
    """Of weights that are alike it is the least; one that says nothing has none."""
    edges = graph_of(3, {(0, 1): 1}, [(1, 1)] * 3).edges
    columns = np.array([[1, 2, 3], [5, 4, 4], [2, 4, 6], [0, 0, 0]]).T
    graph = MetisGraph(WeightedGraph(edges, columns))
    assert graph._tolerances([0.1, 0.2, 0.05, 0.01]).tolist() == [0.05, 0.2]
    assert graph._tolerances(0.3).tolist() == [0.3, 0.3]
    assert MetisGraph(WeightedGraph(edges, columns[:, 3:]))._tolerances([0.4]).tolist() == [0.4]


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 1)), min_size=1, max_size=8), st.integers(2, 8))
def test_no_vertex_weighs_more_than_a_part(pairs: list[tuple[int, int]], k: int) -> None:
    weights = np.array(pairs, np.int64)
    clipped = metis._at_most_a_part(weights, k)
    assert (clipped <= np.maximum(1, clipped.sum(axis=0) // k)).all()
    assert ((clipped > 0) == (weights > 0)).all()
    light = weights <= clipped.sum(axis=0) // k
    assert (clipped[light] == weights[light]).all()


@pytest.fixture
def fresh_library() -> Iterator[None]:
    metis._library.cache_clear()
    yield
    metis._library.cache_clear()


@pytest.mark.usefixtures("fresh_library")
class TestTheLibrary:
    """What is checked at its first use."""

    def test_narrow_integers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(metis.binding, "_idx_type_width", lambda: 32)
        with pytest.raises(MetisError, match="this pymetis has 32-bit indices; 64 are needed"):
            MetisGraph(graph_of(2, {}, [(1, 1)] * 2)).kway(2, 0.05, 1)

    def test_a_missing_function(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(metis.ctypes, "CDLL", lambda _: SimpleNamespace(METIS_PartGraphKway=None))
        with pytest.raises(MetisError, match="does not export METIS_PartGraphRecursive; install pymetis 2025"):
            metis._library()

    def test_wide_reals(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A library that takes doubles reads the shares of a single-precision caller as something else."""
        single = np.float32
        monkeypatch.setattr(metis.np, "float32", np.float64)
        assert not metis._takes_single_precision(ctypes.CDLL(metis.binding.__file__))
        monkeypatch.setattr(metis.np, "float32", single)
        assert metis._takes_single_precision(ctypes.CDLL(metis.binding.__file__))


def test_a_failure_of_metis_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = MetisGraph(graph_of(4, {}, [(1, 1)] * 4))
    for status, why in ((-2, "input that it takes for wrong"), (-3, "too little memory"), (-77, "status -77")):
        refusing = SimpleNamespace(METIS_PartGraphKway=lambda *_, s=status: s, METIS_SetDefaultOptions=lambda _: 1)
        monkeypatch.setattr(metis, "_library", lambda library=refusing: library)
        with pytest.raises(MetisError, match=f"METIS stopped because of {why}"):
            graph.kway(2, 0.05, 1)


# The guide against its formula.


@settings(max_examples=60)
@given(webs())
def test_a_link_costs_the_less_the_more_links_its_target_has(web: SmallWeb) -> None:
    graph = web.graph()
    links = graph.links.toarray().copy()
    pages = list(web.sizes)
    wanted: dict[tuple[int, int], int] = {}
    between = [(source, target) for source, target in web.links if target in web.sizes]
    for source, target in between:
        incoming = sum(other == target for _, other in between)
        cost = max(1, int(100 * len(target) / sqrt(incoming)))
        for ends in ((source, target), (target, source)):
            place = (pages.index(ends[0]), pages.index(ends[1]))
            wanted[place] = wanted.get(place, 0) + cost
    guide = sent_guide(graph)
    found = guide.edges.copy().tocoo()  # scipy wants starts and columns of one type here
    assert (
        dict(zip(zip(found.row.tolist(), found.col.tolist(), strict=True), found.data.tolist(), strict=True)) == wanted
    )
    assert guide.weights.tolist() == [[size, 1] for size in web.sizes.values()]
    assert (graph.links.toarray() == links).all()
    MetisGraph(guide)


def test_no_link_becomes_free() -> None:
    assert sent_guide(ring().graph()).edges.data.min() >= 1


# Silencing C code: not a word of it, every word of Python's.

C = ctypes.CDLL(None)


def test_c_is_silent_inside_and_heard_outside(capfd: pytest.CaptureFixture[str]) -> None:
    C.puts(b"before")
    with silenced():
        C.puts(b"inside")
        C.perror(b"inside")
        os.write(1, b"python\n")
    C.puts(b"after")
    C.fflush(None)
    told = capfd.readouterr()
    assert sorted(told.out.split()) == ["after", "before", "python"]
    assert told.err == ""


def test_an_error_inside_ends_the_silence(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), silenced():
        raise KeyboardInterrupt
    C.puts(b"heard")
    C.fflush(None)
    assert capfd.readouterr().out == "heard\n"


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    silence_c_output._streams.cache_clear()
    silence_c_output._sink.cache_clear()
    monkeypatch.setattr(silence_c_output.platform, "libc_ver", lambda: ("", ""))
    with silenced():
        C.puts(b"heard")
    C.fflush(None)
    assert capfd.readouterr().out == "heard\n"
    silence_c_output._streams.cache_clear()
    silence_c_output._sink.cache_clear()
