"""The files of one DRUM: what a commit names is kept, all else goes."""

from pathlib import Path

import pytest

from crawler.drum.owned_files import OwnFiles
from sessions.session import SessionError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def make(folder: Path, *files: str) -> None:
    for name in files:
        (folder / name).write_bytes(b"0123456789")


def test_at_the_start_unknown_files_go_and_known_ones_are_cut_off(tmp_path: Path) -> None:
    others = ["x.blobs", "xy.000001.log", "x-y.000001.sorted", "y.000001.log"]
    make(
        tmp_path,
        "x.000001.log",
        "x.000002.log",
        "x.000000.0001.aux",
        "x.000000.0001.records",
        "x.000003.sorted",
        *others,
    )
    OwnFiles(tmp_path, "x", {"x.000002.log": 4, "x.000003.sorted": 10})
    assert names(tmp_path) == sorted(["x.000002.log", "x.000003.sorted", *others])
    assert (tmp_path / "x.000002.log").read_bytes() == b"0123"
    assert (tmp_path / "x.000003.sorted").read_bytes() == b"0123456789"


@pytest.mark.parametrize("there", [True, False])
def test_a_file_that_is_gone_or_shorter_is_named_and_nothing_is_touched(tmp_path: Path, there: bool) -> None:
    make(tmp_path, "x.000002.log", *(["x.000003.sorted"] if there else []))
    with pytest.raises(SessionError, match=rf"x\.000003\.sorted: {10 * there} bytes, but 11 were committed"):
        OwnFiles(tmp_path, "x", {"x.000003.sorted": 11})
    assert "x.000002.log" in names(tmp_path)


def test_superseded_files_go_when_no_record_names_them(tmp_path: Path) -> None:
    make(tmp_path, "x.1.log", "x.2.log", "x.3.log")
    own = OwnFiles(tmp_path, "x", {"x.1.log": 10})
    make(tmp_path, "x.2.log", "x.3.log")
    own.supersede([tmp_path / "x.2.log"])
    assert names(tmp_path) == ["x.1.log", "x.3.log"]
    own.supersede([tmp_path / "x.1.log"])
    own.hand_out(["x.3.log"])
    own.supersede([tmp_path / "x.3.log"])
    assert names(tmp_path) == ["x.1.log", "x.3.log"]
    own.committed(["x.3.log"])
    assert names(tmp_path) == ["x.3.log"]
    own.committed([])
    assert names(tmp_path) == []


def test_the_folder_is_made_for_the_first_file(tmp_path: Path) -> None:
    own = OwnFiles(tmp_path / "a", "x", {})
    path = own.path("1.log")
    assert path == tmp_path / "a" / "x.1.log"
    assert names(tmp_path) == []
    own.about_to_write(path)
    path.write_bytes(b"")
    own.hand_out([path.name])
    assert names(tmp_path / "a") == ["x.1.log"]
