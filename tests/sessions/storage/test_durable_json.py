"""Files that are whole or not there, and disk errors that name theirs."""

import errno
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from unittest import mock

import pytest

from sessions.storage.durable_json import create, dumped, replace
from sessions.storage.os_errors import naming
from tests.sessions.support.crashing import CrashingMachine

Write = Callable[[Path, str, str], None]


def test_json_for_people() -> None:
    assert dumped({"a": [1]}) == '{\n "a": [\n  1\n ]\n}\n'


@pytest.mark.parametrize("write", [create, replace])
def test_nothing_else_is_left(tmp_path: Path, write: Write) -> None:
    write(tmp_path / "file", "text", "run")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "text")]


@pytest.mark.parametrize("write", [create, replace])
def test_a_full_disk_is_not_filled_with_what_is_of_no_use(tmp_path: Path, write: Write) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with mock.patch("os.fsync", side_effect=full), pytest.raises(OSError, match="No space left") as raised:
        write(tmp_path / "file", "text", "run")
    assert str(raised.value.filename).startswith(f"{tmp_path}/.file.run.")
    assert list(tmp_path.iterdir()) == []


def test_one_of_many_creates_it(tmp_path: Path) -> None:
    count = 8
    barrier = Barrier(count)

    def attempt(number: int) -> bool:
        barrier.wait()
        try:
            create(tmp_path / "file", f"text of {number}", f"run {number}")
        except FileExistsError:
            return False
        return True

    with ThreadPoolExecutor(count) as threads:
        made = list(threads.map(attempt, range(count)))
    assert made.count(True) == 1
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", f"text of {made.index(True)}")]


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(FileExistsError):
        create(tmp_path / "file", "new", "run")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_link_whose_answer_was_lost_is_made(tmp_path: Path) -> None:
    real = os.link

    def link(*arguments: Path) -> None:
        real(*arguments)
        raise FileExistsError

    with mock.patch.object(os, "link", link):
        create(tmp_path / "file", "text", "run")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["text"]


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("write", [create, replace])
def test_a_crash_leaves_it_whole_or_as_it_was(tmp_path: Path, write: Write, forgets: bool) -> None:
    seen, is_done = [], False
    while not is_done:
        fuse = len(seen)
        file = tmp_path / str(fuse) / "file"
        file.parent.mkdir()
        if write is replace:
            file.write_text("old")
        is_done = CrashingMachine(tmp_path, fuse, forgets=forgets).survives(partial(write, file, "new", "run"))
        seen.append(file.read_text() if file.exists() else "old")
    assert set(seen) == {"old", "new"}
    assert seen[0] == "old"
    assert seen[-1] == "new"


# Errors that name their file.


def test_an_error_without_a_file_gets_one(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"some\.warc") as raised, naming(tmp_path / "some.warc"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert raised.value.errno == errno.ENOSPC


def test_an_error_that_names_its_file_keeps_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised, naming(tmp_path / "some.warc"):
        (tmp_path / "another").read_bytes()
    assert raised.value.filename == str(tmp_path / "another")


def test_other_errors_pass(tmp_path: Path) -> None:
    with pytest.raises(KeyError), naming(tmp_path):
        raise KeyError(1)
