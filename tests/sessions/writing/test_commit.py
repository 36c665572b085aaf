"""Sessions claimed once, committed epoch by epoch, taken over by others."""

import errno
import json
import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any
from unittest import mock

import pytest

from sessions.checking.check import check_session
from sessions.session import Session, SessionError
from sessions.writing.commit import FencedError, check_owner, claim, commit, fence_and_take_over
from sessions.writing.truncate import truncate_to_commit
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import HOME, LOST, PAGES, RUN, Crawl, GoingOn, small_session
from tests.sessions.support.crashing import CrashingMachine

LATER = "29990101T000000-aaaaaa"
SEEDS = ["http://a.example/", "http://b.example/%F0%9F%98%80?x"]


def make(path: Path, seeds: Sequence[str] = ()) -> dict[str, Any]:
    return claim(path, run="run", ranks=2, assignment="site-hash", configuration={"max_pages": 10}, seeds=seeds)


def resumed(path: Path, run: str = LATER) -> dict[str, Any]:
    """Take a session over, with the ranks that it has."""
    session = Session.open(path)
    return fence_and_take_over(session, run=run, ranks=session.ranks, assignment="page-hash", configuration={})


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A session of three epochs that has not ended."""
    small_session(tmp_path / "killed", end=None)
    return tmp_path / "killed"


def at_once(attempts: Sequence[Callable[[], object]]) -> list[BaseException | None]:
    """Do all this in as many threads, and say what each raised."""
    barrier = Barrier(len(attempts))

    def attempt(work: Callable[[], object]) -> BaseException | None:
        barrier.wait()
        try:
            work()
        except SessionError as error:
            return error
        return None

    with ThreadPoolExecutor(len(attempts)) as threads:
        return list(threads.map(attempt, attempts))


def test_an_empty_folder_can_be_claimed(tmp_path: Path) -> None:
    make(tmp_path)


def test_what_cannot_be_claimed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionError, match="is a file"):
        make(tmp_path / "file")
    with pytest.raises(SessionError, match="not empty"):
        make(tmp_path)
    with pytest.raises(SessionError, match="file"):
        make(tmp_path / "file" / "below")


def test_one_of_many_claims_succeeds(tmp_path: Path) -> None:
    count = 8
    barrier = Barrier(count)

    def attempt(number: int) -> bool:
        barrier.wait()
        try:
            make(tmp_path / "session")
        except SessionError:
            return False
        return True

    with ThreadPoolExecutor(count) as threads:
        assert sum(threads.map(attempt, range(count))) == 1
    assert Session.open(tmp_path / "session").ranks == 2


def test_a_commit_leaves_nothing_half_written(tmp_path: Path) -> None:
    header = make(tmp_path / "session")
    commit(tmp_path / "session", header, 1, [], {"reason": "complete", "seconds": 1.5})
    assert sorted(path.name for path in (tmp_path / "session").rglob("*")) == ["000001.json", "epochs", "session.json"]
    session = Session.open(tmp_path / "session")
    assert session.ended is not None
    assert (session.ended["reason"], session.ended["seconds"]) == ("complete", 1.5)
    assert session.header == header


def test_seeds_are_kept(tmp_path: Path) -> None:
    make(tmp_path / "session", SEEDS)
    assert (tmp_path / "session" / "seeds.txt").read_text().splitlines() == SEEDS
    assert Session.open(tmp_path / "session").seeds == tuple(SEEDS)


def test_whoever_claims_has_given_the_seeds(tmp_path: Path) -> None:
    def attempt(number: int) -> dict[str, Any]:
        facts = {"run": str(number), "ranks": 1, "assignment": "page-hash", "configuration": {}}
        return claim(tmp_path / "session", **facts, seeds=[f"http://{number}.example/"])  # type: ignore[arg-type]

    raised = at_once([partial(attempt, number) for number in range(8)])
    winner = raised.index(None)
    assert raised.count(None) == 1
    session = Session.open(tmp_path / "session")
    assert (session.header["run"], session.seeds) == (str(winner), (f"http://{winner}.example/",))
    assert {path.name for path in (tmp_path / "session").iterdir()} == {"epochs", "seeds.txt", "session.json"}


def test_a_claim_that_a_crash_cuts_short_is_no_session_or_a_whole_one(tmp_path: Path) -> None:
    fuse, is_done = 0, False
    while not is_done:
        path = tmp_path / str(fuse)
        is_done = CrashingMachine(tmp_path, fuse).survives(partial(make, path, SEEDS))
        if (path / "session.json").exists():
            assert Session.open(path).seeds == tuple(SEEDS)
        else:
            with pytest.raises(SessionError, match=r"session\.json: no such file"):
                Session.open(path)
            make(path, [HOME])
            assert Session.open(path).seeds == (HOME,), "nothing stands in the way of another try"
        fuse += 1
    assert fuse > 8


def test_a_session_keeps_its_seeds_if_its_claim_and_its_take_over_are_killed_at_any_step(tmp_path: Path) -> None:
    """A claim that is killed between session.json and seeds.txt, and each of the steps of what goes on with it."""
    claimed = tmp_path / "claimed"
    fuse = 0
    while not (claimed / "session.json").exists():
        shutil.rmtree(claimed, ignore_errors=True)
        CrashingMachine(tmp_path, fuse).survives(partial(make, claimed, SEEDS))
        fuse += 1
    assert not (claimed / "seeds.txt").exists()
    fuse, is_done = 0, False
    while not is_done:
        path = Path(shutil.copytree(claimed, tmp_path / str(fuse)))

        def go_on(path: Path = path) -> None:
            resumed(path)
            truncate_to_commit(Session.open(path))

        is_done = CrashingMachine(path, fuse).survives(go_on)
        assert Session.open(path).seeds == tuple(SEEDS)
        resumed(path, "29990101T000001-bbbbbb")
        truncate_to_commit(Session.open(path))
        assert Session.open(path).seeds == tuple(SEEDS)
        assert {left.name for left in path.iterdir()} == {"epochs", "seeds.txt", "session.json"}
        fuse += 1
    assert fuse > 8


def test_what_killed_claims_have_written_is_gone_once_a_claim_succeeds(tmp_path: Path) -> None:
    left = [".seeds.txt.20260101T000000-abcdef.abcdef.partial", ".session.json.20260101T000000-abcdef.abcdef.partial"]
    (tmp_path / "session").mkdir()
    for name in left:
        (tmp_path / "session" / name).write_text("half")
    make(tmp_path / "session", SEEDS)
    assert {path.name for path in (tmp_path / "session").iterdir()} == {"epochs", "seeds.txt", "session.json"}


def test_a_claim_on_a_full_disk_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with mock.patch("os.link", side_effect=full), pytest.raises(SessionError, match=r"No space left on device$"):
        make(tmp_path / "session", SEEDS)
    assert [path.name for path in (tmp_path / "session").rglob("*")] == ["epochs"]
    with (
        mock.patch("os.rename", side_effect=full),
        pytest.raises(SessionError, match="has begun, go on with: --resume"),
    ):
        make(tmp_path / "session", SEEDS)
    assert Session.open(tmp_path / "session").seeds == tuple(SEEDS)


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", ".other.abcdef.partial", "epochs/000001.json"])
def test_nothing_else_is_taken_for_what_a_killed_claim_leaves(tmp_path: Path, name: str) -> None:
    path = tmp_path / "session" / name
    path.parent.mkdir(parents=True)
    path.write_text("somebody's")
    with pytest.raises(SessionError, match="exists and is not empty"):
        make(tmp_path / "session", SEEDS)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [Path(name).name]


def test_one_of_two_commits_the_next_epoch(killed: Path) -> None:
    header = Session.open(killed).header
    headers = [deepcopy(header) | {"run": f"run {number}"} for number in range(6)]
    raised = at_once([partial(commit, killed, its, 6, []) for its in headers])
    winner = raised.index(None)
    assert raised.count(None) == 1
    assert all(isinstance(error, FencedError) and f"run {winner}, has taken" in str(error) for error in raised if error)
    assert [its["epochs"] for its in headers] == [4 if number == winner else 3 for number in range(6)]
    record = json.loads((killed / "epochs" / "000004.json").read_text())
    assert record["run"] == f"run {winner}"


def test_who_was_taken_over_commits_nothing_more(tmp_path: Path) -> None:
    old = Crawl(tmp_path / "session")
    old.ranks[0].discover([HOME])
    old.commit()
    header = resumed(tmp_path / "session")
    before = Session.open(tmp_path / "session")
    old.ranks[0].fetch(HOME, b"home")
    with pytest.raises(FencedError, match=f"another run, {LATER}, has taken this session over; this one ends here"):
        old.commit()
    old.close()
    assert Session.open(tmp_path / "session") == before
    assert before.header == header
    assert (header["run"], header["epochs"], header["ended"]) == (LATER, 2, None)
    assert check_session(tmp_path / "session").problems == {}


def test_what_is_committed_meanwhile_is_not_taken_away(tmp_path: Path) -> None:
    old = Crawl(tmp_path / "session")
    seen = Session.open(tmp_path / "session")
    old.ranks[0].discover([HOME])
    old.commit()
    header = fence_and_take_over(seen, run=LATER, ranks=2, assignment="page-hash", configuration={})
    assert header["epochs"] == 2
    session = Session.open(tmp_path / "session")
    assert len(session.read("urls")) == 1
    assert session.header == header


def test_of_two_that_take_over_the_later_has_the_session(killed: Path) -> None:
    session = Session.open(killed)
    facts = {"ranks": 2, "assignment": "page-hash", "configuration": {}}
    headers: dict[str, dict[str, Any]] = {}

    def attempt(run: str) -> None:
        headers[run] = fence_and_take_over(session, run=run, **facts)  # type: ignore[arg-type]

    assert at_once([partial(attempt, run) for run in ("one", "two")]) == [None, None]
    latest = Session.open(killed)
    first, second = sorted(headers, key=lambda run: headers[run]["epochs"])
    assert [headers[run]["epochs"] for run in (first, second)] == [4, 5]
    assert [run.run for run in latest.runs] == [RUN, first, second]
    with pytest.raises(FencedError, match=f"another run, {second}, has taken"):
        commit(killed, headers[first], 6, [])
    commit(killed, headers[second], 6, [])
    assert Session.open(killed).header == headers[second]


def test_a_fenced_run_that_writes_session_json_last_changes_nothing(killed: Path) -> None:
    stale = (killed / "session.json").read_text()
    resumed(killed)
    before = Session.open(killed)
    (killed / "session.json").write_text(stale)
    assert Session.open(killed) == before
    findings = check_session(killed)
    assert findings.problems == {}
    assert "session.json lags behind by 1 of the 4 commit records, which hold" in findings.notes


def test_only_who_was_taken_over_is_told(killed: Path) -> None:
    check_owner(killed, RUN)
    resumed(killed)
    check_owner(killed, LATER)
    with pytest.raises(FencedError, match=f"another run, {LATER}, has taken"):
        check_owner(killed, RUN)
    (killed / "session.json").unlink()
    check_owner(killed, RUN)


def test_older_sessions_cannot_be_taken_over(session_copy: Path) -> None:
    edit_header(session_copy, lambda header: header.pop("runs"))
    with pytest.raises(SessionError, match="made by an older version of cutweb"):
        resumed(session_copy)
    assert len(Session.open(session_copy).epochs) == 3


def test_what_was_made_in_one_piece_cannot_be_taken_over(session_copy: Path) -> None:
    with pytest.raises(SessionError, match="made in one piece"):
        resumed(session_copy)
    assert Session.open(session_copy).ended is not None


def test_a_run_that_cannot_be_named(killed: Path) -> None:
    header = Session.open(killed).header
    (killed / "epochs" / "000004.json").write_text("{")
    with pytest.raises(FencedError, match="one that cannot be read, has taken"):
        commit(killed, header, 6, [])


def half_done(path: Path) -> Crawl:
    """A crawl with an epoch that is committed and another that all ranks have closed, and a third begun."""
    crawl = Crawl(path, ranks=1)
    first = crawl.ranks[0]
    first.discover([HOME, *PAGES[:2], LOST[0]])
    first.fetch(HOME, b"home", links=[(PAGES[0], 0)])
    crawl.commit()
    first.fetch(PAGES[0], b"page")
    return crawl


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files of what has crashed
@pytest.mark.parametrize("forgets", [False, True])
def test_a_crash_while_an_epoch_is_committed_loses_it_whole_or_not_at_all(tmp_path: Path, forgets: bool) -> None:
    pages, is_done = [], False
    while not is_done:
        fuse = len(pages)
        crawl = half_done(tmp_path / str(fuse))
        is_done = CrashingMachine(crawl.path, fuse, forgets=forgets).survives(crawl.commit)
        crawl.close()
        pages.append(len(Session.open(crawl.path).read("pages")))
        again = GoingOn(crawl.path, LATER, ranks=1)
        left = [url for url in (PAGES[0], PAGES[1], LOST[0]) if pages[-1] == 1 or url != PAGES[0]]
        again.ranks[0].take_back(left)
        for url in left:
            again.ranks[0].fetch(url, b"page")
        again.end("complete")
        again.close()
        findings = check_session(crawl.path)
        assert findings.problems == {}
        assert not [note for note in findings.notes if "not committed" in note]
        assert findings.checked["pages"] == 4
    assert (pages[0], pages[-1]) == (1, 2)
    assert set(pages) == {1, 2}
    assert len(pages) > 8


@pytest.mark.parametrize("forgets", [False, True])
def test_a_crash_while_a_session_is_taken_over_and_cut_loses_nothing(tmp_path: Path, forgets: bool) -> None:
    crawl = half_done(tmp_path / "crawl")
    crawl.end("signal")
    crawl.ranks[0].fetch(PAGES[1], b"page")
    crawl.ranks[0].recorder.close_epoch()
    crawl.close()
    (crawl.path / "rank-0000" / f".scratch-{RUN}").mkdir()
    (crawl.path / "rank-0000" / f".scratch-{RUN}" / "seen.0").write_bytes(b"x")
    whole = Session.open(crawl.path)
    fuse, is_done = 0, False
    runs = []
    while not is_done:
        path = Path(shutil.copytree(crawl.path, tmp_path / str(fuse)))
        is_done = CrashingMachine(path, fuse, forgets=forgets).survives(partial(GoingOn, path, "one", 1))
        session = Session.open(path)
        runs.append(len(session.runs))
        assert (session.ended is None) == (len(session.runs) == 2)
        for table in ("pages", "urls", "links"):
            assert session.read(table) == whole.read(table)
        resumed(path)
        truncate_to_commit(Session.open(path))
        findings = check_session(path)
        assert findings.problems == {}
        assert not [note for note in findings.notes if RUN in note]
        assert not (path / "rank-0000" / f".scratch-{RUN}").exists()
        fuse += 1
    assert (runs[0], runs[-1]) == (1, 2)
    assert set(runs) == {1, 2}
    assert fuse > 12
