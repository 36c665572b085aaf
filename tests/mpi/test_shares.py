"""Partitions made by ranks that each have a share of the links, compared with the whole at several numbers of ranks."""

from pathlib import Path

import numpy as np
import pytest

from tests.mpi.conftest import Run
from tests.partition.graphs.support.webs import URLS, Fetch, Web, record

SHARES = str(Path(__file__).with_name("share_ranks.py"))


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions in which two ranks fetched some pages twice, with repeated links and links to the page itself."""
    folder = tmp_path_factory.mktemp("sessions")
    random = np.random.default_rng(19)
    for number in range(2):
        made = []
        for rank in range(2):
            for url in random.choice(URLS, size=8, replace=False).tolist():
                targets = random.choice(URLS, size=int(random.integers(0, 6))).tolist()
                made.append(Fetch(rank, url, int(random.integers(0, 1000)), tuple(targets)))
        record(folder / str(number), Web(tuple(made), ()))
    return folder


@pytest.mark.parametrize("ranks", [2, *(pytest.param(ranks, marks=pytest.mark.long) for ranks in (1, 3, 4))])
def test_what_ranks_compute_from_shares_is_true_of_the_whole(run_ranks: Run, sessions: Path, ranks: int) -> None:
    done = run_ranks(ranks, "-m", "tests.mpi.share_ranks", str(sessions))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("agrees") == ranks
