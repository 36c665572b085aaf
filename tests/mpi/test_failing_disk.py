"""Crawls whose disk is full, read-only, or gone: they end in order, and what was committed is kept."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.checking.check import check_session
from sessions.localweb.generate.make import MadeWeb
from sessions.session import Session
from tests.mpi.conftest import Run, environment
from tests.mpi.search import pages_by_search

FAILING = str(Path(__file__).parent / "failing_disk.py")
ON_DISK = ["--seen-memory", "0.0001", "--frontier-memory", "0.0001", "--epoch-seconds", "0.2"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for some of the web's pages."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("a file system of its own can be mounted by root only")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def last_words(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What the ranks of a crawl said that could not go on."""
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("cutweb crawl: rank ")]
    assert said, done.stderr
    return said


def run_failing(run_ranks: Run, crawl_arguments: list[str], ranks: int, word: str, number: int, out: Path) -> list[str]:
    """Crawl until the disk fails; what was said then."""
    arguments = [*crawl_arguments[2:], *ON_DISK, "--out", str(out)]
    return last_words(run_ranks(ranks, FAILING, word, str(number), str(out), *arguments))


@pytest.mark.parametrize(
    ("ranks", "word", "number"),
    [
        (3, "rank-0001/.links-", errno.EDQUOT),
        (3, ".sorted", errno.EIO),
        (1, ".urls", errno.EROFS),
        (1, "session.json", errno.ENOSPC),
        (1, "epochs/.", errno.EROFS),
    ],
)
def test_whatever_cannot_be_written_ends_a_crawl_with_a_line_that_says_so(
    run_ranks: Run, crawl_arguments: list[str], tmp_path: Path, ranks: int, word: str, number: int
) -> None:
    out = tmp_path / "session"
    said = run_failing(run_ranks, crawl_arguments, ranks, word, number, out)
    session = Session.open(out)
    assert word in said[0]
    for line in said:
        assert os.strerror(number) in line
        assert "everything up to epoch " in line
        assert line.endswith(f" is kept; once that is mended, go on with: cutweb crawl --resume {out}")
    assert session.ended is None
    assert check_session(out).problems == {}


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_session_that_is_gone_does_not_come_into_being_again(
    run_ranks: Run, crawl_arguments: list[str], tmp_path: Path, ranks: int
) -> None:
    out = tmp_path / "session"
    said = run_failing(run_ranks, crawl_arguments, ranks, "gone", 0, out)
    assert "No such file or directory" in said[0]
    assert not out.exists()


def test_a_crawl_goes_on_once_there_is_room(
    run_ranks: Run, crawl_arguments: list[str], made: MadeWeb, small_disk: Path
) -> None:
    out = small_disk / "session"
    arguments = [*crawl_arguments, "--ranks", "3", "--epoch-seconds", "0.2", "--out", str(out)]
    said = last_words(subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment()))
    assert all("No space left on device" in line for line in said)
    assert check_session(out).problems == {}
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    done = run_ranks(3, "-m", "crawler", "crawl", "--resume", str(out))
    assert done.returncode == 0, done.stderr
    assert sorted(Session.open(out).read("pages", ["url"])["url"].to_pylist()) == sorted(pages_by_search(made))
    assert check_session(out).problems == {}
