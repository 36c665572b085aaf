"""scripts/reproduce/cambazoglu2004.py: the page that it writes, from a small session."""

import argparse
from pathlib import Path
from typing import Any

import pytest

from partition.graphs.link_graph import link_graph
from partition.models.partition_pages import Settings, partition_pages
from partition.quality.trial import run_trial
from scripts.reproduce import cambazoglu2004 as reproduce
from sessions.session import Session
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
        ("page", single, 8),
        ("site", single, 8),
    }
    assert [line.partition(" left out")[0] for line in data["left_out"]] == [
        "site at K=8",
        "site by single k-way calls at K=8",
    ]


def test_the_page_has_our_figures_beside_the_papers(data: dict[str, Any]) -> None:
    figures = {
        "software": "cutweb 1",
        "made": "2026-01-02",
        "calls": 8,
        "seeds": 2,
        "effort": "low",
        "tolerance": 0.2,
        "data": [data],
    }
    text = reproduce.as_markdown(figures)
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| 8 ")]
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
    assert "6,064,527 at K = 8" in text
    assert "a ring" in text


def test_the_papers_ratios_are_those_it_is_compared_by() -> None:
    ratio = {
        (k, part): reproduce._of_paper("volume", part, k) / reproduce._of_paper("volume", whole, k)
        for k in (8, 64)
        for part, whole in (("page", "page-hash"), ("site", "site-hash"))
    }
    told = {key: round(100 * value, 2) for key, value in ratio.items()}
    assert told == {(8, "page"): 1.22, (64, "page"): 1.55, (8, "site"): 13.09, (64, "site"): 20.8}
