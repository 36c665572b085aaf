"""Lists of edges: what `cutweb import edges` makes of them is the session they came from."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partition.export import streamed_table as module
from partition.export.edge_list import write_edges, write_vertices
from partition.export.fast_text import write_joined, write_tsv
from partition.export.streamed_table import streamed
from partition.graphs.link_graph import link_graph
from sessions.importing.edges import import_edges
from sessions.session import Session
from tests.partition.export.support.listings import listed
from tests.partition.graphs.support.webs import FILLED_WEBS, URLS, Fetch, Web, by_site, graph_of


@settings(max_examples=10)
@given(FILLED_WEBS)
@example(Web((Fetch(0, URLS[0], 0, ()),), ()))
def test_imported_again_they_have_the_same_pages_and_links(web: Web) -> None:
    graph = graph_of(web)
    with tempfile.TemporaryDirectory() as folder:
        links, pages, out = (Path(folder) / name for name in ("links", "pages", "session"))
        with listed(web) as listing:
            write_edges(listing, links)
            write_vertices(listing, pages)
        made = import_edges(links, out, urls=pages)
        again = link_graph(Session.open(out))
    assert (made.merged, made.self_links, made.repeated) == (0, 0, 0)
    assert again.urls.equals(graph.urls)
    assert again.bytes.tolist() == graph.bytes.tolist()
    assert again.site_names == graph.site_names
    assert (again.links != graph.links).nnz == 0


def test_the_files_of_two_pages(tmp_path: Path) -> None:
    with listed(Web((Fetch(0, URLS[0], 30, (URLS[1],)), Fetch(0, URLS[1], 0, ())), ())) as listing:
        write_edges(listing, tmp_path / "links")
        write_vertices(listing, tmp_path / "pages")
    comments = "# 2 pages, 1 edges, directed; pages are numbered from 0\n# source\ttarget\n"
    assert (tmp_path / "links").read_text() == comments + "0\t1\n"
    assert (tmp_path / "pages").read_text() == f"url\tbytes\n{URLS[0]}\t30\n{URLS[1]}\t0\n"


@settings(max_examples=30)
@given(web=FILLED_WEBS)
def test_sites_have_costs_and_links(web: Web, tmp_path_factory: pytest.TempPathFactory) -> None:
    links, sites = (tmp_path_factory.getbasetemp() / name for name in ("links", "sites"))
    with listed(web, "site") as listing:
        write_edges(listing, links)
        write_vertices(listing, sites)
    weights, edges = by_site(web)
    heading, *rows = (line.split("\t") for line in sites.read_text().splitlines())
    assert heading == ["site", "bytes", "requests"]
    assert {site: [int(size), int(requests)] for site, size, requests in rows} == weights
    names = [row[0] for row in rows]
    first, heads, *lines = links.read_text().splitlines()
    assert first.startswith(f"# {len(weights)} sites, {len(edges)} edges, undirected;")
    assert heads == "# source\ttarget\tcost\tlinks"
    numbers = [[int(number) for number in line.split("\t")] for line in lines]
    assert all(source < target for source, target, *_ in numbers)
    assert {frozenset((names[one], names[other])): rest for one, other, *rest in numbers} == edges


# Columns as text, against Python's own formatting.

ROWS = st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.text(max_size=5)), max_size=8)


@given(ROWS, st.text(max_size=3), st.integers(0, 3))
def test_rows_are_their_cells_joined(rows: list[tuple[int, str]], between: str, skipped: int) -> None:
    numbers = pa.array([number for number, _ in rows], pa.int64())[skipped:]
    strings = pa.array([string for _, string in rows], pa.large_string())[skipped:]
    file = io.BytesIO()
    write_joined(file, [numbers, between, strings, "\n"])
    assert file.getvalue().decode() == "".join(f"{number}{between}{string}\n" for number, string in rows[skipped:])


@pytest.mark.parametrize("rows", [0, 1, 6, 7])
def test_tables_are_written_block_by_block(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 3)
    chunks = pa.chunked_array([["a"] * (rows // 2), ["b"] * (rows - rows // 2)], pa.string())
    table = pa.table({"number": np.arange(rows), "letter": chunks})
    assert [len(block) for block in streamed(table).blocks()] == {0: [], 1: [1], 6: [3, 3], 7: [3, 3, 1]}[rows]
    file = io.BytesIO()
    write_tsv(file, streamed(table))
    assert file.getvalue().decode() == "".join(f"{at}\t{'ab'[at >= rows // 2]}\n" for at in range(rows))
