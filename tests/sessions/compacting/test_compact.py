"""A compacted session has few files and says the same; a kill before any operation leaves it good."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions.analysis.summary import summarise
from sessions.checking.check import check_session
from sessions.compacting.compact import compact_session
from sessions.schema import TABLES
from sessions.session import Session, SessionError, record_numbers
from sessions.storage.warc_members import member_at
from sessions.writing.commit import commit
from tests.sessions.checking.test_check_runs import LAST, begun, other_ranks, same_ranks
from tests.sessions.support.builder import HOME, PAGES, Crawl, GoingOn, small_session
from tests.sessions.support.crashing import CrashingMachine

FORGETS = pytest.mark.parametrize("forgets", [False, pytest.param(True, marks=pytest.mark.long)])
EVERY = pytest.mark.parametrize("every", [2, pytest.param(1, marks=pytest.mark.long)])
"""Each second operation is tried each time, all of them by `make test-long`."""


def quiet(what: str, done: int, total: int) -> None:
    """Nobody watches."""


def long_session(path: Path, end: str | None = "signal", *, merges: bool = False) -> None:
    """Two ranks, forty epochs of one page each, of which every rank has some tables now and then."""
    crawl = Crawl(path)
    crawl.merges = merges
    first, second = crawl.ranks
    urls = [f"http://a.example/{number}" for number in range(40)]
    first.discover([HOME, *urls[::2]])
    second.discover(urls[1::2])
    for number, url in enumerate(urls):
        rank = crawl.ranks[number % 2]
        rank.fetch(url, url.encode(), links=[(HOME, 0)])
        if number % 3 == 0:
            rank.rest("a.example", 1.0 + number, 0)
        crawl.commit()
    if end is not None:
        crawl.end(end)
    crawl.close()


def content(path: Path) -> dict[tuple[str, int], object]:
    """The rows of every table by rank, in order; pages with their records in the place of where these stand."""
    session = Session.open(path)
    return {
        (table, rank): [with_record(path, rank, row) for row in session.read(table, rank=rank).to_pylist()]
        for table in TABLES
        for rank in range(session.most_ranks)
    }


def with_record(path: Path, rank: int, row: dict[str, Any]) -> dict[str, Any]:
    if row.get("warc_file") is None:
        return row
    member = member_at(path / f"rank-{rank:04d}" / row["warc_file"], row["warc_offset"])
    return row | {"warc_file": member.raw, "warc_offset": 0}


def figures(path: Path) -> object:
    told = summarise(Session.open(path)).as_dict()
    return {name: value for name, value in told.items() if name != "runs"}


MAKES = [
    small_session,
    lambda path: small_session(path, None),
    same_ranks,
    other_ranks,
    long_session,
    lambda path: long_session(path, None, merges=True),
]


@pytest.mark.parametrize("make", MAKES)
def test_it_says_the_same_in_fewer_files(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "session"
    make(path)
    before, told = content(path), figures(path)
    done = compact_session(path, quiet)
    assert content(path) == before
    assert figures(path) == told
    findings = check_session(path)
    assert findings.problems == {}
    assert not [note for note in findings.notes if "not committed" in note]
    session = Session.open(path)
    assert record_numbers(path) == [session.last_epoch]
    assert (done.after.records, done.after.tables) == (1, len(session.table_files()))
    kinds = {(file.rank, file.table) for file in session.table_files()}
    last = [file for file in session.table_files() if session.ended and file.epoch >= session.last_epoch - 1]
    assert len(kinds) <= done.after.tables <= len(kinds) + len(last)
    assert done.after.warcs == len({warc.rank for warc in session.warc_files()})


def test_files_grow_to_about_so_many_bytes(tmp_path: Path) -> None:
    path = tmp_path / "session"
    long_session(path)
    before = content(path)
    largest = max(file.bytes for file in Session.open(path).table_files())
    compact_session(path, quiet, file_bytes=2 * largest)
    assert content(path) == before
    pages = [file for file in Session.open(path).table_files("pages") if file.rank == 0]
    assert len(pages) > 1
    assert check_session(path).is_good
    compact_session(path, quiet)
    assert content(path) == before
    assert len([file for file in Session.open(path).table_files("pages") if file.rank == 0]) == 1
    assert check_session(path).is_good


def test_what_is_compact_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "session"
    long_session(path)
    compact_session(path, quiet)
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*") if file.is_file()}
    compact_session(path, quiet)
    assert {file: file.stat().st_mtime_ns for file in path.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("end", ["signal", None])
def test_a_run_goes_on_with_it(tmp_path: Path, end: str | None) -> None:
    path = tmp_path / "session"
    if end is None:
        crawl = Crawl(path)
        crawl.ranks[0].discover([HOME, *PAGES[:2]])
        crawl.commit()
        crawl.commit()
        crawl.close()
    else:
        begun(path)
    compact_session(path, quiet)
    again = GoingOn(path, LAST)
    again.ranks[0].take_back(PAGES[:2])
    again.ranks[0].fetch(PAGES[0], b"page")
    again.commit()
    compact_session(path, quiet)
    assert check_session(path).problems == {}
    assert [run.run for run in Session.open(path).runs][1:] == [LAST]
    with pytest.raises(SessionError, match="has taken this session over"):
        again.commit()
    again.close()


def test_what_has_not_begun_or_is_damaged_is_refused(tmp_path: Path) -> None:
    Crawl(tmp_path / "begun").close()
    with pytest.raises(SessionError, match="has no epoch"):
        compact_session(tmp_path / "begun", quiet)
    small_session(tmp_path / "session")
    Session.open(tmp_path / "session").table_files()[0].path.unlink()
    before = sorted((tmp_path / "session").rglob("*"))
    with pytest.raises(SessionError, match="were committed"):
        compact_session(tmp_path / "session", quiet)
    assert sorted((tmp_path / "session").rglob("*")) == before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files of what has crashed
@FORGETS
@EVERY
def test_a_kill_before_any_operation_leaves_it_good(tmp_path: Path, forgets: bool, every: int) -> None:
    fuse, is_done = 0, False
    compacted = 0
    same_ranks(tmp_path / "whole")
    before = content(tmp_path / "whole")
    while not is_done:
        path = Path(shutil.copytree(tmp_path / "whole", tmp_path / str(fuse)))
        told = figures(path)
        is_done = CrashingMachine(path, fuse, forgets=forgets).survives(lambda: compact_session(path, quiet))  # noqa: B023
        assert content(path) == before
        assert figures(path) == told
        assert check_session(path).problems == {}
        compacted += len(record_numbers(path)) == 1
        compact_session(path, quiet)
        assert content(path) == before
        findings = check_session(path)
        assert findings.problems == {}
        assert not [note for note in findings.notes if "not committed" in note]
        fuse += every
    assert fuse > 20
    assert 1 < compacted < fuse


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files of what has crashed
@FORGETS
@EVERY
def test_a_kill_while_an_epoch_folds_those_before_leaves_it_good(tmp_path: Path, forgets: bool, every: int) -> None:
    fuse, is_done = 0, False
    numbers = set()
    while not is_done:
        path = tmp_path / str(fuse)
        crawl = Crawl(path, ranks=1)
        crawl.ranks[0].discover([HOME, *(f"{HOME}{number}" for number in range(20))])
        for number in range(15):
            crawl.ranks[0].fetch(f"{HOME}{number}", b"page")
            crawl.commit()
        crawl.ranks[0].fetch(f"{HOME}15", b"page")
        crawl.merges = True
        is_done = CrashingMachine(path, fuse, forgets=forgets).survives(crawl.commit)
        crawl.close()
        session = Session.open(path)
        assert session.last_epoch in (15, 16)
        assert len(session.read("pages")) == session.last_epoch
        numbers.add((session.last_epoch, len(record_numbers(path))))
        assert check_session(path).problems == {}
        again = GoingOn(path, LAST, ranks=1)
        again.ranks[0].take_back([HOME, *(f"{HOME}{number}" for number in range(session.last_epoch, 20))])
        again.end("signal")
        again.close()
        findings = check_session(path)
        assert findings.problems == {}
        assert not [note for note in findings.notes if "not committed" in note]
        fuse += every
    assert numbers >= {(15, 15), (16, 16), (16, 1)}


def test_a_run_whose_number_was_folded_commits_nothing(tmp_path: Path) -> None:
    """It sleeps while another takes the session over, and folds the record that would have told it so."""
    path = tmp_path / "session"
    old = begun_and_asleep(path)
    again = GoingOn(path, LAST)
    again.commit()
    again.close()
    compact_session(path, quiet)
    assert 2 not in record_numbers(path)
    before = Session.open(path)
    with pytest.raises(SessionError, match=f"another run, {LAST}, has taken"):
        commit(path, old, 4, [])
    assert Session.open(path) == before
    assert check_session(path).problems == {}


def begun_and_asleep(path: Path) -> dict[str, object]:
    crawl = Crawl(path)
    crawl.ranks[0].discover([HOME])
    crawl.commit()
    crawl.close()
    return crawl.header  # type: ignore[return-value]
