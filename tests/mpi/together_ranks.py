"""Run under mpiexec by test_partition_by_ranks.py: ranks of which one fails, or all do."""

import sys

from mpi4py import MPI

from crawler.launch.working_together import TogetherError, working_together

who, kind = sys.argv[1:]
try:
    with working_together(None, (LookupError,)) as ranks:
        if who == "all" or ranks.rank == int(who):
            raise LookupError("nothing there") if kind == "expected" else ZeroDivisionError("by nought")
        ranks.total(1)
except TogetherError as error:
    if MPI.COMM_WORLD.rank == 0:
        print(f"all say: {error}", flush=True)
