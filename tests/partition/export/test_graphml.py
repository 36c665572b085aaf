"""GraphML, read back by networkx."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings

from partition.export.graphml import write_graphml
from partition.export.vertex_edge_tables import LISTINGS, Listing
from sessions.url import site_of
from tests.partition.export.support.listings import graph_read, listed
from tests.partition.graphs.support.webs import FILLED_WEBS, URLS, Fetch, Web, by_site, graph_of


def written(listing: Listing, path: Path) -> nx.Graph:
    write_graphml(listing, path)
    return nx.read_graphml(path, node_type=int)


@settings(max_examples=30)
@given(web=FILLED_WEBS)
def test_pages_and_links_come_back(web: Web, tmp_path_factory: pytest.TempPathFactory) -> None:
    with listed(web) as listing:
        read = written(listing, tmp_path_factory.getbasetemp() / "graph")
    assert type(read) is nx.DiGraph
    pages = [
        {"url": url, "site": site_of(url), "bytes": size, "requests": 1, "label": url}
        for url, size in web.sizes.items()
    ]
    assert dict(read.nodes(data=True)) == dict(enumerate(pages))
    links = {(pages[one]["url"], pages[other]["url"]): facts for one, other, facts in read.edges(data=True)}
    assert links == {link: {"cost": cost} for link, cost in web.links.items()}


@settings(max_examples=30)
@given(web=FILLED_WEBS)
def test_sites_and_their_edges_come_back(web: Web, tmp_path_factory: pytest.TempPathFactory) -> None:
    graph = graph_of(web)
    with listed(web, "site") as listing:
        read = written(listing, tmp_path_factory.getbasetemp() / "graph")
    assert type(read) is nx.Graph
    weights, edges = by_site(web)
    sites = {facts["site"]: [facts["bytes"], facts["requests"]] for _, facts in read.nodes(data=True)}
    assert sites == weights
    joined = {
        frozenset((graph.site_names[one], graph.site_names[other])): [facts["cost"], facts["links"]]
        for one, other, facts in read.edges(data=True)
    }
    assert joined == edges


@pytest.mark.parametrize(
    ("name", "read_as"),
    [("a&b;<c>]]>\"'", None), ("a\r\n\tb", None), ("\xe9 \u4e2d \U0001f600", None), ("\x00\x1f\uffff", "\ufffd" * 3)],
)
def test_whatever_a_site_is_called_is_escaped(name: str, read_as: str | None, tmp_path: Path) -> None:
    web = Web((Fetch(0, URLS[0], 1, (URLS[4],)), Fetch(0, URLS[4], 1, ())), ())
    with graph_read(web) as (graph, folder):
        renamed = replace(graph, site_names=[name, "b.example"])
        for kind in ("page", "site"):
            found = written(LISTINGS[kind](renamed, 4, folder), tmp_path / "graph")
            assert found.nodes[0]["site"] == (read_as or name)


def test_attributes_are_declared_before_the_graph(tmp_path: Path) -> None:
    """Readers such as Gephi's take types from there."""
    with listed(Web((Fetch(0, URLS[0], 1, ()),), ())) as listing:
        write_graphml(listing, tmp_path / "graph")
    namespace = "{http://graphml.graphdrawing.org/xmlns}"
    *keys, drawn = ET.parse(tmp_path / "graph").getroot()
    assert {(key.get("id"), key.get("for"), key.get("attr.type")) for key in keys} == {
        ("url", "node", "string"),
        ("site", "node", "string"),
        ("bytes", "node", "long"),
        ("requests", "node", "long"),
        ("status", "node", "long"),
        ("depth", "node", "long"),
        ("label", "node", "string"),
        ("cost", "edge", "long"),
    }
    assert all(key.get("attr.name") == key.get("id") for key in keys)
    assert (drawn.tag, drawn.get("edgedefault")) == (f"{namespace}graph", "directed")
