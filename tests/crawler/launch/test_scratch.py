"""A rank's scratch folder."""

import os
from pathlib import Path

import pytest

from crawler.config.command_line import UsageError
from crawler.launch.scratch import check_scratch, problem_with, remove_left_by, scratch_of


def test_without_a_disk_of_its_own_it_lies_in_the_session(tmp_path: Path) -> None:
    (tmp_path / "rank-0003").mkdir()
    with scratch_of(tmp_path, 3, "run") as folder:
        (folder / "queue").write_text("x")
        assert folder == tmp_path / "rank-0003" / ".scratch-run"
    assert list((tmp_path / "rank-0003").iterdir()) == []


def test_on_a_disk_of_its_own_it_carries_run_and_rank(tmp_path: Path) -> None:
    with scratch_of(tmp_path / "session", 3, "run", tmp_path / "disk") as folder:
        (folder / "queue").write_text("x")
        assert folder == tmp_path / "disk" / "cutweb-run-0003"
    assert list((tmp_path / "disk").iterdir()) == []
    assert not (tmp_path / "session").exists()


def test_it_is_removed_when_a_run_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyError), scratch_of(tmp_path / "session", 0, "run", tmp_path):
        raise KeyError(1)
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), scratch_of(tmp_path / "session", 0, "run"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_killed_runs_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in ("cutweb-run1-0000", "cutweb-run1-0001", "cutweb-run2-0000", "cutweb-run3-0000", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "queue").write_text("x")
    remove_left_by(["run1", "run2"], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cutweb-run3-0000", "other"]
    remove_left_by(["run1"], None)


def test_a_disk_that_can_be_written_to_is_no_problem(tmp_path: Path) -> None:
    assert problem_with(None) is None
    assert problem_with(tmp_path) is None
    assert problem_with(tmp_path / "yet") is None
    assert list(tmp_path.iterdir()) == []


def test_a_disk_whose_parent_is_not_there_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "not" / "mounted"
    assert problem_with(place) == f"{place}: there is no folder {tmp_path / 'not'} to make it in"
    assert list(tmp_path.iterdir()) == []


def test_one_that_cannot_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        assert problem_with(place) == f"{place}: Not a directory"
    assert problem_with(Path("/proc/self/fd")) is not None
    os.symlink(tmp_path / "nowhere", tmp_path / "link")
    assert problem_with(tmp_path / "link") is not None


def test_a_rank_with_a_problem_is_named() -> None:
    check_scratch([])
    check_scratch([None, None])
    with pytest.raises(UsageError, match=r"^--scratch x: full \(found by rank 1 of 3\)"):
        check_scratch([None, "x: full", None])
    with pytest.raises(UsageError, match=r"^--scratch x: full: name"):
        check_scratch(["x: full"])
