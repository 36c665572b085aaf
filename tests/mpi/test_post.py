from pathlib import Path

import pytest

from tests.mpi.conftest import RANKS, Run

PROGRAM = str(Path(__file__).with_name("post_ranks.py"))


@pytest.mark.parametrize("ranks", RANKS)
def test_messages_arrive_once_in_order_of_any_size_and_none_is_left(run_ranks: Run, ranks: int) -> None:
    done = run_ranks(ranks, PROGRAM)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("agrees") == ranks
