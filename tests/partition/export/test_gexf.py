"""GEXF, read back by networkx."""

from dataclasses import replace
from pathlib import Path

import networkx as nx
import pyarrow as pa
import pytest
from hypothesis import given, settings

from partition.export.gexf import write_gexf
from partition.export.vertex_edge_tables import LISTINGS, ListedPages, fetches_of
from partition.graphs.link_graph import LinkGraph, link_graph
from sessions.session import Session
from sessions.url import site_of
from tests.partition.graphs.support.webs import FILLED_WEBS, URLS, Fetch, Web, by_site, graph_of
from tests.sessions.support.builder import small_session


def written(graph: LinkGraph, kind: str, path: Path, fetches: pa.Table | None = None) -> nx.Graph:
    listing = LISTINGS[kind](graph, 4) if fetches is None else ListedPages(graph, fetches)
    write_gexf(listing, path)
    return nx.read_gexf(path, node_type=int)


@settings(max_examples=30)
@given(web=FILLED_WEBS)
def test_pages_and_links_come_back(web: Web, tmp_path_factory: pytest.TempPathFactory) -> None:
    read = written(graph_of(web), "page", tmp_path_factory.getbasetemp() / "graph")
    assert type(read) is nx.DiGraph
    pages = [
        {"label": url, "url": url, "site": site_of(url), "bytes": size, "requests": 1}
        for url, size in web.sizes.items()
    ]
    assert dict(read.nodes(data=True)) == dict(enumerate(pages))
    links = {(pages[a]["url"], pages[b]["url"]): (told["cost"], told["weight"]) for a, b, told in read.edges(data=True)}
    assert links == {link: (cost, cost) for link, cost in web.links.items()}


@settings(max_examples=30)
@given(web=FILLED_WEBS)
def test_sites_and_their_edges_come_back(web: Web, tmp_path_factory: pytest.TempPathFactory) -> None:
    graph = graph_of(web)
    read = written(graph, "site", tmp_path_factory.getbasetemp() / "graph")
    weights, edges = by_site(web)
    assert {told["label"]: [told["bytes"], told["requests"]] for _, told in read.nodes(data=True)} == weights
    joined = {
        frozenset((graph.site_names[a], graph.site_names[b])): [told["cost"], told["links"]]
        for a, b, told in read.edges(data=True)
    }
    assert joined == edges


@pytest.mark.parametrize("name", ["a&b;<c>]]>\"'", "a\r\n\tb", "\xe9 \u4e2d \U0001f600"])
def test_whatever_a_site_is_called_is_escaped(name: str, tmp_path: Path) -> None:
    graph = graph_of(Web((Fetch(0, URLS[0], 1, (URLS[4],)), Fetch(0, URLS[4], 1, ())), ()))
    graph = replace(graph, site_names=[name, "b.example"])
    assert written(graph, "site", tmp_path / "graph").nodes[0]["label"] == name
    assert written(graph, "page", tmp_path / "graph").nodes[0]["site"] == name


def test_what_is_not_known_of_a_page_is_left_out(tmp_path: Path) -> None:
    graph = graph_of(Web((Fetch(0, URLS[0], 1, (URLS[4],)), Fetch(0, URLS[4], 1, ())), ()))
    fetches = pa.table({"status": pa.array([None, 404], pa.int64()), "depth": pa.array([0, None], pa.int64())})
    first, second = (told for _, told in written(graph, "page", tmp_path / "graph", fetches).nodes(data=True))
    assert ("status" in first, first["depth"]) == (False, 0)
    assert (second["status"], "depth" in second) == (404, False)


def test_status_and_depth_are_those_of_the_last_fetch(tmp_path: Path) -> None:
    small_session(tmp_path / "crawl")
    session = Session.open(tmp_path / "crawl")
    graph = link_graph(session)
    pages = session.read("pages", ["hash", "status", "depth"]).to_pylist()
    last = {page["hash"]: page for page in pages}
    assert fetches_of(session, graph).to_pylist() == [
        {"status": last[page]["status"], "depth": last[page]["depth"]} for page in graph.hashes.tolist()
    ]
