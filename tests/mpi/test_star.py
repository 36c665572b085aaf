"""The same budgets on any number of ranks."""

import json
from pathlib import Path

import networkx as nx
import numpy as np

from crawler.budgets.functions import BUDGETS
from crawler.budgets.ranking import Histogram
from tests.mpi.conftest import RANKS, Run
from tests.mpi.star_ranks import DOMAINS, stream

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


def test_every_rank_is_told_what_the_whole_graph_says(run_ranks: Run, tmp_path: Path) -> None:
    for ranks in RANKS:
        done = run_ranks(ranks, PROGRAM, str(tmp_path / str(ranks)))
        assert done.returncode == 0, done.stdout + done.stderr
        for function, report in json.loads(done.stdout).items():
            assert report["told"] == report["sites"] == [expected(function)] * ranks
            assert [sent > 0 for sent in report["wire_bytes"]] == [ranks > 1] * ranks
