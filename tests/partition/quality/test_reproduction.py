"""scripts/reproduce/cambazoglu2004.py: the page that it writes, from a small session."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from partition.assignment.assignment import assignment_named
from partition.choices import ASSIGNMENTS
from partition.graphs.link_graph import link_graph
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from partition.quality.trial import run_trial
from scripts.reproduce import cambazoglu2004 as reproduce
from sessions.session import Session
from sessions.url import url_hashes
from tests.partition.quality.support.webs import ring


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ring().session(tmp_path_factory.mktemp("webs") / "ring")


@pytest.fixture(scope="module")
def data(session: Path) -> dict[str, Any]:
    options = argparse.Namespace(parts=(3, 8), seeds=2, effort="low", tolerance=0.2, jobs=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            reproduce,
            "run_trials",
            lambda graph, trials, request, folder, _: [run_trial(graph, trial, request, folder) for trial in trials],
        )
        found: dict[str, Any] = reproduce.measured(session, "a ring", options)
        return found


def test_ours_are_the_models_with_the_objective_of_the_paper(session: Path, data: dict[str, Any]) -> None:
    graph = link_graph(Session.open(session))
    cut = []
    for seed in (1, 2):
        parts = partition_pages(graph, "page", 3, Settings("links", 0.2, "low", seed)).parts
        cut.append(int((parts[graph.sources] != parts[graph.links.indices]).sum()))
    (row,) = (row for row in data["rows"] if (row["model"], row["way"], row["k"]) == ("page", "Cutweb", 3))
    assert row["volume_links"] == sum(cut) / 2


def test_all_columns_of_the_paper_are_there(data: dict[str, Any]) -> None:
    ways = {(row["model"], row["way"], row["runs"]) for row in data["rows"]}
    single = reproduce.SINGLE
    assert ways == {
        ("page", "Cutweb", 2),
        ("site", "Cutweb", 2),
        ("page-hash", "Cutweb", 1),
        ("site-hash", "Cutweb", 1),
        *((model, "Cutweb", 1) for model in ("domain-hash", "page-ring", "site-ring", "site-packed")),
        ("page", single, 8),
        ("site", single, 8),
    }
    assert [line.partition(" left out")[0] for line in data["left_out"]] == [
        "site at K=8, site-packed at K=8",
        "site by single k-way calls at K=8",
    ]


def test_degrees_are_those_of_the_graphs_and_links_stay_in_sites(session: Path, data: dict[str, Any]) -> None:
    graph = link_graph(Session.open(session))
    links = list(zip(graph.sources.tolist(), graph.links.indices.tolist(), strict=True))
    sites = graph.sites.tolist()
    edges = {frozenset(link) for link in links}
    between = {frozenset((sites[a], sites[b])) for a, b in links if sites[a] != sites[b]}
    assert data["page_degree"] == pytest.approx(2 * len(edges) / len(graph))
    assert data["site_degree"] == pytest.approx(2 * len(between) / len(graph.site_names))
    assert data["within_sites"] == pytest.approx(sum(sites[a] == sites[b] for a, b in links) / len(links))


def test_moved_pages_are_counted_one_by_one(session: Path, data: dict[str, Any]) -> None:
    graph = link_graph(Session.open(session))
    urls = graph.urls.to_pylist()
    assert [(row["k"], row["to"]) for row in data["moved"]] == [(3, 4), (3, 11), (8, 9), (8, 16)]
    for row in data["moved"]:
        assert list(row["moved"]) == list(ASSIGNMENTS)
        for name, share in row["moved"].items():
            before, after = (
                [assignment_named(name, k).owners(url_hashes([url]), [url]).item() for url in urls]
                for k in (row["k"], row["to"])
            )
            assert share == pytest.approx(sum(a != b for a, b in zip(before, after, strict=True)) / len(urls))


def test_the_page_has_our_figures_beside_the_papers(data: dict[str, Any]) -> None:
    figures = {
        "data": [data],
    }
    text = reproduce.as_markdown(figures)
    assert "effort low, tolerance 20%, seeds averaged: 2, k-way calls averaged: 8." in text
    papers, baselines = text[text.index("## a ring") :].split("### Baselines", 1)
    cells = cells_at_8(papers)
    assert [row[-1] for row in cells] == [
        *("1.22", "13.09"),
        *("3.31", "1.04", "4.59", "15.32"),
        *("3.44", "0.78", "4.57", "3.84"),
        *("64,489", "5,306,461", "131,129", "1,001,602") * 2,
    ]
    ours = {(row["model"], row["way"]): row for row in data["rows"] if row["k"] == 8}
    page, page_hash = ours["page", "Cutweb"], ours["page-hash", "Cutweb"]
    assert cells[0][2] == f"{100 * page['volume_links'] / page_hash['volume_links']:,.2f}"
    assert cells[2][2] == f"{100 * page['storage_imbalance']:,.2f}"
    assert cells[10][3] == f"{ours['page', reproduce.SINGLE]['volume_links']:,.0f}"
    assert cells[1][2] == "-"
    assert "from 6,064,145 to\n6,064,878 at all its K" in text
    in_table = cells_at_8(baselines)[:3]
    models = ["page-hash", "page-ring", "site-hash", "site-ring", "domain-hash", "site-packed", "page", "site"]
    storage = [ours.get((model, "Cutweb"), {}).get("storage_imbalance") for model in models]
    assert in_table[0][1:] == ["-" if value is None else f"{100 * value:,.2f}" for value in storage]
    moved = next(row for row in data["moved"] if (row["k"], row["to"]) == (8, 9))["moved"]
    assert f"| 8 → 9 | 11.11 | {100 * moved['page-hash']:,.2f} | {100 * moved['page-ring']:,.2f} |" in baselines


def test_a_data_set_is_kept_in_the_place_of_one_of_its_name(
    data: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproduce, "JSON", tmp_path / "kept.json")
    monkeypatch.setattr(reproduce, "PAGE", tmp_path / "kept.md")
    for name, made in (("a", "2026-01-01"), ("b", "2026-01-02"), ("a", "2026-01-03")):
        reproduce.keep(data | {"name": name, "made": made})
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert [(one["name"], one["made"]) for one in kept["data"]] == [("a", "2026-01-03"), ("b", "2026-01-02")]
    assert (tmp_path / "kept.md").read_text() == reproduce.as_markdown(kept)


def cells_at_8(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| 8 |")]


def test_the_papers_ratios_are_those_it_is_compared_by() -> None:
    ratio = {
        (k, part): reproduce._of_paper("volume", part, k) / reproduce._of_paper("volume", whole, k)
        for k in (8, 64)
        for part, whole in (("page", "page-hash"), ("site", "site-hash"))
    }
    told = {key: round(100 * value, 2) for key, value in ratio.items()}
    assert told == {(8, "page"): 1.22, (64, "page"): 1.55, (8, "site"): 13.09, (64, "site"): 20.8}


def test_the_papers_rows_are_of_one_kind() -> None:
    """A digit that was copied wrongly would most likely show: hashes cut 1 - 1/K of the links, imbalances grow."""
    assert list(reproduce.PARTS) == list(range(8, 65, 8))
    for table in reproduce._PAPER.values():
        assert tuple(table) == reproduce.PARTS
    assert {round(row[1] / (1 - 1 / k), -4) for k, row in reproduce._PAPER["volume"].items()} == {6_060_000}
    for name in ("storage_imbalance", "requests_imbalance"):
        for column in zip(*reproduce._PAPER[name].values(), strict=True):
            assert list(column) == sorted(column)
