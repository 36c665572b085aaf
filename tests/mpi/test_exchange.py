from pathlib import Path

import pytest

from tests.mpi.conftest import RANKS, Run

PROGRAM = str(Path(__file__).with_name("exchange_ranks.py"))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize(("round_bytes", "urls"), [(64, 20), (4096, 500)])
def test_every_pair_gets_what_it_was_sent_in_rounds_of_any_size(
    run_ranks: Run, ranks: int, round_bytes: int, urls: int
) -> None:
    done = run_ranks(ranks, PROGRAM, str(round_bytes), str(urls))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("agrees") == ranks
