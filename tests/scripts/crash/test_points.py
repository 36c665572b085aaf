"""Crawls that are killed before one in three of their file operations, and resumed.

`make test-long` tries all operations, `make crash` in more ways.
"""

import errno
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import pytest

from scripts.crash.full_disk import BARE, CHANCE, LIVE, NAMES, Disk
from scripts.crash.journal import Journal
from scripts.crash.points import (
    BEGIN,
    COMMIT,
    END,
    SESSION,
    TAKE_OVER,
    Point,
    Scene,
    around,
    faults_of_failing,
    state_at,
)
from scripts.crash.tiny_crawl import begin, go_on
from scripts.crash.verdict import Found
from sessions.session import Session
from sessions.storage import durable_json
from sessions.writing import commit, merging


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What an undisturbed crawl finds."""
    folder = tmp_path_factory.mktemp("undisturbed")
    begin(folder / "session")
    return Found.of(Session.open(folder / "session"))


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A crawl from nothing to its end."""
    folder = tmp_path_factory.mktemp("new")
    (folder / "nothing").mkdir()
    return Scene("new", folder / "nothing", begin).play(folder / "played")


@pytest.fixture(scope="module")
def killed(new: Scene, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A crawl that goes on with one which was killed when it was about to commit its second epoch."""
    folder = tmp_path_factory.mktemp("killed")
    last = next(point for point in new.points() if new.is_of_record(point, 2))
    start = state_at(new, last, folder / "start")
    return Scene("killed", start, lambda out, journal: go_on(out, journal=journal)).play(folder / "played")


def steps(new: Scene, killed: Scene, every: int = 1) -> list[tuple[Scene, list[Point]]]:
    """All points of a begin, of a take-over, of the first commit and of the end, or only ``every`` so many-th."""
    points = new.points()
    commits = [point for point in around(points, (COMMIT,)) if point.epochs == 0]
    own = [*around(points, (BEGIN,)), *commits, *around(points, (END,))]
    return [(new, own[::every]), (killed, around(killed.points(), (TAKE_OVER,))[::every])]


def faults(new: Scene, killed: Scene, expected: Found, folder: Path, what: str, every: int = 1) -> list[str]:
    """What is wrong after any of them."""
    return [
        f"{scene.name} {point.told(scene.operations)}: {fault}"
        for scene, points in steps(new, killed, every)
        for point, found in scene.judged(expected, points, folder / "left", what)
        for fault in found
    ]


def test_the_journal_tells_of_every_change(new: Scene, killed: Scene) -> None:
    assert new.unseen == []
    assert killed.unseen == []
    count = {phase: len(around(new.points(), (phase,))) for phase in (BEGIN, COMMIT, END)}
    assert count[BEGIN] >= 20
    assert count[COMMIT] >= 60
    assert count[END] >= 12
    assert len(around(killed.points(), (TAKE_OVER,))) >= 25


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_nothing_is_lost_by_a_kill_at_any_operation(
    new: Scene, killed: Scene, expected: Found, tmp_path: Path, every: int
) -> None:
    assert faults(new, killed, expected, tmp_path, LIVE, every) == []


@pytest.mark.long
def test_nothing_is_lost_by_a_power_cut_at_any_operation(
    new: Scene, killed: Scene, expected: Found, tmp_path: Path
) -> None:
    assert faults(new, killed, expected, tmp_path, BARE) == []


@pytest.mark.parametrize("what", [LIVE, BARE])
def test_nothing_is_lost_by_a_kill_while_small_files_are_merged(tmp_path: Path, expected: Found, what: str) -> None:
    """A crawl that merges and folds every second epoch, and does with those that go on with it."""
    (tmp_path / "nothing").mkdir()
    with mock.patch.object(merging, "MERGE_EVERY", 2):
        scene = Scene("merging", tmp_path / "nothing", lambda out, journal: begin(out, journal, epoch_seconds=1.0))
        scene.play(tmp_path / "played")
        merges = [point for point in around(scene.points(), (COMMIT,)) if point.epochs == 3]
        after = [point for point in scene.points() if point.epochs == 4][:24]
        assert any("pages-000002-000004-" in operation.target for operation in scene.operations)
        assert any(operation.path.endswith("epochs/000003.json") for operation in scene.operations)
        some = [*merges, *after][:: 7 if what == LIVE else 11]
        judged = scene.judged(expected, some, tmp_path / "left", what)
        assert [(point.told(scene.operations), found) for point, found in judged if found] == []
    assert scene.unseen == []


def test_nothing_is_lost_by_kills_at_the_begin_and_at_the_take_over(
    new: Scene, expected: Found, tmp_path: Path
) -> None:
    """From the moment at which there is a session and its seeds have no name."""
    instant = next(point for point in new.points() if (new.operations[point.number].target.endswith("seeds.txt")))
    start = state_at(new, instant, tmp_path / "start")
    assert not (start / SESSION / "seeds.txt").exists()
    again = Scene("again", start, lambda out, journal: go_on(out, journal=journal)).play(tmp_path / "played")
    points = around(again.points(), (TAKE_OVER,))
    assert [found for _, found in again.judged(expected, points, tmp_path / "left") if found] == []
    assert len(points) > 15


@pytest.mark.parametrize(
    ("number", "stays", "every"),
    [
        (errno.ENOSPC, True, 2),
        (errno.EIO, False, 3),
        pytest.param(errno.ENOSPC, True, 1, marks=pytest.mark.long),
        pytest.param(errno.EIO, False, 1, marks=pytest.mark.long),
    ],
)
def test_a_disk_that_fails_at_a_begin_or_take_over_costs_nothing_but_a_line(
    new: Scene, killed: Scene, expected: Found, tmp_path: Path, number: int, stays: bool, every: int
) -> None:
    for scene, points in ((new, around(new.points(), (BEGIN,))), (killed, around(killed.points(), (TAKE_OVER,)))):
        for before in scene.attempts(points[::every]):
            assert faults_of_failing(scene, before, number, expected, tmp_path / "left", stays=stays) == []


def test_what_is_not_brought_to_disk_is_missed(expected: Found, tmp_path: Path) -> None:
    """The judge finds a crawl out that syncs no folder."""
    (tmp_path / "nothing").mkdir()
    with mock.patch.object(commit, "sync_folder"), mock.patch.object(durable_json, "sync_folder"):
        careless = Scene("careless", tmp_path / "nothing", begin).play(tmp_path / "played")
    points = careless.points()[-1:]
    (found,) = [found for _, found in careless.judged(expected, points, tmp_path / "left", BARE)]
    assert found == ["4 epochs were committed, and there is no session"]


def left(folder: Path, script: Sequence[str], what: str) -> dict[str, str]:
    """What is in a folder after some operations and a kill or power cut."""
    before, journal = Disk(folder), Journal(folder)
    with journal.kept():
        for step in script:
            exec(step, {"folder": folder, "sync": durable_json.sync_folder})
    for operation in journal.operations:
        before.do(operation)
    assert before.differences(folder) == []
    before.leave(folder.with_name("left"), what)
    return {path.name: path.read_text() for path in folder.with_name("left").iterdir()}


WRITE = "with open(folder / 'new', 'w') as file: file.write('whole'); file.flush(); import os; os.fsync(file.fileno())"


@pytest.mark.parametrize(
    ("script", "what", "is_left"),
    [
        (["(folder / 'new').write_text('whole')"], LIVE, {"old": "old", "new": "whole"}),
        (["(folder / 'new').write_text('whole')"], BARE, {"old": "old"}),
        (["(folder / 'new').write_text('whole')"], NAMES, {"old": "old", "new": ""}),
        ([WRITE], BARE, {"old": "old"}),
        ([WRITE, "sync(folder)"], BARE, {"old": "old", "new": "whole"}),
        ([WRITE, "(folder / 'new').rename(folder / 'old')"], BARE, {"old": "old"}),
        ([WRITE, "(folder / 'new').rename(folder / 'old')"], NAMES, {"old": "whole"}),
        ([WRITE, "sync(folder)", "(folder / 'new').rename(folder / 'old')"], BARE, {"old": "old", "new": "whole"}),
        (["(folder / 'old').unlink()"], BARE, {"old": "old"}),
        (["(folder / 'old').unlink()", "sync(folder)"], BARE, {}),
        (["with open(folder / 'old', 'a') as file: file.write(' and new')"], BARE, {"old": "old"}),
        (["with open(folder / 'old', 'a') as file: file.write(' and new')"], LIVE, {"old": "old and new"}),
        (["import os; os.truncate(folder / 'old', 1)"], LIVE, {"old": "o"}),
        (["import shutil; (folder / 'a').mkdir(); shutil.rmtree(folder / 'a')"], CHANCE, {"old": "old"}),
    ],
)
def test_what_a_kill_and_a_power_cut_leave(
    tmp_path: Path, script: Sequence[str], what: str, is_left: dict[str, str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "old").write_text("old")
    assert left(folder, script, what) == is_left
