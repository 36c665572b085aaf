"""``cutweb compact``: what it says, and when it refuses."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.commands.compact import compact
from crawler.commands.info import info
from crawler.feasibility.page_costs import costs_of
from crawler.monitoring.signs_of_life import Sign, begin_signs, write_sign
from crawler.process.process_tree import process_tree
from crawler.replay.recordedweb.stored_bodies import index_of
from sessions.checking.check import check_session
from sessions.session import Session, SessionError, record_numbers
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
    assert said == (
        f"{tmp_path / 'session'}: {before} table files are {files} now, 2 WARC files 2, 3 commit records 1\n"
    )
    assert check_session(tmp_path / "session").is_good


def test_it_says_what_was_dropped(tmp_path: Path) -> None:
    path = tmp_path / "session"
    small_session(path)
    pages = len(Session.open(path).read("pages"))
    code, said = ran(str(path), "--drop-bodies", "--before", "2026-01-01")
    assert (code, said.splitlines()[1:]) == (0, [f"{path}: no page fetched before 2026-01-01 has a body to be dropped"])
    code, said = ran(str(path), "--drop-bodies")
    assert code == 0
    assert said.splitlines()[1].startswith(f"{path}: the bodies of {pages} pages were dropped: ")
    assert "2 WARC files 0" in said
    assert check_session(path).is_good
    told = CliRunner().invoke(info, [str(path)]).output
    assert f"dropped      the bodies of {pages} pages fetched before 2026-01-02T" in told


def test_what_reads_bodies_says_that_they_were_dropped(tmp_path: Path) -> None:
    path = tmp_path / "session"
    small_session(path)
    ran(str(path), "--drop-bodies")
    with pytest.raises(SessionError, match=r"has no bodies: they were dropped on .*; replay it without --bodies"):
        index_of(Session.open(path))
    with pytest.raises(SessionError, match=r"its bodies were dropped on .*, so that nothing tells what room a page"):
        costs_of(Session.open(path))


@pytest.mark.parametrize(
    ("date", "why"),
    [("yesterday", "is no date; write it as in 2026-11-25"), ("2999-01-01", "lies in the future; leave it out")],
)
def test_a_date_that_is_none_is_refused(tmp_path: Path, date: str, why: str) -> None:
    small_session(tmp_path / "session")
    code, said = ran(str(tmp_path / "session"), "--before", date)
    assert code == 2
    assert f"--before {date}: {why}" in said
    assert len(said.splitlines()) == 1
    assert len(record_numbers(tmp_path / "session")) == 3


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
