"""A rank that never comes: the others, and who has started them, give up after --start-seconds, and name it."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from crawler.launch.start_ranks import MPIEXEC_VARIABLE
from tests.mpi.conftest import ROOT

PATIENCE_SECONDS = 60
NEVER = "import time; time.sleep(3600)"
THIS = [sys.executable, "-P", "-m", "cutweb"]


def crawl_words(out: Path, *more: str) -> list[str]:
    words = ["crawl", "http://127.0.0.1:9/", "--ranks", "3", "--max-pages", "1", "--start-seconds", "2"]
    return [*words, "--out", str(out), *more]


def run(command: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        check=False,
    )


def assert_names_the_last(done: subprocess.CompletedProcess[str]) -> None:
    """One line of ours says that the last rank has not come; a slow machine may keep others from coming in time."""
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("cutweb crawl: ")]
    assert re.search(r"after 2 s \(--start-seconds\) [0-2] of 3 ranks have come\b.*, not (\d, )*2: ", line)


@pytest.fixture
def lacking_one(mpiexec: str, tmp_path: Path) -> Path:
    """An mpiexec under which the last rank never begins to be one."""
    script = tmp_path / "mpiexec"
    never = f'{sys.executable} -c "{NEVER}"'
    script.write_text(f'#!/bin/sh\nshift 2\nexec {mpiexec} -n 2 "$@" : -n 1 {never}\n')
    script.chmod(0o755)
    return script


def test_who_has_started_the_ranks_names_the_one_that_is_missing(lacking_one: Path, tmp_path: Path) -> None:
    out = tmp_path / "session"
    done = run([*THIS, *crawl_words(out)], **{MPIEXEC_VARIABLE: str(lacking_one)})
    assert done.returncode == 2
    assert_names_the_last(done)
    assert os.listdir(tmp_path) == ["mpiexec"]


def test_under_another_mpiexec_ranks_end_themselves(lacking_one: Path, tmp_path: Path) -> None:
    done = run([str(lacking_one), "-n", "3", *THIS, *crawl_words(tmp_path / "session")])
    assert done.returncode != 0
    assert_names_the_last(done)
    assert os.listdir(tmp_path) == ["mpiexec"]


def test_a_configuration_file_may_say_it(lacking_one: Path, tmp_path: Path) -> None:
    config, words = tmp_path / "crawl.toml", ["crawl", "http://127.0.0.1:9/", "--ranks", "3", "--config"]
    config.write_text(f'out = "{tmp_path / "session"}"\nstart_seconds = 2\n')
    done = run([str(lacking_one), "-n", "3", *THIS, *words, str(config)])
    assert_names_the_last(done)


def test_ranks_that_have_all_come_leave_nothing(mpiexec: str, tmp_path: Path) -> None:
    """A start that an earlier one's leftovers do not mislead."""
    left = tmp_path / ".cutweb-arrivals-session"
    left.mkdir()
    (left / "7").write_text("host")
    words = crawl_words(tmp_path / "session", "--seeds", str(tmp_path / "none"), "--start-seconds", "100")
    for command in ([mpiexec, "-n", "3", *THIS, *words], [*THIS, *words]):
        done = run(command)
        assert (done.returncode, "--seeds" in done.stderr) == (2, True), done.stderr
        assert os.listdir(tmp_path) == []
