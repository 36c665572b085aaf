"""``cutweb compact``: what it says, and when it refuses."""

import os
import time
from pathlib import Path

from click.testing import CliRunner

from crawler.commands.compact import compact
from sessions.checking.check import check_session
from sessions.session import Session, record_numbers
from tests.sessions.support.builder import small_session


def ran(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(compact, arguments)
    return done.exit_code, done.output


def test_it_says_what_was_done(tmp_path: Path) -> None:
    small_session(tmp_path / "session")
    before = len(Session.open(tmp_path / "session").table_files())
    code, said = ran(str(tmp_path / "session"))
    files = len(Session.open(tmp_path / "session").table_files())
    assert code == 0
    assert said == f"{tmp_path / 'session'}: {before} table files are {files} now, 3 commit records 1\n"
    assert check_session(tmp_path / "session").is_good


def test_not_while_a_crawl_runs_on_it(tmp_path: Path) -> None:
    path = tmp_path / "session"
    small_session(path, None)
    (path / "live.json").write_text("{}")
    code, said = ran(str(path))
    assert code == 2
    assert "compact the session when no crawl runs on it" in said
    assert len(said.splitlines()) == 1
    assert len(record_numbers(path)) == 3
    os.utime(path / "live.json", (0, time.time() - 3600))
    assert ran(str(path))[0] == 0
    assert len(record_numbers(path)) == 1


def test_what_is_no_session_is_told_in_a_line(tmp_path: Path) -> None:
    code, said = ran(str(tmp_path))
    assert code == 2
    assert said.endswith(f"is {tmp_path} a session?\n")
