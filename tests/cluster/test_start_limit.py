"""A node that lacks the software: the job ends, and names it, instead of waiting for as long as Slurm lets it."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.jobs import PATIENCE_SECONDS, Jobs

pytestmark = pytest.mark.cluster

SOFTWARE = Path("/dev/shm/software")
"""Of which each node has its own."""
SECONDS = 30


@pytest.fixture(scope="module")
def lacking(cluster: Cluster) -> str:
    """The second node, on which there is but a command `cutweb` that hangs; the first one has all there is to it."""
    first, second, _ = cluster.nodes
    venv = Path(sys.executable).parents[1]
    linked = (
        f"ln -s {venv}/lib {venv}/pyvenv.cfg {SOFTWARE}; ln -s {venv}/bin/* {SOFTWARE}/bin; rm {SOFTWARE}/bin/cutweb"
    )
    _make_command(cluster, first, linked, f'exec {SOFTWARE}/bin/python -P -m cutweb "$@"')
    _make_command(cluster, second, "", "exec sleep 3600")
    return second


def _make_command(cluster: Cluster, node: str, before: str, script: str) -> None:
    command = f"{SOFTWARE}/bin/cutweb"
    words = f"mkdir -p {SOFTWARE}/bin; {before}\nprintf '#!/bin/sh\\n%s\\n' '{script}' > {command}; chmod +x {command}"
    cluster.call("srun", f"--nodelist={node}", "sh", "-ec", words)


@pytest.mark.parametrize("launcher", ["mpiexec", "srun-pmi2"])
def test_a_node_without_the_software_is_named(
    cluster: Cluster, lacking: str, where: Sequence[str], tmp_path: Path, launcher: str
) -> None:
    jobs, out = Jobs(cluster, tmp_path / "jobs", "--launcher", launcher), tmp_path / "session"
    settings = jobs.folder / "cutweb.env"
    lines = settings.read_text().splitlines()
    lines = [f"CUTWEB_BIN={SOFTWARE}/bin" if line.startswith("CUTWEB_BIN=") else line for line in lines]
    settings.write_text("\n".join(lines))
    nodes = (f"--nodelist={cluster.nodes[0]},{lacking}",)
    job = jobs.submit("crawl.sbatch", "--out", out, "--start-seconds", str(SECONDS), *where, options=nodes)
    state = cluster.end_of(job, PATIENCE_SECONDS)
    assert state["JobState"] == "FAILED", jobs.log(job)
    told = [line for line in jobs.log(job).splitlines() if line.startswith("cutweb crawl: ")]
    print(*told)
    assert len(told) == 1, jobs.log(job)
    after = f"after {SECONDS} s (--start-seconds) 2 of 4 ranks have come (2 on {cluster.nodes[0]}), none on {lacking}: "
    assert told[0].startswith(f"cutweb crawl: {after}")
    assert os.listdir(tmp_path) == ["jobs"]
