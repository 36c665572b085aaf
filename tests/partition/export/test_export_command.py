"""`cutweb export`: what it prints, writes and refuses."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import networkx as nx
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from crawler.commands import export as module
from crawler.commands.export import export
from crawler.main import cutweb
from partition.assignment.url_prefixes import url_keys
from partition.choices import MOST_PARTS
from partition.export.formats import FORMATS
from partition.export.vertex_edge_tables import LISTINGS
from partition.graphs.link_graph import link_graph
from partition.graphs.weighted_graph import page_graph
from sessions.importing.edges import import_edges
from sessions.session import Session
from tests.partition.export.support.listings import listed
from tests.sessions.support.builder import Crawl, small_session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fourteen pages of two sites, 25 links between them."""
    path = tmp_path_factory.mktemp("sessions") / "crawl"
    small_session(path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(export, [str(argument) for argument in arguments], catch_exceptions=False)


FILES = {
    ("metis", "page"): {"out", "out.pages.tsv"},
    ("metis", "site"): {"out", "out.sites.tsv"},
    ("graphml", "page"): {"out"},
    ("graphml", "site"): {"out"},
    ("gexf", "page"): {"out"},
    ("gexf", "site"): {"out"},
    ("gexf", "prefix"): {"out"},
    ("edges", "page"): {"out", "out.pages.tsv"},
    ("edges", "site"): {"out", "out.sites.tsv"},
    ("parquet", "page"): {"out", "vertices.parquet", "edges.parquet"},
    ("parquet", "site"): {"out", "vertices.parquet", "edges.parquet"},
    ("metis", "prefix"): {"out", "out.prefixes.tsv"},
    ("graphml", "prefix"): {"out"},
    ("edges", "prefix"): {"out", "out.prefixes.tsv"},
    ("parquet", "prefix"): {"out", "vertices.parquet", "edges.parquet"},
}


@pytest.mark.parametrize(("form", "kind"), FILES)
def test_every_format_of_every_graph(form: str, kind: str, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run(session, "--graph", kind, "--format", form, "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    line, left_out = result.stdout.splitlines()
    graph = link_graph(Session.open(session))
    links = page_graph(graph).edges.nnz // 2 if form == "metis" else graph.links.nnz
    with listed(Session.open(session), "prefix", 8) as listing:
        prefixes = f"{listing.vertices.count} prefixes, {listing.edges.count} edges"
    counts = {
        "page": f"14 pages, {links} {'edges' if form == 'metis' else 'links'}",
        "site": "2 sites, 1 edges",
        "prefix": prefixes,
    }
    assert line.startswith(f"{out}: {counts[kind]} written as {form} in ")
    assert left_out == (
        f"left out: {graph.known_links.nnz} links lead to {len(graph.known_urls)} URLs that were not downloaded"
    )
    assert {path.name for path in tmp_path.rglob("*")} == FILES[form, kind]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "metis"])
def test_links_out_of_scope(form: str, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run(session, "--graph", "external", "--format", form, "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{out}: 4 sites, 2 links written as {form}")
    if form == "graphml":
        graph = nx.read_graphml(out)
        site = nx.get_node_attributes(graph, "site")
        links = {(site[a], site[b]): told["links"] for a, b, told in graph.edges(data=True)}
        assert links == {("a.example", "out.example"): 4, ("a.example", "other.example"): 2}
        requests = nx.get_node_attributes(graph, "requests")
        assert sum(requests.values()) == 14
        assert {site[node] for node, pages in requests.items() if not pages} == {"out.example", "other.example"}


def test_links_out_of_scope_are_nothing_to_cut(session: Path, tmp_path: Path) -> None:
    result = run(session, "--graph", "external", "--format", "metis", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "links out of scope are no graph to cut" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_session_without_links_out_of_scope_says_so(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n")
    import_edges(tmp_path / "edges.txt", tmp_path / "edges")
    result = run(tmp_path / "edges", "--graph", "external", "--format", "edges", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "has no links out of scope, or does not keep them" in result.stderr


def test_every_choice_is_known() -> None:
    options = {option.name: option.type for option in export.params}
    assert list(options["kind"].choices) == list(LISTINGS) == list(module._PLURALS)  # type: ignore[attr-defined]
    assert list(options["form"].choices) == list(FORMATS)  # type: ignore[attr-defined]
    assert options["parts"].max == MOST_PARTS  # type: ignore[attr-defined]


def test_prefixes_are_those_that_the_prefix_model_cuts(session: Path, tmp_path: Path) -> None:
    run(session, "--graph", "prefix", "--parts", 4, "--format", "parquet", "--out", tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / "vertices.parquet").to_pylist()
    keys = url_keys(link_graph(Session.open(session)).urls.to_pylist())
    prefixes = [row["prefix"] for row in rows]
    owners = [max((prefix for prefix in prefixes if key.startswith(prefix)), key=len) for key in keys]
    assert {row["prefix"]: row["requests"] for row in rows} == Counter(owners)
    assert len(rows) > 2


def test_it_is_the_page_graph_that_is_exported_by_default(session: Path, tmp_path: Path) -> None:
    run(session, "--format", "graphml", "--out", tmp_path / "out")
    read = nx.read_graphml(tmp_path / "out")
    named = nx.relabel_nodes(read, dict(read.nodes(data="url")))
    expected = Session.open(session).to_networkx()
    assert list(named) == list(expected)
    assert set(named.edges) == set(expected.edges)


def test_what_it_exports_can_be_imported(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "links.tsv"
    run(session, "--format", "edges", "--out", out)
    again = tmp_path / "again"
    imported = ["import", "edges", str(out), "--urls", f"{out}.pages.tsv", "--out", str(again)]
    assert CliRunner().invoke(cutweb, imported).exit_code == 0
    first, second = link_graph(Session.open(session)), link_graph(Session.open(again))
    assert first.urls.equals(second.urls)
    assert (first.bytes.tolist(), (first.links != second.links).nnz) == (second.bytes.tolist(), 0)


def refused(*arguments: object) -> str:
    """The one line that says why an export is not made."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("cutweb export: ")
    return line.removeprefix("cutweb export: ")


@pytest.mark.parametrize("form", FORMATS)
def test_what_exists_is_kept_unless_forced(form: str, session: Path, tmp_path: Path) -> None:
    arguments = [session, "--format", form, "--out", tmp_path / "out"]
    run(*arguments)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    for path in files:
        path.write_text("old")
    assert "exists" in refused(*arguments)
    assert {path.read_text() for path in files} == {"old"}
    assert run(*arguments, "--force").exit_code == 0
    assert all(path.read_bytes()[:3] != b"old" for path in files)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(files)


def test_a_list_of_pages_that_exists_is_kept_as_well(session: Path, tmp_path: Path) -> None:
    (tmp_path / "out.pages.tsv").write_text("old")
    expected = f"{tmp_path}/out.pages.tsv: exists; --force replaces it"
    assert refused(session, "--format", "edges", "--out", tmp_path / "out") == expected
    assert [path.name for path in tmp_path.iterdir()] == ["out.pages.tsv"]


def test_a_session_without_pages(tmp_path: Path) -> None:
    Crawl(tmp_path / "new").close()
    line = refused(tmp_path / "new", "--format", "metis", "--out", tmp_path / "out")
    assert line.startswith(f"{tmp_path}/new: no pages were downloaded")
    assert not (tmp_path / "out").exists()


def test_no_session(tmp_path: Path) -> None:
    assert "is" in refused(tmp_path, "--format", "metis", "--out", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_session(tmp_path: Path) -> None:
    small_session(tmp_path / "crawl")
    Session.open(tmp_path / "crawl").table_files("links")[0].path.write_bytes(b"PAR1")
    assert "crawl is damaged (" in refused(tmp_path / "crawl", "--format", "metis", "--out", tmp_path / "out")


def test_pages_without_urls_have_no_sites(tmp_path: Path) -> None:
    (tmp_path / "links").write_text("0 1\n")
    import_edges(tmp_path / "links", tmp_path / "numbered")
    arguments = [tmp_path / "numbered", "--format", "parquet", "--out", tmp_path / "out"]
    line = refused(*arguments, "--graph", "site")
    assert line.startswith(f"{tmp_path}/numbered: --graph site: the pages were imported without URLs")
    assert not (tmp_path / "out").exists()
    run(*arguments)
    assert pq.read_table(tmp_path / "out" / "vertices.parquet")["url"].to_pylist()[1] == "http://pages.invalid/1"


@pytest.mark.parametrize("writer", ["partition.export.edge_list.write_tsv", "sessions.storage.sorted_keys._append"])
def test_a_full_disk_is_one_line_and_leaves_nothing(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer, fail)
    line = refused(session, "--format", "edges", "--out", tmp_path / "out")
    assert line == f"{tmp_path}/out: No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_the_command_loads_quickly() -> None:
    """`cutweb export --help` must not wait for Arrow."""
    code = f"import sys, {module.__name__}; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"pyarrow", "numpy", "scipy", "networkx"} & set(printed.split())


def test_help_has_examples_and_main_knows_it() -> None:
    result = CliRunner().invoke(cutweb, ["export", "--help"])
    assert result.exit_code == 0
    assert result.output.count("cutweb export ") >= 5
    assert "export " in CliRunner().invoke(cutweb, ["--help"]).output
