"""What launchers of MPI runs leave in the environment of the processes that they start."""

from collections.abc import Mapping

_RANK_AND_SIZE = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
_OF_SRUN = ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")
"""Of every process in a job, mpiexec's helpers among them: what these say comes last."""
_TASKS_OF_JOB = "SLURM_NTASKS"

RANK_VARIABLES = ("PMIX_RANK", *(rank for rank, _ in _RANK_AND_SIZE))
"""Each of them is there in ranks only."""
SIZE_VARIABLES = (*(size for _, size in _RANK_AND_SIZE), _OF_SRUN[1], _TASKS_OF_JOB)
"""Those that say how many ranks there are, or are meant to be; the innermost launcher's first."""


def is_launched(environment: Mapping[str, str]) -> bool:
    """Is a process with this environment one of the ranks that a launcher has started?"""
    return any(name in environment for name in RANK_VARIABLES) or environment.get(_OF_SRUN[1], "1") != "1"


def launched_as(environment: Mapping[str, str]) -> tuple[int, int]:
    """Rank and number of ranks; (0, 1) of a process that nobody has launched."""
    for rank, size in (*_RANK_AND_SIZE, _OF_SRUN):
        told = [environment.get(name, "") for name in (rank, size)]
        if all(text.isdecimal() for text in told):
            return int(told[0]), int(told[1])
    return 0, 1
