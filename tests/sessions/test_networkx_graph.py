"""A session as a networkx graph."""

import subprocess
import sys
from pathlib import Path

import networkx as nx
import pyarrow.parquet as pq
import pytest

from sessions.schema import EMBEDDED, NOFOLLOW, REDIRECT
from sessions.session import Session
from tests.sessions.support.builder import HOME, LOST, OTHERS, PAGES, Crawl


def test_nodes_are_the_pages_with_what_is_known_of_them(good_session: Path) -> None:
    session = Session.open(good_session)
    graph = session.to_networkx()
    assert type(graph) is nx.DiGraph
    pages = session.read("pages").to_pylist()
    assert list(graph) == [page["url"] for page in pages]
    for page in pages:
        assert graph.nodes[page["url"]] == {name: page[name] for name in ("bytes", "site", "status", "depth")}
    assert graph.nodes[PAGES[7]]["status"] == 404


def test_edges_are_the_links_between_pages(good_session: Path) -> None:
    graph = Session.open(good_session).to_networkx()
    fetched = OTHERS[:5]
    expected = {(HOME, url): 0 for url in PAGES} | {(HOME, url): EMBEDDED for url in fetched}
    expected |= {(PAGES[0], PAGES[1]): 0, (PAGES[0], PAGES[2]): 0, (OTHERS[4], HOME): REDIRECT}
    expected |= {(url, HOME): NOFOLLOW for url in OTHERS[:4]}
    assert {(source, target): flags for source, target, flags in graph.edges(data="flags")} == expected


def test_urls_that_were_only_seen_are_added_if_asked_for(good_session: Path) -> None:
    session = Session.open(good_session)
    pages, known = session.to_networkx(), session.to_networkx(known=True)
    assert set(known) == set(session.read("urls")["url"].to_pylist())
    assert list(known)[: len(pages)] == list(pages)
    assert nx.utils.graphs_equal(known.subgraph(pages), pages)
    assert known.nodes[OTHERS[7]] == {"site": "b.example:8443"}
    assert set(known[HOME]) == {*PAGES, *OTHERS}
    assert known.number_of_edges() == session.read("links").num_rows
    assert set(known.predecessors(LOST[3])) == set(OTHERS[:4])


def test_a_page_fetched_twice_is_one_node_and_its_links_are_joined(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "overlap", assignment="discoverer")
    first, second = crawl.ranks
    first.discover([HOME, PAGES[0]])
    second.discover([HOME])
    first.fetch(HOME, b"short", links=[(PAGES[0], NOFOLLOW), (HOME, 0)])
    first.fetch(PAGES[0])
    second.fetch(HOME, b"longer", links=[(PAGES[0], EMBEDDED)])
    crawl.commit("complete")
    crawl.close()
    graph = Session.open(crawl.path).to_networkx()
    assert list(graph) == [HOME, PAGES[0]]
    assert graph.nodes[HOME]["bytes"] == len(b"longer")
    assert list(graph.edges(data="flags")) == [(HOME, PAGES[0], NOFOLLOW | EMBEDDED)]


def test_a_session_in_which_nothing_is_committed_is_an_empty_graph(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "new")
    crawl.close()
    assert len(Session.open(crawl.path).to_networkx(known=True)) == 0


def test_what_an_older_session_does_not_tell_is_left_out(session_copy: Path) -> None:
    session = Session.open(session_copy)
    for file in session.table_files("pages"):
        pq.write_table(pq.read_table(file.path).drop_columns(["site", "bytes", "depth"]), file.path)
    for file in session.table_files("links"):
        pq.write_table(pq.read_table(file.path).drop_columns(["flags"]), file.path)
    graph = session.to_networkx()
    assert graph.nodes[HOME] == {"site": "a.example", "status": 200}
    assert set(dict(graph.edges).keys()) == set(graph.edges)
    assert {flags for _, _, flags in graph.edges(data="flags")} == {0}


@pytest.mark.parametrize("module", ["sessions.session", "sessions.writing.recorder"])
def test_networkx_is_imported_only_for_this(module: str) -> None:
    code = f"import sys, {module}; print('networkx' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "False\n"
