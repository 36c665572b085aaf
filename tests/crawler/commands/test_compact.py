"""``cutweb compact``: what it says, and when it refuses."""

import os
from pathlib import Path

from click.testing import CliRunner

from crawler.commands.compact import compact
from crawler.monitoring.signs_of_life import Sign, begin_signs, write_sign
from crawler.process.process_tree import process_tree
from sessions.checking.check import check_session
from sessions.session import Session, record_numbers
from tests.sessions.support.builder import RUN, small_session


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
    (this,) = process_tree(os.getpid())[:1]
    begin_signs(path, RUN)
    write_sign(path, RUN, 0, Sign(os.uname().nodename, process=this))
    code, said = ran(str(path))
    assert code == 2
    assert "compact the session when no crawl runs on it" in said
    assert len(said.splitlines()) == 1
    assert len(record_numbers(path)) == 3
    write_sign(path, RUN, 0, Sign(os.uname().nodename, process=(1 << 30, 5)))
    assert ran(str(path))[0] == 0
    assert len(record_numbers(path)) == 1


def test_what_is_no_session_is_told_in_a_line(tmp_path: Path) -> None:
    code, said = ran(str(tmp_path))
    assert code == 2
    assert said.endswith(f"is {tmp_path} a session?\n")
