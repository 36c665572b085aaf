"""Files by which ranks give signs of life."""

import os
from pathlib import Path

import pytest

from crawler.monitoring.signs_of_life import FOLDER, Sign, begin_signs, end_sign, read_sign, write_sign

SIGN = Sign("node1", 3, 2, 41, True, "record", 7.5)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    begin_signs(tmp_path, "run")
    write_sign(tmp_path, "run", 0, SIGN._replace(host="a-very-long-name-of-a-host" * 4, stage="exchange"))
    write_sign(tmp_path, "run", 0, SIGN)
    assert read_sign(tmp_path, "run", 0) == SIGN
    assert read_sign(tmp_path, "run", 1) is None
    assert read_sign(tmp_path, "another", 0) is None


def test_it_is_overwritten_in_place(tmp_path: Path) -> None:
    """A file that is renamed into place is found late where NFS caches the folder."""
    begin_signs(tmp_path, "run")
    write_sign(tmp_path, "run", 0, SIGN)
    (path,) = (tmp_path / FOLDER).iterdir()
    before = path.stat()
    write_sign(tmp_path, "run", 0, SIGN._replace(beat=1 << 40))
    assert (path.stat().st_ino, path.stat().st_size) == (before.st_ino, before.st_size)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"host": 1', '{"host": "a", "beat": "x"}'])
def test_what_is_no_sign_is_none(tmp_path: Path, text: str) -> None:
    begin_signs(tmp_path, "run")
    write_sign(tmp_path, "run", 0, SIGN)
    (path,) = (tmp_path / FOLDER).iterdir()
    path.write_text(text)
    assert read_sign(tmp_path, "run", 0) is None


def test_nothing_stays(tmp_path: Path) -> None:
    begin_signs(tmp_path, "killed")
    write_sign(tmp_path, "killed", 0, SIGN)
    begin_signs(tmp_path, "run")
    for rank in range(2):
        write_sign(tmp_path, "run", rank, SIGN)
    assert len(os.listdir(tmp_path / FOLDER)) == 2
    end_sign(tmp_path, "run", 1)
    end_sign(tmp_path, "run", 0)
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_is_gone_does_not_come_into_being_again(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    begin_signs(gone, "run")
    write_sign(gone, "run", 0, SIGN)
    end_sign(gone, "run", 0)
    assert not gone.exists()
