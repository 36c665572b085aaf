"""A folder that is there whole or not at all."""

from pathlib import Path

import pytest

from sessions.session import SessionError
from sessions.writing.atomic_folder import whole_folder


def fill(folder: Path) -> None:
    with whole_folder(folder) as partial:
        (partial / "below").mkdir()
        (partial / "below" / "file").write_text("whole")
        assert not folder.exists() or not any(folder.iterdir())


@pytest.mark.parametrize("name", ["new", "a/b/new", "empty", "link"])
def test_it_gets_its_name_when_it_is_whole(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty", target_is_directory=True)
    fill(tmp_path / name)
    assert (tmp_path / name / "below" / "file").read_text() == "whole"
    assert not list(tmp_path.rglob("*.partial"))


def test_the_folder_that_one_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    fill(Path())
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    assert (tmp_path / "here" / "below" / "file").exists()


def fail(folder: Path, error: type[BaseException]) -> None:
    with whole_folder(folder) as partial:
        (partial / "file").write_text("half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("name", ["new", "a/b/new", "empty"])
def test_nothing_is_left_of_what_failed(tmp_path: Path, error: type[BaseException], name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(error):
        fail(tmp_path / name, error)
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_a_place_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder, told in ((tmp_path / "file", "is a file"), (tmp_path, "not empty")):
        with pytest.raises(SessionError, match=told):
            fill(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_place_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="Not a directory") as caught:
        fill(tmp_path / "file" / "new")
    assert caught.value.filename == str(tmp_path / "file" / "new")


def test_an_error_of_something_else_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, whole_folder(tmp_path / "new"):
        (tmp_path / "none").read_text()
    assert caught.value.filename == str(tmp_path / "none")
    assert not any(tmp_path.iterdir())
