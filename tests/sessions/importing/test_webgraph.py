"""WebGraph's files: what they say of themselves, and the session that comes of them."""

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sessions.importing.bit_codes import Code
from sessions.importing.bv_successors import Coding
from sessions.importing.edge_list import read_edges
from sessions.importing.source import SourceError
from sessions.importing.webgraph import Properties, import_webgraph, read_graph, read_properties
from tests.sessions.importing.support.bvwriter import write_graph
from tests.sessions.importing.support.graphs import whole
from tests.sessions.importing.support.reading import links, opened, sizes

LISTS = [[1, 2, 3, 4, 5], [1, 2, 4], [], [0, 2, 4, 5], [0], [0, 1, 2, 3, 4, 5]]
GRAPHS = Path(__file__).parents[4] / "shared" / "data" / "graphs"


def written(folder: Path, coding: Coding | None = None, **changed: object) -> Path:
    return write_graph(folder / "small", LISTS, coding or Coding(), random.Random(1), **changed)


def page(number: int) -> str:
    return f"http://pages.invalid/{number}"


def test_a_graph_becomes_a_session(tmp_path: Path) -> None:
    counts = import_webgraph(written(tmp_path), tmp_path / "out")
    pairs = {(page(node), page(other)) for node, others in enumerate(LISTS) for other in others if node != other}
    assert (counts.pages, counts.links, counts.self_links, counts.repeated) == (6, len(pairs), 2, 0)
    session = opened(tmp_path / "out")
    assert links(session) == pairs
    assert sizes(session) == {page(node): 1 for node in range(6)}
    graph = str(tmp_path / "small.graph")
    assert session.header["configuration"] == {"import": "webgraph", "graph": graph, "urls": None, "bytes": None}


@pytest.mark.parametrize("suffix", [".graph", ".properties"])
def test_the_basename_may_be_a_files(tmp_path: Path, suffix: str) -> None:
    written(tmp_path)
    assert import_webgraph(tmp_path / f"small{suffix}", tmp_path / "out").pages == 6


def test_names_and_sizes(tmp_path: Path) -> None:
    urls, weights = tmp_path / "urls", tmp_path / "bytes"
    urls.write_text("".join(f"http://a.example/{number // 2}\n" for number in range(6)))
    weights.write_text("".join(f"{number}\n" for number in range(6)))
    counts = import_webgraph(written(tmp_path), tmp_path / "out", urls=urls, sizes=weights)
    assert (counts.pages, counts.merged) == (3, 3)
    assert sizes(opened(tmp_path / "out")) == {f"http://a.example/{number}": 2 * number for number in range(3)}
    weights.write_text("1\n")
    with pytest.raises(SourceError, match=f"^{weights}: has 1 pages; {tmp_path}/small.graph has 6 nodes$"):
        import_webgraph(tmp_path / "small", tmp_path / "other", sizes=weights)


@pytest.mark.parametrize(
    "coding",
    [
        Coding(outdegrees=Code.DELTA, blocks=Code.DELTA, references=Code.GAMMA, block_counts=Code.UNARY),
        Coding(residuals=Code.NIBBLE, references=Code.DELTA, window=2, shortest_interval=0),
        Coding(residuals=Code.GOLOMB, k=5, window=0, shortest_interval=2),
        Coding(residuals=Code.DELTA, blocks=Code.UNARY, block_counts=Code.DELTA, k=1),
    ],
)
def test_properties_say_how_a_graph_is_written(tmp_path: Path, coding: Coding) -> None:
    written(tmp_path, coding)
    properties = read_properties(tmp_path / "small.properties")
    assert properties == Properties(6, sum(map(len, LISTS)), coding)
    sources, targets = whole(read_graph(tmp_path / "small.graph", properties))
    assert [targets[sources == node].tolist() for node in range(properties.nodes)] == LISTS


