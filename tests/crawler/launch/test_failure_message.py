"""What is said of a run that cannot go on."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from crawler.launch.failure_message import reason_of, what_is_left
from sessions.session import SessionError
from sessions.writing.commit import FencedError, claim, commit

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "some/file")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FULL, "some/file: No space left on device"),
        (OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), "Disk quota exceeded"),
        (FencedError("s: another run"), "s: another run"),
        (SessionError("s: damaged"), "s: damaged"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), None),
        (OSError("without a number"), None),
        (KeyError("x"), None),
        (KeyboardInterrupt(), None),
    ],
)
def test_files_are_to_blame_or_the_program(error: BaseException, reason: str | None) -> None:
    assert reason_of(error) == reason


def begin(out: Path, *, epochs: int, seeds: tuple[str, ...]) -> Path:
    header = claim(out, run="run", ranks=1, assignment="page-hash", configuration={}, seeds=seeds)
    entries: list[dict[str, Any]] = [{"tables": {}, "warc": [], "report": {}}]
    for _ in range(epochs):
        commit(out, header, 1, entries)
    return out


def test_what_is_kept_and_how_to_go_on_is_said(tmp_path: Path) -> None:
    crawl = begin(tmp_path / "crawl", epochs=2, seeds=("http://a.example/",))
    further = "; once that is mended, go on with: cutweb crawl --resume"
    assert what_is_left(FULL, crawl) == f"; everything up to epoch 2 is kept{further} {crawl}"
    young = begin(tmp_path / "young", epochs=0, seeds=("http://a.example/",))
    assert what_is_left(FULL, young) == f"; no epoch was committed{further} {young}"
    replay = begin(tmp_path / "replay", epochs=1, seeds=())
    assert what_is_left(FULL, replay) == "; everything up to epoch 1 is kept"


def test_of_what_is_gone_or_another_runs_nothing_is_promised(tmp_path: Path) -> None:
    assert what_is_left(FULL, None) == ""
    assert what_is_left(FencedError("s: another run"), begin(tmp_path / "s", epochs=1, seeds=())) == ""
    assert what_is_left(FULL, tmp_path / "gone").startswith("; the session cannot be read any more (")
