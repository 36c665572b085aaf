"""What ranks that make a partition together say to each other, in rounds of any size."""

from pathlib import Path

import pytest

from tests.mpi.conftest import USUAL_RANKS, Run

COMMUNICATION = str(Path(__file__).with_name("communication_ranks.py"))


@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_rows_texts_and_answers_arrive_in_order_in_rounds_of_any_size(run_ranks: Run, ranks: int) -> None:
    done = run_ranks(ranks, COMMUNICATION, "1", "8", "200", "120")  # bytes of a round, and rows
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("agrees") == 2 * ranks
