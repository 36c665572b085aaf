"""Crawls killed at random moments and resumed end as undisturbed ones do; `make crash` tries more of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mpi.conftest import environment

_PATIENCE_SECONDS = 600


@pytest.mark.long
def test_ten_crawls_that_are_killed_and_resumed_find_what_an_undisturbed_one_finds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.crash", "--runs", "10", "--seed", "2666"]
    done = subprocess.run(
        [*command, "--pages", "150", "--jobs", "2", "--folder", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_SECONDS,
        env=environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 of 10 runs as undisturbed" in done.stdout
    assert list(tmp_path.iterdir()) == []
