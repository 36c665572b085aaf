"""GEXF, read back by networkx."""

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from partition.export.gexf import write_gexf
from partition.export.vertex_edge_tables import LISTINGS, Listing
from sessions.url import site_of
from tests.partition.export.support.listings import graph_read, listed
from tests.partition.graphs.support.webs import FILLED_WEBS, URLS, Fetch, Web, by_site, graph_of

TWO_SITES = Web((Fetch(0, URLS[0], 1, (URLS[4],)), Fetch(0, URLS[4], 1, ())), ())


def written(listing: Listing, path: Path) -> nx.Graph:
    write_gexf(listing, path)
    return nx.read_gexf(path, node_type=int)


@settings(max_examples=30)
@given(web=FILLED_WEBS)
def test_pages_and_links_come_back(web: Web, tmp_path_factory: pytest.TempPathFactory) -> None:
    with listed(web) as listing:
        read = written(listing, tmp_path_factory.getbasetemp() / "graph")
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
    with listed(web, "site") as listing:
        read = written(listing, tmp_path_factory.getbasetemp() / "graph")
    weights, edges = by_site(web)
    assert {told["label"]: [told["bytes"], told["requests"]] for _, told in read.nodes(data=True)} == weights
    joined = {
        frozenset((graph.site_names[a], graph.site_names[b])): [told["cost"], told["links"]]
        for a, b, told in read.edges(data=True)
    }
    assert joined == edges


@pytest.mark.parametrize("name", ["a&b;<c>]]>\"'", "a\r\n\tb", "\xe9 \u4e2d \U0001f600"])
def test_whatever_a_site_is_called_is_escaped(name: str, tmp_path: Path) -> None:
    with graph_read(TWO_SITES) as (graph, folder):
        renamed = replace(graph, site_names=[name, "b.example"])
        assert written(LISTINGS["site"](renamed, 4, folder), tmp_path / "graph").nodes[0]["label"] == name
        assert written(LISTINGS["page"](renamed, 4, folder), tmp_path / "graph").nodes[0]["site"] == name


def test_what_is_not_known_of_a_page_is_left_out(tmp_path: Path) -> None:
    with graph_read(TWO_SITES) as (graph, folder):
        told = replace(graph, statuses=np.array([-1, 404], np.int32), depths=np.array([0, -1], np.int32))
        read = written(LISTINGS["page"](told, 4, folder), tmp_path / "graph")
    first, second = (told for _, told in read.nodes(data=True))
    assert ("status" in first, first["depth"]) == (False, 0)
    assert (second["status"], "depth" in second) == (404, False)
