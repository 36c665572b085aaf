"""What ranks hand each other: batches in rounds of any size, and messages of any size."""

from pathlib import Path

import pytest

from tests.mpi.conftest import RANKS, Run

EXCHANGE = str(Path(__file__).with_name("exchange_ranks.py"))
POST = str(Path(__file__).with_name("post_ranks.py"))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize(("round_bytes", "urls"), [(64, 20), (4096, 500)])
def test_every_pair_gets_what_it_was_sent_in_rounds_of_any_size(
    run_ranks: Run, ranks: int, round_bytes: int, urls: int
) -> None:
    done = run_ranks(ranks, EXCHANGE, str(round_bytes), str(urls))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("agrees") == ranks


@pytest.mark.parametrize("ranks", RANKS)
def test_messages_arrive_once_in_order_of_any_size_and_none_is_left(run_ranks: Run, ranks: int) -> None:
    done = run_ranks(ranks, POST)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("agrees") == ranks
