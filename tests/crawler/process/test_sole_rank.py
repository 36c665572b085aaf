"""A rank that is alone needs no MPI: its communicator does what a crawl asks of one, and nothing loads the library."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from crawler.process.sole_rank import sole_rank

ROOT = Path(__file__).resolve().parents[3]
WITHOUT_MPI = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "mpi4py":
            raise ImportError("there is no MPI")
sys.meta_path.insert(0, Absent())
"""


def test_what_it_tells_all_it_has_told_itself() -> None:
    comm = sole_rank()
    assert (comm.rank, comm.size) == (0, 1)
    assert comm.Ibarrier().Test()
    rows = np.zeros((1, 3), np.int64)
    assert comm.Iallgather(np.array([4, 5, 6]), rows).Test()
    assert rows.tolist() == [[4, 5, 6]]
    coming = np.zeros(1, np.int64)
    comm.Dup().Alltoall(np.array([7]), coming)
    assert coming.tolist() == [7]
    assert comm.gather("report", root=0) == ["report"]


def test_a_rank_can_be_put_together_where_there_is_no_mpi() -> None:
    source = WITHOUT_MPI + "import crawler.rank.crawl, crawler.rank.listing_rank"
    done = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
