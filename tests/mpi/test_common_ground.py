"""Ranks that do not see each other's files, or run other software, begin nothing, and leave nothing."""

import json
from pathlib import Path

import pytest

from tests.mpi.conftest import RANKS, Run

PROGRAM = str(Path(__file__).with_name("ground_ranks.py"))


def told(run_ranks: Run, ranks: int, *arguments: str) -> str | None:
    done = run_ranks(ranks, PROGRAM, *arguments)
    assert done.returncode == 0, done.stderr
    obstacle: str | None = json.loads(done.stdout)
    return obstacle


@pytest.mark.parametrize("ranks", RANKS)
def test_ranks_that_share_a_folder_and_leave_nothing_in_it(run_ranks: Run, tmp_path: Path, ranks: int) -> None:
    assert told(run_ranks, ranks, *[str(tmp_path)] * ranks) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ranks", [2, 4])
def test_a_rank_with_a_folder_of_its_own_is_named(run_ranks: Run, tmp_path: Path, ranks: int) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    own.mkdir()
    obstacle = told(run_ranks, ranks, *[str(shared)] * (ranks - 1), str(own))
    assert obstacle is not None
    assert f"rank {ranks - 1} of {ranks}, on " in obstacle
    assert f"does not see what rank 0 writes into {shared}" in obstacle
    assert len(obstacle.splitlines()) == 1
    assert [*shared.iterdir(), *own.iterdir()] == []


def test_a_rank_that_has_no_such_folder_is_named(run_ranks: Run, tmp_path: Path) -> None:
    obstacle = told(run_ranks, 3, str(tmp_path), str(tmp_path / "none"), str(tmp_path))
    assert obstacle is not None
    assert "rank 1 of 3, on " in obstacle
    assert "cannot write into" in obstacle
    assert list(tmp_path.iterdir()) == []


def test_a_rank_with_another_version_is_named(run_ranks: Run, tmp_path: Path) -> None:
    obstacle = told(run_ranks, 3, *[str(tmp_path)] * 3, "other")
    assert obstacle is not None
    assert "rank 2 of 3, on " in obstacle
    assert "runs cutweb 0.0.1 with Python" in obstacle
