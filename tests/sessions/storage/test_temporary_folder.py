"""Folders that are gone when a work ends."""

import signal
import tempfile
from pathlib import Path

import pytest

from sessions.storage import temporary_folder
from sessions.storage.temporary_folder import leave_nothing, passing, scratch_folder


def fill(folder: Path) -> None:
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "file").write_text("anything")


def test_a_scratch_folder_lies_where_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    with scratch_folder(".maps-", tmp_path) as here, scratch_folder(".maps-") as there, scratch_folder(".maps-") as too:
        assert [folder.parent for folder in (here, there, too)] == [tmp_path, *2 * [tmp_path / "temporary"]]
        assert len({here.name, there.name, too.name}) == 3
        for folder in (here, there, too):
            assert folder.name.startswith(".maps-")
            fill(folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["temporary"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_it_is_gone_after_a_failure(tmp_path: Path, error: type[BaseException]) -> None:
    def fail() -> None:
        with scratch_folder("x", tmp_path) as folder:
            fill(folder)
            raise error

    with pytest.raises(error):
        fail()
    assert not any(tmp_path.iterdir())


def test_parents_go_if_nothing_else_is_in_them(tmp_path: Path) -> None:
    parents = [tmp_path / "a" / "b", tmp_path / "a"]
    with passing(tmp_path / "a" / "b" / "c", parents):
        fill(tmp_path / "a" / "b" / "c")
        (tmp_path / "a" / "other").touch()
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "a", tmp_path / "a" / "other"]


def test_what_was_never_made_or_has_moved_is_no_matter(tmp_path: Path) -> None:
    with passing(tmp_path / "never"):
        pass
    with scratch_folder("x", tmp_path) as folder:
        fill(folder)
        folder.rename(tmp_path / "moved")
    assert [path.name for path in tmp_path.iterdir()] == ["moved"]


def test_all_that_stands_can_be_removed_at_once(tmp_path: Path) -> None:
    with scratch_folder("x", tmp_path) as outer, passing(tmp_path / "a" / "b", [tmp_path / "a"]):
        fill(tmp_path / "a" / "b")
        fill(outer)
        leave_nothing()
        assert not any(tmp_path.iterdir())
    leave_nothing()


def test_a_signal_waits_until_all_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*_: object) -> None:
        raise SystemExit

    def remove_slowly(folder: Path, **how: bool) -> None:
        signal.raise_signal(signal.SIGUSR2)
        remove(folder, **how)

    remove = temporary_folder.shutil.rmtree
    monkeypatch.setattr(temporary_folder.shutil, "rmtree", remove_slowly)
    before = signal.signal(signal.SIGUSR2, leave)
    try:
        with pytest.raises(SystemExit), scratch_folder("x", tmp_path) as folder:
            fill(folder)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert not any(tmp_path.iterdir())
