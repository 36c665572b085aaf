"""The same budgets on any number of ranks."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from crawler.frontier.budgets.budget_functions import BUDGETS, SUPPORT_UNITS, supports
from crawler.frontier.budgets.ranking import Histogram
from tests.mpi.conftest import Run
from tests.mpi.star_ranks import DOMAINS, SEEDS, stream

PROGRAM = str(Path(__file__).with_name("star_ranks.py"))


def expected(function: str) -> list[int]:
    """The budgets of all domains from the whole graph."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(DOMAINS))
    graph.add_edges_from(link for link in stream() if link[0] != link[1])
    degrees = np.array([graph.in_degree(domain) for domain in range(DOMAINS)], np.uint32)
    histogram = Histogram()
    histogram.move(np.zeros(DOMAINS, np.uint32), degrees)
    return BUDGETS[function](degrees, histogram.ranking()).tolist()


def expected_by_trust() -> list[float]:
    """Likewise; trust leaks away where a domain links to no other."""
    links = {link for link in stream() if link[0] != link[1]}
    sources, targets = np.array(sorted(links)).T
    passes = np.bincount(sources, minlength=DOMAINS)
    given = np.zeros(DOMAINS)
    given[list(SEEDS)] = 0.15 / len(SEEDS)
    came = np.zeros(DOMAINS)
    for _ in range(200):
        came = np.bincount(targets, 0.85 * (given + came)[sources] / passes[sources], DOMAINS)
    trust = came / ((came**2).sum() / came.sum())
    trust[list(SEEDS)] = np.inf
    degrees = np.bincount(targets, minlength=DOMAINS).astype(np.uint32)
    return (supports(degrees, trust) / SUPPORT_UNITS).tolist()


@pytest.mark.parametrize("ranks", [2, *(pytest.param(ranks, marks=pytest.mark.long) for ranks in (1, 4))])
def test_every_rank_is_told_what_the_whole_graph_says(run_ranks: Run, tmp_path: Path, ranks: int) -> None:
    done = run_ranks(ranks, PROGRAM, str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    reports = json.loads(done.stdout)
    by_trust = reports.pop("trust")
    assert by_trust["told"] == [pytest.approx(expected_by_trust(), rel=0.01, abs=2 / 1024)] * ranks
    for function, report in reports.items():
        assert report["told"] == report["sites"] == [expected(function)] * ranks
        whole = ranks * (ranks + 1) // 2
        assert report["parts"] == [pytest.approx([(rank + 1) / whole] * 2) for rank in range(ranks)]
        assert [sent > 0 for sent in report["wire_bytes"]] == [ranks > 1] * ranks
