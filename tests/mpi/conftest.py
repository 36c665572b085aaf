"""Tests under mpiexec: each starts K ranks of its own, at K = 1, 2, 3 and 4."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from crawler.launch.start_ranks import find_mpiexec
from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.serve.server import LocalWeb

ROOT = Path(__file__).resolve().parents[2]
RANKS = (1, 2, 3, 4)
USUAL_RANKS = tuple(ranks if ranks % 2 else pytest.param(ranks, marks=pytest.mark.long) for ranks in RANKS)
"""Where each number of ranks takes long, one and three are tried each time, the others by `make test-long`."""
PATIENCE_SECONDS = 300
"""No judge of speed: a dozen crawls in turn take that long on a machine that does much else."""
SOON_SECONDS = 5
"""So soon every rank is to end after one was killed, or after a second signal."""

Run = Callable[..., subprocess.CompletedProcess[str]]
RunEach = Callable[..., list[subprocess.CompletedProcess[str]]]


@pytest.fixture(scope="session")
def mpiexec() -> str:
    """The launcher; these tests are not skipped without one, because `make setup` always provides one."""
    found = find_mpiexec()
    assert found is not None, "no mpiexec: run make setup"
    return found


def environment() -> dict[str, str]:
    """What ranks need to find the packages, and that more of them than cores may run as root."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    }


@pytest.fixture(scope="session")
def run_ranks(mpiexec: str) -> Run:
    """Run ``python ARGUMENTS`` on K ranks and wait for it."""

    def run(ranks: int, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        command = [mpiexec, "-n", str(ranks), sys.executable, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False, env=environment(), **options
        )  # type: ignore[call-overload,no-any-return]

    return run


@pytest.fixture(scope="session")
def run_in_turn(run_ranks: Run) -> Run:
    """Run several commands, words of ``cutweb`` each, one after the other on the same K ranks."""

    def run(ranks: int, *commands: list[str]) -> subprocess.CompletedProcess[str]:
        return run_ranks(ranks, "-m", "tests.mpi.command_ranks", json.dumps(commands))

    return run


@pytest.fixture(scope="session")
def run_each(run_ranks: Run, tmp_path_factory: pytest.TempPathFactory) -> RunEach:
    """Run several commands that are no crawls, words of ``cutweb`` each, in turn on the same K ranks: what each said.

    For what needs no processes of its own: starting a rank takes longer than most of these commands.
    """

    def run(ranks: int, *commands: Sequence[str]) -> list[subprocess.CompletedProcess[str]]:
        folder = tmp_path_factory.mktemp("heard")
        done = run_ranks(ranks, "-P", "-m", "tests.mpi.separate_commands", str(folder), json.dumps(commands))
        assert done.returncode == 0, done.stderr
        by_rank = [json.loads((folder / str(rank)).read_text()) for rank in range(ranks)]
        return [
            subprocess.CompletedProcess(
                words,
                max(code for code, _, _ in told),
                *("".join(texts) for texts in list(zip(*told, strict=True))[1:]),
            )
            for words, *told in zip(commands, *by_rank, strict=True)
        ]

    return run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeWeb:
    """A small web with all its oddities: redirects, missing pages, duplicates, character sets."""
    return make_web(tmp_path_factory.mktemp("web") / "web.warc.gz", sites=12, pages=400, seed=7, links=12.0, robots=0.3)


@pytest.fixture(scope="session")
def web(made: MadeWeb) -> Iterator[LocalWeb]:
    with LocalWeb([made.path]) as local:
        yield local


@pytest.fixture(scope="session")
def crawl_arguments(made: MadeWeb, web: LocalWeb) -> list[str]:
    """The arguments of a crawl of the small web, but for --out."""
    return ["-m", "crawler", *crawl_words(made, web)]


def crawl_words(made: MadeWeb, web: LocalWeb) -> list[str]:
    """The words of a crawl of a web without delays, but for --out."""
    fast = ["--delay", "0", "--server-delay", "0", "--superstep", "0.2"]
    where = ["--connect-to", web.connect_to, "--ca-cert", str(web.ca_cert)]
    return ["crawl", "--seeds", str(made.seeds_path), *fast, *where]
