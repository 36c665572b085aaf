"""A node that lacks the software: the job ends, and names it, instead of waiting for as long as Slurm lets it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.cluster import own_software
from tests.cluster.cluster import Cluster
from tests.cluster.faults import faults
from tests.cluster.jobs import PATIENCE_SECONDS, Jobs

pytestmark = pytest.mark.cluster

SECONDS = 30


@pytest.fixture(scope="module")
def lacking(cluster: Cluster) -> Iterator[str]:
    """The second node, on which there is but a command `cutweb` that hangs; the first one has all there is to it."""
    first, second, *_ = cluster.nodes
    own_software.whole(cluster, first)
    own_software.hanging(cluster, second)
    yield second
    own_software.removed(cluster, first, second)


@pytest.mark.parametrize("launcher", ["mpiexec", "srun-pmi2"])
def test_a_node_without_the_software_is_named(
    cluster: Cluster, lacking: str, where: Sequence[str], tmp_path: Path, launcher: str
) -> None:
    jobs, out = Jobs(cluster, tmp_path / "jobs", "--launcher", launcher), tmp_path / "session"
    own_software.use_it(jobs)
    nodes = (f"--nodelist={cluster.nodes[0]},{lacking}",)
    job = jobs.submit("crawl.sbatch", "--out", out, "--start-seconds", str(SECONDS), *where, options=nodes)
    state = cluster.end_of(job, PATIENCE_SECONDS)
    assert state["JobState"] == "FAILED", jobs.log(job)
    told = [line for line in jobs.log(job).splitlines() if line.startswith("cutweb crawl: ")]
    print(*told)
    assert len(told) == 1, jobs.log(job)
    after = f"after {SECONDS} s (--start-seconds) 2 of 4 ranks have come (2 on {cluster.nodes[0]}), none on {lacking}: "
    assert told[0].startswith(f"cutweb crawl: {after}")
    assert faults()["a node lacks the installation"].is_told_in(told[0])
    assert os.listdir(tmp_path) == ["jobs"]
