"""Ranks are told of a session what they read of it, and rank 0 alone has read the commit records."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.launch.remaining_limits import used_up
from crawler.launch.told_session import READ_BY_ALL, parts_of, put_together
from sessions.session import Session
from tests.sessions.checking.test_check_runs import other_ranks, same_ranks

RANKS = (1, 2, 3, 5)


@pytest.mark.parametrize("make", [same_ranks, other_ranks])
@pytest.mark.parametrize("ranks", RANKS)
def test_each_rank_is_told_what_it_reads(tmp_path: Path, make: Callable[[Path], None], ranks: int) -> None:
    make(tmp_path / "session")
    whole = Session.open(tmp_path / "session")
    common, own = parts_of(whole, ranks)
    for rank in range(ranks):
        told = put_together(whole.path, common, own[rank])
        assert (told.runs, told.has_moved, told.superstep) == (whole.runs, whole.has_moved, whole.superstep)
        assert (told.allows_overlap, told.honours_nofollow) == (whole.allows_overlap, whole.honours_nofollow)
        assert used_up(told) == used_up(whole)
        share = range(rank, whole.most_ranks, ranks)
        assert [file for file in told.table_files() if file.rank in share] == [
            file for file in whole.table_files() if file.rank in share
        ]
        for table in READ_BY_ALL if not whole.has_moved else {file.table for file in whole.table_files()}:
            assert [file.path for file in told.table_files(table)] == [file.path for file in whole.table_files(table)]
        for its in share:
            assert told.rank_reports()[its] == whole.rank_reports()[its]


def test_of_other_ranks_it_is_not_told_everything(tmp_path: Path) -> None:
    same_ranks(tmp_path / "session")
    whole = Session.open(tmp_path / "session")
    common, own = parts_of(whole, 2)
    told = put_together(whole.path, common, own[1])
    assert {file.table for file in told.table_files() if file.rank == 0} == {"pages"}
    assert told.rank_reports()[0].keys() == {"fetched", "seconds"}
