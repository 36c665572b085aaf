"""Which MPI `make setup` takes: scripts/setup.sh with a Python and an mpiexec that only note what they are told."""

import os
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "scripts" / "setup.sh"
_MPIEXEC = "#!/bin/sh\nprintf 22\n"
"""Two ranks that see each other."""
_PYTHON = """#!/bin/sh
[ "$2" != venv ] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }
[ "$2" != pip ] || echo "$*" >> "$LOG"
case $* in *dev,mpi*) cp "$WHEEL" "$(dirname "$0")/mpiexec" ;; esac
"""


class Machine:
    """A machine with an MPI on its path, on which `make setup` runs."""

    def __init__(self, folder: Path) -> None:
        self.venv = folder / "venv"
        self._log, self._programs = folder / "log", folder / "programs"
        self._programs.mkdir()
        for name, text in (("python", _PYTHON), ("mpiexec", _MPIEXEC)):
            (self._programs / name).write_text(text)
            (self._programs / name).chmod(0o755)

    def set_up(self, mpi: str = "") -> subprocess.CompletedProcess[str]:
        """Run it; ``mpi`` is what the user says of it."""
        told = {
            "PATH": f"{self._programs}:{os.environ['PATH']}",
            "PYTHON": "python",
            "CUTWEB_MPI": mpi,
            "LOG": str(self._log),
            "WHEEL": str(self._programs / "mpiexec"),
        }
        return subprocess.run(
            ["sh", str(SETUP), str(self.venv)], env=told, capture_output=True, text=True, check=False, timeout=60
        )

    @property
    def installed(self) -> list[str]:
        """What pip was last told to install, by turn."""
        return [line.split()[-1] for line in self._log.read_text().splitlines()] if self._log.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_wheel_is_taken_although_the_machine_has_an_mpi(machine: Machine) -> None:
    done = machine.set_up()
    assert done.returncode == 0, done.stderr
    assert machine.installed == [".[dev,mpi]"]
    assert "this machine's MPI" not in done.stdout


def test_the_machines_is_taken_by_who_asks_for_it_and_kept(machine: Machine) -> None:
    for mpi in ("machine", ""):
        done = machine.set_up(mpi)
        assert done.returncode == 0, done.stderr
        assert "this machine's MPI" in done.stdout
    assert machine.installed == [".[dev]"] * 2


def test_what_cannot_be_is_said_before_anything_is_installed(machine: Machine) -> None:
    assert machine.set_up().returncode == 0
    for mpi, words in (("machine", "make clean before"), ("lam", "CUTWEB_MPI is mpich or machine, not lam")):
        done = machine.set_up(mpi)
        assert done.returncode == 2
        assert words in done.stderr
    assert machine.installed == [".[dev,mpi]"]
