"""Which rows a rank reads."""

from pathlib import Path

import pytest

from crawler.rank.resuming.rows import column, rows_of, share_of
from sessions.session import Session
from tests.sessions.support.builder import GoingOn, small_session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Two ranks' session, as it was begun."""
    small_session(tmp_path / "session", end=None)
    return Session.open(tmp_path / "session")


def test_where_nothing_has_moved_a_rank_reads_what_it_wrote(session: Session) -> None:
    for rank in range(2):
        read = column(list(rows_of(session, rank).read("urls", ["hash"])), "hash").tolist()
        assert read == session.read("urls", ["hash"], rank)["hash"].to_pylist()


def test_where_urls_have_moved_every_rank_reads_all(session: Session) -> None:
    GoingOn(session.path, "later", ranks=3).close()
    moved = Session.open(session.path)
    assert moved.has_moved
    every = sorted(moved.read("urls", ["hash"])["hash"].to_pylist())
    for rank in range(3):
        rows = rows_of(moved, rank)
        assert sorted(column(list(rows.read("urls", ["hash"])), "hash").tolist()) == every
        assert {folder for folder, _ in rows.read_by_folder("urls", ["hash"])} == {0, 1}
    assert moved.most_ranks == 3


def test_each_row_is_in_one_rank_s_share(session: Session) -> None:
    for ranks in (1, 2, 3):
        read = [
            hash_
            for rank in range(ranks)
            for batch in share_of(session, rank, ranks).read("urls", ["hash"])
            for hash_ in column([batch], "hash").tolist()
        ]
        assert sorted(read) == sorted(session.read("urls", ["hash"])["hash"].to_pylist())


def test_groups_have_as_many_rows_as_asked_for_or_a_few_more(session: Session) -> None:
    rows = share_of(session, 0, 1)
    groups = list(rows.groups("urls", ["hash"], 1))
    assert [len(group) for group in groups] == [1] * len(groups)
    assert sum(map(len, groups[0])) >= 1
    assert len(list(rows.groups("urls", ["hash"], 1 << 30))) == 1
