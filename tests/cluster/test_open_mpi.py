"""Crawls on two nodes under Debian's Open MPI, by its own launcher and by Slurm's PMIx.

mpi4py's wheel takes the MPI that $MPI4PY_MPIABI names, although that of the mpich wheel lies beside it, as does that
one's mpirun.
"""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.jobs import NODES, RANKS, Jobs
from tests.cluster.test_slurm import QUICK, assert_is_whole

pytestmark = pytest.mark.cluster

SETTINGS = "export MPI4PY_MPIABI=openmpi OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp PATH=/usr/bin:$PATH\n"
"""Version 4 calls vader what is sm in version 5."""


@pytest.fixture(params=["mpirun", "srun-pmix"])
def launcher(request: pytest.FixtureRequest, cluster: Cluster) -> str:
    if shutil.which("mpirun.openmpi") is None:
        pytest.skip("Open MPI is not installed: apt-get install openmpi-bin")
    if request.param == "srun-pmix" and not list(Path("/usr/lib").glob("*/pmix2/lib/libpmix.so")):
        pytest.skip("Slurm finds no PMIx: apt-get install libpmix2, and name its libpmix.so.2 libpmix.so, too")
    return str(request.param)


def test_a_job_on_two_nodes_is_one_crawl(
    cluster: Cluster, where: Sequence[str], expected: set[str], tmp_path: Path, launcher: str
) -> None:
    jobs, out = Jobs(cluster, tmp_path / "jobs", "--launcher", launcher), tmp_path / "session"
    with (jobs.folder / "cutweb.env").open("a") as settings:
        settings.write(SETTINGS)
    library = jobs.run_in_job(f"MPI4PY_MPIABI=openmpi {sys.executable} -m mpi4py --mpi-lib-version", ranks=1)
    assert library.startswith("Open MPI")
    job = jobs.run("crawl.sbatch", "--out", out, "--assign", "page-hash", *QUICK, *where)
    assert int(cluster.state(job)["NumNodes"]) == NODES
    session = assert_is_whole(out, expected)
    assert session.ranks == RANKS
    assert {report["fetched"] > 0 for report in session.rank_reports()} == {True}
