"""A crawl of the tiny web by two ranks, each of which keeps a journal, and one journal made of the two.

Run by mpiexec, each process is a rank: its arguments are a folder, the file where its journal goes, with the rank's
number after it, the file that says how the crawl begins, and, if the session in the folder is to be gone on with,
``resume``.

A kill may find one rank ahead of the other, by as much as ranks do before they have to wait for each other.  So there
are three orders of what was done: as it was, and with each rank as far ahead as can be.  Rank 0 makes a commit record
only when both have closed the epoch; rank 1 does not wait for that.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path

from mpi4py import MPI

from crawler.launch.start_ranks import find_mpiexec
from scripts.crash.full_disk import Disk
from scripts.crash.journal import Journal, Operation
from scripts.crash.points import SESSION, WATCHED, Scene
from scripts.crash.tiny_crawl import SEEDED, Beginning, begin, go_on

RANKS = 2
AS_IT_WAS, FIRST_AHEAD, SECOND_AHEAD = ORDERS = ("as it was", "rank 0 ahead", "rank 1 ahead")
_RECORD = f"{SESSION}/epochs/."
_Stepped = tuple[int, bool, int, Operation]
"""How many marks the rank had made, whether it was rank 0 and had begun a commit record, the rank, and what it did."""


def played_by_ranks(name: str, start: Path, folder: Path, beginning: Beginning = SEEDED) -> list[Scene]:
    """A scene for each order, of one crawl by two ranks in ``folder``, which becomes a copy of ``start``."""
    Disk(start).leave(folder)
    epochs = len(list((folder / SESSION / "epochs").glob("[0-9]*.json")))
    journals = f"{folder}.journal-"
    begun = Path(f"{journals}beginning")
    begun.write_bytes(pickle.dumps(tuple(beginning._replace(kept=dict(beginning.kept)))))
    resume = ["resume"] if epochs else []
    this = [sys.executable, "-m", "scripts.crash.ranks"]
    subprocess.run(
        [find_mpiexec() or "mpiexec", "-n", str(RANKS), *this, str(folder), journals, str(begun), *resume],
        check=True,
        env={**os.environ, "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"},
        stderr=subprocess.DEVNULL,
    )
    steps = [step for rank in range(RANKS) for step in _steps(rank, Path(f"{journals}{rank}"))]
    scenes = []
    for order in ORDERS:
        sorted_steps = sorted(steps, key=lambda step: _key(step, order))
        in_order = [operation for _, _, rank, operation in sorted_steps if _counts(rank, operation)]
        scenes.append(
            Scene(f"{name}, {order}", start, begin, operations=in_order, epochs_before=epochs, beginning=beginning)
        )
        disk = Disk(start)
        for operation in in_order:
            disk.do(operation)
        scenes[-1].unseen = [path for path in disk.differences(folder) if not f"{path}/".startswith(WATCHED)]
    return scenes


def _steps(rank: int, journal: Path) -> list[_Stepped]:
    marks, is_record, steps = 0, False, []
    for fields in pickle.loads(journal.read_bytes()):
        operation = Operation(*fields)
        is_record |= operation.path.startswith(_RECORD)
        steps.append((marks, is_record, rank, operation))
        if operation.kind == "mark":
            marks, is_record = marks + 1, False
    return steps


def _key(step: _Stepped, order: str) -> tuple[int, int, int]:
    marks, is_record, rank, operation = step
    if order == AS_IT_WAS:
        return 0, 0, operation.time
    return marks, 2 if is_record else int((rank == 0) == (order == SECOND_AHEAD)), operation.time


def _counts(rank: int, operation: Operation) -> bool:
    if operation.kind == "mark":
        return rank == 0
    return not f"{operation.path}/".startswith(WATCHED)


def main() -> None:
    """Be a rank."""
    folder, journals, begun, *rest = sys.argv[1:]
    comm = MPI.COMM_WORLD
    journal = Journal(Path(folder))
    out, beginning = Path(folder) / SESSION, Beginning(*pickle.loads(Path(begun).read_bytes()))
    with journal.kept():
        if rest:
            go_on(out, journal=journal, ranks=comm.size, comm=comm)
        else:
            begin(out, journal, comm.size, comm, beginning)
    Path(f"{journals}{comm.rank}").write_bytes(pickle.dumps([tuple(operation) for operation in journal.operations]))


if __name__ == "__main__":
    main()
