"""What a rank knows of MPI: its launcher's environment, and waiting asleep."""

from typing import cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpi4py import MPI

from crawler.process import mpi_wait
from crawler.process.mpi_environment import RANK_VARIABLES, SIZE_VARIABLES, is_launched, launched_as
from crawler.process.mpi_wait import sleeping_wait

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


# Waiting asleep, by a clock that the test moves (tests/mpi waits for real ranks).

LATEST = 2e-3
SHORTEST = 50e-6


class Clock:
    """Time passes in sleep only, and a request is done at a time."""

    def __init__(self, done: float) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._done = done

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def Test(self) -> bool:  # noqa: N802 - as a request of mpi4py
        return self.now >= self._done


@settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(done=st.floats(0, 1))
def test_a_rank_wakes_soon_after_the_others_have_come_and_asks_seldom(
    done: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(done)
    monkeypatch.setattr(mpi_wait, "sleep", clock.sleep)
    monkeypatch.setattr(mpi_wait, "monotonic", clock.monotonic)
    sleeping_wait(cast(MPI.Request, clock))
    assert done <= clock.now <= done + min(LATEST, max(SHORTEST, done / 16)) * (1 + 1e-9)
    assert len(clock.slept) <= 100 + done / LATEST


def test_what_is_done_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(0.0)
    monkeypatch.setattr(mpi_wait, "sleep", clock.sleep)
    sleeping_wait(cast(MPI.Request, clock))
    assert clock.slept == []


def test_what_a_real_request_brings_is_there_afterwards() -> None:
    told = np.zeros(3)
    sleeping_wait(MPI.COMM_SELF.Iallgather(np.array([1.0, 2.0, 3.0]), told))
    assert told.tolist() == [1.0, 2.0, 3.0]
