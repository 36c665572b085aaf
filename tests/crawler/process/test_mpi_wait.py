"""Waiting asleep, by a clock that the test moves (tests/mpi waits for real ranks)."""

from typing import cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpi4py import MPI

from crawler.process import mpi_wait
from crawler.process.mpi_wait import sleeping_wait

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
