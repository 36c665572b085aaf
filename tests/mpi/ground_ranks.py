"""Run under mpiexec by test_common_ground.py: what keeps the ranks from one crawl into a folder that each names itself.

The arguments are the folders, by rank, and `other` if the last rank runs another version.
"""

import json
import sys
from pathlib import Path

from mpi4py import MPI

from crawler.launch import common_ground

comm = MPI.COMM_WORLD
folders = sys.argv[1 : comm.size + 1]
common_ground._PATIENCE_SECONDS = 0.2
if sys.argv[-1] == "other" and comm.rank == comm.size - 1:
    common_ground.software_version = lambda: "0.0.1"
comm_out = Path(folders[comm.rank])
if comm.rank:  # rank 0 names the folder; a private file system is played by looking elsewhere
    private, common_ground._mark = common_ground._mark, lambda folder, token, rank: private(comm_out, token, rank)
told = common_ground.strangers(comm, comm_out / "new" / "session" if comm.rank == 0 else comm_out)
if comm.rank == 0:
    print(json.dumps(told))
