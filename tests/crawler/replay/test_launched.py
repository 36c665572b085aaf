"""What launchers leave in the environment."""

import pytest

from crawler.replay.launched import launched_as

MPICH = {"PMI_RANK": "2", "PMI_SIZE": "3"}
OPEN_MPI = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "1"}
SRUN = {"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "6"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, (0, 1)),
        (MPICH, (2, 3)),
        (OPEN_MPI, (1, 4)),
        (SRUN, (5, 6)),
        (SRUN | MPICH, (2, 3)),
        ({"SLURM_NTASKS": "8", "SLURM_PROCID": "0"}, (0, 1)),
        ({"PMI_RANK": "", "PMI_SIZE": "x"}, (0, 1)),
    ],
)
def test_the_launcher_says_it(environment: dict[str, str], expected: tuple[int, int]) -> None:
    assert launched_as(environment) == expected