def test_properties_as_others_write_them(tmp_path: Path) -> None:
    path = tmp_path / "x.properties"
    path.write_text(
        "! a comment\r\n nodes : 12\r\narcs 34\r\n\r\ngraphclass=class it.unimi.dsi.big.webgraph.BVGraph\r\n"
        "compressionflags=RESIDUALS_DELTA|OFFSETS_DELTA\r\nendianness=big\r\nnothing\r\n"
    )
    assert read_properties(path) == Properties(12, 34, Coding(residuals=Code.DELTA))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"nodes": None}, "does not say nodes"),
        ({"arcs": ""}, "does not say arcs"),
        ({"nodes": "many"}, "nodes is 'many'; it must be a whole number from 0 to 2,147,483,647"),
        ({"nodes": -1}, "nodes is '-1'"),
        ({"nodes": 10**15}, "nodes is '1000000000000000'"),
        ({"arcs": 10**30}, "arcs is '1000000"),
        ({"windowsize": -1}, "windowsize is '-1'"),
        ({"minintervallength": "x"}, "minintervallength is 'x'"),
        ({"zetak": 0}, "zetak is '0'; it must be a whole number from 1 to 32"),
        (
            {"graphclass": "it.unimi.dsi.webgraph.EFGraph"},
            "graphclass is 'it.unimi.dsi.webgraph.EFGraph'; only BVGraph",
        ),
        ({"graphclass": None}, "graphclass is ''"),
        ({"version": 1}, "version is '1'; only 0"),
        ({"endianness": "little"}, "endianness is 'little'; only big"),
        ({"compressionflags": "RESIDUALS_HUFFMAN"}, "unknown compression flag 'RESIDUALS_HUFFMAN'"),
        ({"compressionflags": "OUTDEGREES_ZETA"}, "unknown compression flag 'OUTDEGREES_ZETA'"),
        ({"compressionflags": "ZETA"}, "unknown compression flag 'ZETA'"),
    ],
)
def test_properties_that_cannot_be(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    written(tmp_path, **changed)
    with pytest.raises(SourceError, match=re.escape(f"{tmp_path}/small.properties: {message}")):
        import_webgraph(tmp_path / "small", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"nodes": 2**31 - 1}, "offset 12: the file ends in the middle of the graph: 2,147,483,647 nodes cannot be"),
        ({"nodes": 50}, "offset 12: the lists go on beyond the end of the file (bit 0 of this byte, node "),
        ({"arcs": 20}, "has 19 links; its properties say 20"),
        ({"arcs": 2}, "offset 0: more links than the properties say (bit 5 of this byte, node 0)"),
    ],
)
def test_graphs_that_are_not_as_described(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    written(tmp_path, **changed)
    with pytest.raises(SourceError) as caught:
        import_webgraph(tmp_path / "small", tmp_path / "out")
    assert str(caught.value).startswith(f"{tmp_path}/small.graph: ")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_graph_that_goes_on(tmp_path: Path) -> None:
    write_graph(tmp_path / "long", [[1], [0]] + [[]] * 100, Coding(), random.Random(1), nodes=2)
    with pytest.raises(SourceError, match=rf"^{tmp_path}/long.graph: offset \d: the file goes on after its 2 nodes$"):
        import_webgraph(tmp_path / "long", tmp_path / "out")


def test_a_graph_that_is_cut_off(tmp_path: Path) -> None:
    graph = written(tmp_path).with_name("small.graph")
    whole = graph.read_bytes()
    for length in range(len(whole)):
        graph.write_bytes(whole[:length])
        with pytest.raises(SourceError, match=rf"^{graph}: offset \d+: the (file|lists) "):
            import_webgraph(tmp_path / "small", tmp_path / "out")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"^{tmp_path}/small.properties: No such file or directory$"):
        import_webgraph(tmp_path / "small", tmp_path / "out")
    written(tmp_path).with_name("small.graph").unlink()
    with pytest.raises(SourceError, match=f"^{tmp_path}/small.graph: No such file or directory$"):
        import_webgraph(tmp_path / "small", tmp_path / "out")


def test_no_pages(tmp_path: Path) -> None:
    write_graph(tmp_path / "none", [], Coding(), random.Random(1))
    with pytest.raises(SourceError, match=f"^{tmp_path}/none.graph: no pages$"):
        import_webgraph(tmp_path / "none", tmp_path / "out")


@pytest.mark.skipif(not GRAPHS.exists(), reason="needs real graphs beside the checkout")
def test_a_real_graph_is_its_list_of_links() -> None:
    properties = read_properties(GRAPHS / "cnr-2000.properties")
    found = whole(read_graph(GRAPHS / "cnr-2000.graph", properties))
    sources, targets = whole(read_edges(GRAPHS / "cnr-2000.edges.txt.gz", properties.nodes))
    assert (properties.nodes, len(sources)) == (325_557, 3_216_152)
    assert np.array_equal(found[0], sources)
    assert np.array_equal(found[1], targets)
