"""A session whose committed tables have changed does not go on, whichever byte of whichever file it is."""

from pathlib import Path
from typing import Any, cast

import pytest

from crawler.config.crawl_options import CrawlOptions
from crawler.launch.undamaged import damage_found
from sessions.session import Session
from tests.sessions.support.builder import HOME, Crawl

RANKS = 3


@pytest.fixture
def session(tmp_path: Path) -> Session:
    crawl = Crawl(tmp_path / "session", ranks=2)
    rank = crawl.ranks[0]
    rank.discover([HOME, f"{HOME}a", f"{HOME}b"])
    rank.fetch(HOME, b"home")
    crawl.commit()
    rank.fetch(f"{HOME}a", b"a")
    crawl.commit("max-pages")
    crawl.close()
    return Session.open(tmp_path / "session")


def resuming(session: Session) -> CrawlOptions:
    return CrawlOptions(out=session.path, is_resumed=True)


class InTurn:
    """The communicator of one of several ranks that are asked one after the other, rank 0 first."""

    def __init__(self, rank: int, ranks: int, told: dict[str, Any]) -> None:
        self.rank, self.size, self._told = rank, ranks, told

    def bcast(self, what: Any) -> Any:
        return self._told.setdefault("all", what)

    def scatter(self, what: Any) -> Any:
        return self._told.setdefault("each", what)[self.rank]


def told_by(options: CrawlOptions, ranks: int = RANKS) -> list[str]:
    said: dict[str, Any] = {}
    found = [damage_found(options, cast(Any, InTurn(rank, ranks, said))) for rank in range(ranks)]
    return [problem for problem in found if problem is not None]


def told(session: Session) -> list[str]:
    return told_by(resuming(session))


def test_what_is_as_it_was_committed_goes_on(session: Session) -> None:
    assert told(session) == []


def test_a_byte_that_changed_is_told_by_the_one_rank_that_reads_the_file(session: Session) -> None:
    files = session.table_files()
    assert len(files) > RANKS
    for file in files:
        whole = file.path.read_bytes()
        for place in (0, len(whole) // 3, len(whole) - 1):
            file.path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
            (problem,) = told(session)
            assert problem.startswith(f"{file.path}: has changed since it was committed")
            assert problem.endswith(f"see it with: cutweb check {session.path}")
            assert len(problem.splitlines()) == 1
        file.path.write_bytes(whole)
    assert told(session) == []


def test_what_is_new_or_no_session_is_not_looked_at(session: Session, tmp_path: Path) -> None:
    path = session.table_files()[0].path
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert told(session) != []
    assert told_by(CrawlOptions(out=session.path)) == []
    assert told_by(CrawlOptions(out=tmp_path / "none", is_resumed=True)) == []
