"""What the loads weigh: in instructions, counted by callgrind, or in CPU time beside a fixed load of our own.

Instructions are the same from run to run within a percent, whatever else the machine is doing.  CPU time is not; so
each load takes turns with the fixed one, and what is recorded is the median of their ratios.
"""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time

from tests.guard.loads import prepared
from tests.guard.weighed import MARK

ROOT = Path(__file__).resolve().parents[2]
START = "start-up"
CALLGRIND, CPU_TIME = "callgrind", "cpu-time"
_SUMMARY = re.compile(r"^summary: (\d+)", re.MULTILINE)
_TURNS, _START_TURNS = 15, 7
_START = "from tests.guard.weighed import start; start()"
_FIXED_START = "import numpy, pyarrow.parquet, rich.console, lxml.etree, mpi4py.MPI"
_MINUTES = 15

Weights = dict[str, float]
"""By load: instructions of a unit, or its CPU time in units of the fixed load."""


def tool() -> str:
    """What can weigh here: callgrind where there is valgrind, else the CPU clock."""
    return CALLGRIND if shutil.which("valgrind") else CPU_TIME


def weighed_by(tool: str) -> Weights:
    """Weigh all loads.  Raises subprocess.CalledProcessError if a load fails."""
    return {CALLGRIND: _instructions, CPU_TIME: _times}[tool]()


def _instructions() -> Weights:
    with tempfile.TemporaryDirectory() as folder:
        out, files = Path(folder) / "counted", Path(folder) / "files"
        command = [sys.executable, "-m", "tests.guard.weighed", str(files)]
        files.mkdir()
        _run(command)  # so that none of what is counted is compiling
        shutil.rmtree(files)
        files.mkdir()
        counted = ["valgrind", "--tool=callgrind", f"--dump-before={MARK}", f"--callgrind-out-file={out}", *command]
        _count(counted, files)
        marks = iter([_summary(out.with_name(f"{out.name}.{number}")) for number in range(1, _marks(out) + 1)])
        weights = {START: float(next(marks))}
        with prepared(Path(folder) / "units") as loads:
            for name, load in loads.items():
                next(marks)  # what it took to be prepared
                weights[name] = min(islice(marks, load.turns)) / load.units
    return weights


def _count(command: list[str], files: Path) -> None:
    """Run a command, which fills a folder, by valgrind: again if it aborts.

    Valgrind bounds what brk(2) may give; in one run the C library took its heap for corrupt after that.
    """
    try:
        _run(command)
    except subprocess.CalledProcessError as error:
        if error.returncode != -signal.SIGABRT:
            raise
        shutil.rmtree(files)
        files.mkdir()
        _run(command)


def _run(command: list[str]) -> None:
    """Run a command with nothing in its environment that could make a difference."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": "0",
        # Valgrind shows another processor than there is, for which numba would compile all anew.
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        # More than valgrind's brk(2) ever gives: a heap that ran into that bound later was corrupt, run after run.
        "MALLOC_TOP_PAD_": str(64 << 20),
        "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    try:
        subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=60 * _MINUTES
        )
    except subprocess.CalledProcessError as error:
        sys.stderr.write(error.stderr)
        raise


def _marks(out: Path) -> int:
    return len(list(out.parent.glob(f"{out.name}.*")))


def _summary(file: Path) -> int:
    found = _SUMMARY.search(file.read_text())
    if found is None:
        raise ValueError(f"{file}: callgrind wrote no summary")
    return int(found[1])


def _times() -> Weights:
    weights = {START: _ratio(lambda: _process_time(_START), lambda: _process_time(_FIXED_START), _START_TURNS)}
    with tempfile.TemporaryDirectory() as folder, prepared(Path(folder)) as loads:
        for name, load in loads.items():
            load.run()
            weights[name] = _ratio(partial(_time_of, load.run), partial(_time_of, _fixed_load), _TURNS) / load.units
    return weights


def _ratio(time_of: Callable[[], float], fixed_time: Callable[[], float], turns: int) -> float:
    """The median of ratios, each of two times that were taken one after the other."""
    return median(time_of() / fixed_time() for _ in range(turns))


def _time_of(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


def _process_time(code: str) -> float:
    """CPU seconds of a Python that does this and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run([sys.executable, "-c", code])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _fixed_load() -> None:
    """Work like a rank's, none of it this project's: objects, strings and dictionaries, and a library written in C."""
    words = [f"http://site{number % 97}.example/folder{number % 13}/{number}" for number in range(12_000)]
    by_site: dict[str, list[str]] = {}
    for word in words:
        by_site.setdefault(word.split("/")[2], []).append(word.upper())
    text = "".join(sorted(words, key=lambda word: word[::-1])).encode()
    zlib.crc32(zlib.decompress(zlib.compress(text, 1)))
