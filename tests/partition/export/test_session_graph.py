"""What is read for an export, beside the graph that is cut."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import triu

from partition.export import group_edges as group_edges_module
from partition.export.group_edges import group_edges
from partition.export.neighbours import page_neighbours
from partition.export.session_graph import SessionGraph, session_graph
from partition.graphs.link_graph import GraphError, link_graph
from partition.graphs.weighted_graph import WeightedGraph, group_graph, page_graph
from partition.models.prefix import by_prefix
from sessions.session import Session
from sessions.storage import sorted_keys
from tests.partition.export.support.listings import graph_read, listed
from tests.partition.graphs.support.webs import FILLED_WEBS, URLS, Fetch, Web, forget_columns, graph_of, record
from tests.sessions.support.builder import Crawl, small_session

TWICE = Web(
    (Fetch(0, URLS[0], 5, (URLS[1],)), Fetch(1, URLS[4], 1, ()), Fetch(1, URLS[0], 7, (URLS[4], URLS[9]))), (URLS[9],)
)


def whole(graph: SessionGraph) -> tuple[list[int], list[int]]:
    """Sources and targets of all links."""
    ends = [(sources.tolist(), targets.tolist()) for sources, targets in graph.ends()]
    return [end for sources, _ in ends for end in sources], [end for _, targets in ends for end in targets]


@settings(max_examples=60)
@given(FILLED_WEBS, st.integers(1, 50))
@example(TWICE, 1)
def test_it_is_the_graph_that_is_cut(web: Web, in_memory: int) -> None:
    expected = graph_of(web)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_keys, "_KEYS_IN_MEMORY", in_memory)
        patch.setattr(sorted_keys, "BLOCK", in_memory)
        with graph_read(web) as (graph, _):
            assert whole(graph) == (expected.sources.tolist(), expected.links.indices.tolist())
            assert [url for batch in graph.urls() for url in batch.to_pylist()] == expected.urls.to_pylist()
    assert graph.weights.tolist() == expected.weights.tolist()
    assert graph.url_bytes.tolist() == expected.url_bytes.tolist()
    assert (graph.sites.tolist(), graph.site_names) == (expected.sites.tolist(), expected.site_names)
    assert (graph.links_left_out, graph.urls_left_out) == (expected.known_links.nnz, len(expected.known_urls))


@settings(max_examples=60)
@given(FILLED_WEBS, st.integers(1, 9))
@example(TWICE, 2)
def test_neighbours_are_those_of_the_page_graph(web: Web, block: int) -> None:
    expected = page_graph(graph_of(web))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_keys.SortedKeys.blocks, "__defaults__", (block,))
        with graph_read(web) as (graph, folder):
            found = page_neighbours(graph, folder)
            assert found.weights.tolist() == expected.weights.tolist()
            assert found.starts.tolist() == expected.edges.indptr.tolist()
            for begin in range(len(found)):
                for end in (begin, begin + 1, len(found)):
                    assert of(expected, begin, end) == tuple(column.tolist() for column in found.of(begin, end))


def of(graph: WeightedGraph, begin: int, end: int) -> tuple[list[int], list[int]]:
    inside = slice(graph.edges.indptr[begin], graph.edges.indptr[end])
    return graph.edges.indices[inside].tolist(), graph.edges.data[inside].tolist()


@settings(max_examples=60)
@given(FILLED_WEBS, st.data())
def test_edges_of_groups_are_sums(web: Web, data: st.DataObject) -> None:
    links = graph_of(web)
    groups = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(links), max_size=len(links))), np.int64)
    expected = group_graph(links, groups, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_edges_module, "_LEAST_PENDING", 1)
        patch.setattr(sorted_keys.SortedKeys.blocks, "__defaults__", (3,))
        with graph_read(web) as (graph, _):
            found = group_edges(graph, groups, 5)
    ones = links.links.copy()
    ones.data[:] = 1
    counted = group_graph(replace(links, links=ones), groups, 5)
    costs, counts = (triu(graph.edges.copy(), format="coo") for graph in (expected, counted))
    edges = zip(found.sources.tolist(), found.targets.tolist(), found.costs.tolist(), found.links.tolist(), strict=True)
    assert {(one, other): (cost, links) for one, other, cost, links in edges} == {
        (one, other): (cost, links)
        for one, other, cost, links in zip(*costs.coords, costs.data, counts.data, strict=True)
    }
    assert sorted(zip(found.sources, found.targets, strict=True)) == list(
        zip(found.sources, found.targets, strict=True)
    )
    neighbours = found.neighbours(expected.weights)
    assert neighbours.starts.tolist() == expected.edges.indptr.tolist()
    for begin in range(5):
        assert of(expected, begin, 5) == tuple(column.tolist() for column in neighbours.of(begin, 5))


def test_status_and_depth_are_those_of_the_last_fetch(tmp_path: Path) -> None:
    small_session(tmp_path / "crawl")
    session = Session.open(tmp_path / "crawl")
    last = {page["url"]: page for page in session.read("pages").to_pylist()}
    with listed(session) as listing:
        (block,) = listing.vertices.blocks()
    assert block.num_rows == len(last)
    for row in block.to_pylist():
        page = last[row["url"]]
        assert row == {name: page.get(name, 1) for name in row}


def test_sites_that_an_older_version_did_not_write_are_read_off_the_urls(tmp_path: Path) -> None:
    session = record(tmp_path / "old", TWICE)
    forget_columns(session, "pages", ["site"])
    expected = link_graph(session)
    with graph_read(session) as (graph, _):
        assert (graph.sites.tolist(), graph.site_names) == (expected.sites.tolist(), expected.site_names)


def test_prefixes_beyond_what_memory_should_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("partition.export.vertex_edge_tables.MOST_PREFIXED", 1)
    with (
        pytest.raises(GraphError, match=r"^2 pages are too many: prefixes need all URLs in memory; 1 can be exported$"),
        listed(TWICE, "prefix"),
    ):
        pass


def test_prefixes_are_those_of_the_model() -> None:
    with listed(TWICE, "prefix") as listing:
        names = [name for block in listing.vertices.blocks() for name in block["prefix"].to_pylist()]
    grouping = by_prefix(graph_of(TWICE), 4)
    assert names == [grouping.prefixes[group] for group in sorted(set(grouping.groups.tolist()))]


def test_no_pages(tmp_path: Path) -> None:
    Crawl(tmp_path / "new").close()
    with pytest.raises(GraphError, match="no pages were downloaded, so there is nothing to export"):
        session_graph(Session.open(tmp_path / "new"), tmp_path)
