"""Errors that name their file."""

import errno
import os
from pathlib import Path

import pytest

from sessions.storage.os_errors import naming


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
