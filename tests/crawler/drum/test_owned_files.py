"""The files of one DRUM: those of an earlier process go, and the folder comes with the first."""

from pathlib import Path

from crawler.drum.owned_files import OwnFiles


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def make(folder: Path, *files: str) -> None:
    for name in files:
        (folder / name).write_bytes(b"0123456789")


def test_at_the_start_files_of_this_name_go_and_no_others(tmp_path: Path) -> None:
    others = ["x.blobs", "xy.000001.aux", "x-y.000001.sorted", "y.000001.records"]
    make(tmp_path, "x.000000.0001.aux", "x.000000.0001.records", "x.000003.sorted", *others)
    OwnFiles(tmp_path, "x")
    assert names(tmp_path) == sorted(others)


def test_files_that_were_read_to_their_end_are_removed(tmp_path: Path) -> None:
    own = OwnFiles(tmp_path, "x")
    make(tmp_path, "x.1.sorted", "x.2.sorted")
    own.remove([own.path("1.sorted"), own.path("0.sorted")])
    assert names(tmp_path) == ["x.2.sorted"]


def test_the_folder_is_made_for_the_first_file(tmp_path: Path) -> None:
    own = OwnFiles(tmp_path / "a", "x")
    assert own.path("1.sorted") == tmp_path / "a" / "x.1.sorted"
    assert names(tmp_path) == []
    own.make_folder()
    own.make_folder()
    assert names(tmp_path) == ["a"]
