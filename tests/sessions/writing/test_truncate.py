"""What earlier runs left is cut off; what is committed, or somebody else's, stays."""

import errno
import os
from pathlib import Path
from unittest import mock

import pytest

from sessions.checking.check import check_session
from sessions.session import Session, SessionError
from sessions.writing import truncate
from sessions.writing.commit import fence_and_take_over
from sessions.writing.truncate import rank_folders, truncate_to_commit
from tests.sessions.support.builder import HOME, PAGES, RUN, Crawl

LATER = "29990101T000000-aaaaaa"
STAYS = ["seeds.txt", "log/rank-0000.jsonl", "report/index.html", "rank-0000/notes.txt", "session.json"]
"""What no run of the crawler made as part of the session, and its own files."""
GOES = [
    f"rank-0000/.links-{RUN}.partial",
    f"rank-0001/pages-000009-{RUN}.parquet",
    f"rank-0001/.scratch-{RUN}/seen.0.3.bucket",
    f"rank-0001/{RUN}-0001-00007.warc.gz",
    f"epochs/.000009.json.{RUN}.partial",
    f".session.json.{RUN}.partial",
    ".session.json.20260101T000000-000000.abcdef.partial",
    "epochs/.000003.json.20260101T000000-000000.abcdef.partial",
]


@pytest.fixture
def left(tmp_path: Path) -> Session:
    """A session that was taken over, with all that a run may leave behind."""
    crawl = Crawl(tmp_path / "session")
    crawl.ranks[0].discover([HOME, *PAGES])
    crawl.ranks[0].fetch(HOME, b"home")
    crawl.end("signal")
    crawl.close()
    for name in (*STAYS, *GOES):
        path = crawl.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(b"x")
    with Session.open(crawl.path).warc_files()[0].path.open("ab") as file:
        file.write(b"the tail of a record")
    fence_and_take_over(Session.open(crawl.path), run=LATER, ranks=2, assignment="page-hash", configuration={})
    (crawl.path / "rank-0000" / f".scratch-{LATER}").mkdir()
    return Session.open(crawl.path)


def test_what_goes_and_what_stays(left: Session) -> None:
    (frontier,) = (left.path / "rank-0000").glob("frontier-*")
    committed = {file.path for file in left.table_files()} | {file.path for file in left.warc_files()}
    truncate_to_commit(left)
    assert not frontier.exists()
    assert not [name for name in GOES if (left.path / name).exists()]
    assert not (left.path / "rank-0001" / f".scratch-{RUN}").exists()
    assert all((left.path / name).exists() for name in STAYS)
    assert (left.path / "rank-0000" / f".scratch-{LATER}").is_dir()
    assert len(committed) == 3
    assert all(path.exists() for path in committed)
    assert len(list((left.path / "epochs").iterdir())) == 3
    assert all(file.path.stat().st_size == file.bytes for file in left.warc_files())
    assert check_session(left.path).problems == {}


def test_doing_it_again_changes_nothing(left: Session) -> None:
    truncate_to_commit(left)
    before = {path: path.stat().st_mtime_ns for path in left.path.rglob("*") if path.is_file()}
    truncate_to_commit(left)
    assert {path: path.stat().st_mtime_ns for path in left.path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("length", [None, 7])
def test_a_warc_file_that_lost_something_is_told_and_nothing_is_cut(left: Session, length: int | None) -> None:
    (warc,) = left.warc_files()
    if length is None:
        warc.path.unlink()
    else:
        warc.path.write_bytes(b"x" * length)
    with pytest.raises(SessionError, match=f"{length or 0} bytes; {warc.bytes:,} were committed"):
        truncate_to_commit(left)
    assert all((left.path / name).exists() for name in GOES)


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_named_and_leaves_nothing_half_written(left: Session) -> None:
    (warc,) = left.warc_files()
    before = warc.path.read_bytes()
    with mock.patch("os.fsync", full), pytest.raises(OSError, match="No space left") as raised:
        truncate_to_commit(left)
    assert str(raised.value.filename) == str(left.path), "a folder"
    with (
        mock.patch.object(truncate, "sync_folder"),
        mock.patch("os.fsync", full),
        pytest.raises(OSError, match="No space left") as raised,
    ):
        truncate_to_commit(left)
    assert str(raised.value.filename) == str(warc.path.with_name(f".{warc.path.name}.partial"))
    assert not list(warc.path.parent.glob("*.gz.partial"))
    assert warc.path.read_bytes() == before


def test_folders_of_ranks(tmp_path: Path) -> None:
    for name in ("rank-0010", "rank-0002", "rank-notes", "epochs"):
        (tmp_path / name).mkdir()
    (tmp_path / "rank-0003").write_text("a file")
    assert [path.name for path in rank_folders(tmp_path)] == ["rank-0002", "rank-0010"]
