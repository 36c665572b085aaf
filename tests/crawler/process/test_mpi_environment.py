"""What launchers leave in the environment."""

import pytest

from crawler.process.mpi_environment import RANK_VARIABLES, SIZE_VARIABLES, is_launched, launched_as

MPICH = {"PMI_RANK": "2", "PMI_SIZE": "3"}
OPEN_MPI = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "1"}
SRUN = {"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "6"}
SRUN_OF_ONE = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}
JOB = {"SLURM_NTASKS": "8", "SLURM_PROCID": "0"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, (0, 1)),
        (MPICH, (2, 3)),
        (OPEN_MPI, (1, 4)),
        (SRUN, (5, 6)),
        (SRUN | MPICH, (2, 3)),
        (JOB, (0, 1)),
        ({"PMI_RANK": "", "PMI_SIZE": "x"}, (0, 1)),
    ],
)
def test_the_launcher_says_it(environment: dict[str, str], expected: tuple[int, int]) -> None:
    assert launched_as(environment) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        (MPICH, True),
        ({"PMI_RANK": "0", "PMI_SIZE": "1"}, True),
        (OPEN_MPI, True),
        ({"PMIX_RANK": "0"}, True),
        (SRUN, True),
        (SRUN_OF_ONE, False),
        (JOB, False),
        (SRUN_OF_ONE | MPICH, True),
    ],
)
def test_ranks_are_told_from_other_processes(environment: dict[str, str], expected: bool) -> None:
    assert is_launched(environment) is expected


def test_the_innermost_launcher_comes_first() -> None:
    assert set(MPICH) | set(OPEN_MPI) | {*SRUN, *JOB} - {"SLURM_PROCID"} == {*RANK_VARIABLES, *SIZE_VARIABLES}
    assert SIZE_VARIABLES[-2:] == ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")
