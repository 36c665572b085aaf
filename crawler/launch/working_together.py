"""Ranks for work that is no crawl: `cutweb partition --ranks`, as one of the ranks or as the one that starts them.

Reads the clock: a rank that fails waits a while for the others to say that they fail, too.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any

from crawler.launch.plan import check_size
from crawler.launch.start_ranks import let_launcher_read, run_under_mpiexec, set_mpi_up
from crawler.process.terminal import tell
from partition.communication.ranks import Ranks
from sessions.storage.temporary_folder import leave_nothing

_PATIENCE_SECONDS = 5.0
_SECONDS_BETWEEN_LOOKS = 1e-3


class TogetherError(Exception):
    """An error, ``problem``, that all ranks have met."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(str(problem))
        self.problem = problem


def started(ranks: int, words: Sequence[str]) -> int:
    """Run ``cutweb`` with these words as ranks under mpiexec; the exit code.  Raises UsageError without mpiexec."""
    set_mpi_up()
    code, received = run_under_mpiexec(ranks, words)
    return 128 + received[0] if received and code else code


@contextmanager
def working_together(asked: int | None, expected: tuple[type[Exception], ...]) -> Iterator[Ranks]:
    """Within it this process is one of the ranks that the launcher has started; ``asked`` is how many are meant.

    An ``expected`` error leaves as TogetherError, if all ranks have met one; if some have not, they wait for this rank
    in vain, so all are ended with exit code 2 once the error is told.  Any other error ends them with code 1.  Raises
    UsageError on all ranks if they are not as many as were meant.
    """
    set_mpi_up()
    # What mpi4py suspects of the environment, check_size says in our words.
    warnings.filterwarnings("ignore", message="suspicious MPI execution environment", category=RuntimeWarning)
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    check_size(asked, comm.size, os.environ)
    failing = comm.Dup()
    try:
        yield Ranks(comm)
    except expected as error:
        if _all_come(failing.Ibarrier()):
            raise TogetherError(error) from error
        tell(f"rank {comm.rank} of {comm.size}: {error or type(error).__name__}", err=True)
        _end_all(comm, 2)
    except SystemExit as leaving:
        _end_all(comm, leaving.code if isinstance(leaving.code, int) else 1)
    except BaseException:
        tell(*f"rank {comm.rank} of {comm.size} failed:\n{traceback.format_exc()}".rstrip().split("\n"), err=True)
        _end_all(comm, 1)
    failing.Free()


def threads_here(ranks: Ranks, cores: int) -> int:
    """How many threads this rank may use, if the ranks on one machine share its cores."""
    names = ranks.together(os.uname().nodename)
    return max(1, cores // names.count(os.uname().nodename))


def _all_come(arrival: Any) -> bool:
    """Do all ranks come to a barrier before long?"""
    began = monotonic()
    while not arrival.Test():
        if monotonic() - began > _PATIENCE_SECONDS:
            return False
        sleep(_SECONDS_BETWEEN_LOOKS)
    return True


def _end_all(comm: Any, code: int) -> None:
    leave_nothing()
    let_launcher_read(sys.stderr.fileno())
    comm.Abort(code)
    os._exit(code)  # an MPI that comes back from Abort
