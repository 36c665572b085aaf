"""A rank that is to die at a step to disk dies there, and only that rank does."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FAULTS = Path(__file__).resolve().parents[3] / "scripts" / "crash" / "faults"
PROGRAM = "import os\nfor name in '012': open(name, 'w').close(); os.rename(name, 'x' + name)"


def left_by(folder: Path, step: str, rank: str | None) -> tuple[int, list[str]]:
    """The exit code of a program that renames three files, and what is there afterwards."""
    environment = {name: value for name, value in os.environ.items() if "RANK" not in name}
    environment |= {"PYTHONPATH": str(FAULTS), "CUTWEB_CRASH_STEP": step}
    if rank is not None:
        environment["PMI_RANK"] = rank
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, env=environment, check=False)
    return done.returncode, sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("step", "rank"), [("0:2", None), ("0:2", "0"), ("3:2", "3")])
def test_the_rank_dies_before_its_step(tmp_path: Path, step: str, rank: str | None) -> None:
    assert left_by(tmp_path, step, rank) == (-signal.SIGKILL, ["1", "x0"])


@pytest.mark.parametrize(("step", "rank"), [("0:4", None), ("1:2", "0"), ("1:2", None), ("", "0")])
def test_others_live(tmp_path: Path, step: str, rank: str | None) -> None:
    assert left_by(tmp_path, step, rank) == (0, ["x0", "x1", "x2"])
