"""The file operations."""

from pathlib import Path

import pytest

from crawler.drum import disk_files


def test_files_are_written_made_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    disk_files.make_folder(folder)
    disk_files.make_folder(folder)
    path = folder / "x"
    disk_files.write_at(path, 0, b"abcdef")
    disk_files.write_at(path, 6, b"ghi")
    assert path.read_bytes() == b"abcdefghi"
    disk_files.write_at(path, 4, b"")
    assert path.read_bytes() == b"abcdefghi"
    disk_files.remove(path)
    disk_files.remove(path)
    assert not path.exists()


def test_no_folder_is_made_in_one_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        disk_files.make_folder(tmp_path / "session" / "rank")
    assert not (tmp_path / "session").exists()


def test_a_full_disk_is_reported_with_the_name_of_the_file() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        disk_files.write_at(Path("/dev/full"), 0, b"x")
