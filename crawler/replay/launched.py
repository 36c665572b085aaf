"""As which of how many processes a launcher of MPI runs has started this one, told from the environment."""

from collections.abc import Mapping

_RANK_AND_SIZE = (
    ("PMI_RANK", "PMI_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)
"""The innermost first: Slurm's are those of mpiexec's helpers where mpiexec has started the ranks."""


def launched_as(environment: Mapping[str, str]) -> tuple[int, int]:
    """Rank and number of ranks; (0, 1) of a process that nobody has launched."""
    for rank, size in _RANK_AND_SIZE:
        told = [environment.get(name, "") for name in (rank, size)]
        if all(text.isdecimal() for text in told):
            return int(told[0]), int(told[1])
    return 0, 1
