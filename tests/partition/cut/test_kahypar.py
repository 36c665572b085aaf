"""Mt-KaHyPar's cuts are cuts of what it was handed, the same for a seed, and what starts from them ends no worse."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from partition.cut import multilevel
from partition.cut.balance import balance_of
from partition.cut.connectivity import connectivity
from partition.cut.effort import EFFORTS
from partition.cut.guide_graph import sent_guide
from partition.cut.kahypar import cut_by_kahypar, is_installed, takes
from partition.cut.multilevel import cut
from partition.graphs.hypergraph import sent_nets
from tests.partition.quality.support.webs import ring

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(not is_installed(), reason="Mt-KaHyPar has no wheel for this machine")


_IN_A_NEW_PROCESS = """
import json, sys
from partition.cut.balance import balance_of
from partition.cut.kahypar import cut_by_kahypar
from partition.graphs.hypergraph import sent_nets
from tests.partition.quality.support.webs import ring

graph = sent_nets(ring(120).graph())
print(json.dumps(cut_by_kahypar(graph, balance_of(graph.weights, 4, 0.1, json.loads(sys.argv[1])), 5).tolist()))
"""


def in_a_new_process(shares: list[float] | None) -> np.ndarray:
    """What it finds before it has cut anything else."""
    command = [sys.executable, "-c", _IN_A_NEW_PROCESS, json.dumps(shares)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return np.array(json.loads(done.stdout.splitlines()[-1]), np.int32)


@pytest.mark.parametrize("shares", [None, [3.0, 1.0, 1.0, 1.0]])
def test_the_same_seed_gives_the_same_parts_within_their_shares(shares: list[float] | None) -> None:
    graph = sent_nets(ring(120).graph())
    balance = balance_of(graph.weights, 4, 0.1, shares)
    found = [in_a_new_process(shares) for _ in range(2)]
    assert np.array_equal(*found)
    weighed = (graph.weights / graph.weights.sum(axis=0)).sum(axis=1) / 2
    assert (np.bincount(found[0], weighed, 4) <= 1.1 * balance.shares + 1e-6).all()


def test_what_starts_from_it_is_no_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = ring(120).graph()
    graph, guide = sent_nets(pages), sent_guide(pages)
    balance = balance_of(graph.weights, 4, 0.1)
    started: list[int] = []

    def watched(*arguments: object) -> np.ndarray:
        parts = cut_by_kahypar(*arguments)  # type: ignore[arg-type]
        if balance.excess(graph.weights, parts) == 0:
            started.append(connectivity(graph, parts, 4))
        return parts

    monkeypatch.setattr(multilevel, "cut_by_kahypar", watched)
    found = cut(graph, lambda: guide, balance, EFFORTS["high"], 3, 2, lambda _: None, with_kahypar=True)
    assert started
    assert found.excess == 0
    assert found.cost <= min(started)


def test_one_that_is_too_large_is_not_handed_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = ring(120).graph()
    graph, guide = sent_nets(pages), sent_guide(pages)
    monkeypatch.setattr("partition.cut.kahypar.MOST_PINS", len(graph.pins) - 1)
    assert not takes(graph)
    monkeypatch.setattr(multilevel, "cut_by_kahypar", None)
    cut(graph, lambda: guide, balance_of(graph.weights, 4), EFFORTS["normal"], 3, 2, lambda _: None, with_kahypar=True)
